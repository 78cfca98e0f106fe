//! Every stage of the core ready to run on the demo corpus, by the clock (`stages.rs`) or under
//! callgrind (`instructions.rs`): what is measured is the stage, and nothing that it needs from others.

use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;

use superword::candidates::single_token_pretokens;
use superword::counts::{Counts, count_documents};
use superword::documents::{Compression, Source, SourceKind, read_documents};
use superword::encoder::Encoder;
use superword::error::no_progress;
use superword::merges::train_merges;
use superword::model_file::{Limits, model_from_bytes};
use superword::pretokenize::Pretokens;
use superword::settings::{Algorithm, Rules, Scheme, Settings};
use superword::special_tokens::SpecialTokens;
use superword::training::train_counts;
use superword::{Error, ErrorKind, Result};

const ENGLISH: &[&str] = &["english"];
const MANY_LANGUAGES: &[&str] = &["multilingual"];
const EVERYTHING: &[&str] = &["code", "english", "multilingual"];
const VOCAB_SIZE: u32 = 8192;
/// Encoders that take turns, since the luck of one hash seed moves a stage by more than 1 %.
const ENCODERS: usize = 8;

/// The measured work, once.
pub type Job = Box<dyn FnOnce() -> Result<()>>;

/// A stage with its input in memory.
pub struct Stage {
    /// The bytes of text that it is about.
    pub bytes: u64,
    /// Makes a job; what that takes is not measured.
    pub fresh: Box<dyn Fn() -> Result<Job>>,
}

/// The names of all stages.
pub fn names() -> Vec<String> {
    let scan = |texts: &str| {
        let texts = texts.to_owned();
        let cut = Scheme::ALL.iter().filter(|&&scheme| scheme != Scheme::None);
        cut.map(move |scheme| format!("scan/{texts}/{}", scheme.name()))
    };
    let others = [
        "read/jsonl",
        "count/pretokens",
        "count/runs",
        "train/phase-1",
        "train/single-tokens",
        "train/bpe",
        "train/superbpe",
        "train/boundless",
        "train/document",
        "load/model",
        "load/encoder",
        "encode/cold",
        "encode/warm",
        "encode/without-shortcut",
        "encode/document",
        "decode/ids",
    ];
    scan("english")
        .chain(scan("many-languages"))
        .chain(others.into_iter().map(str::to_owned))
        .collect()
}

/// The stage of this name.
///
/// # Errors
/// [`ErrorKind::Settings`] if there is none, and what the stages before it return.
pub fn prepare(name: &str) -> Result<Stage> {
    match *name.split('/').collect::<Vec<_>>() {
        ["scan", "english", scheme] => scan(ENGLISH, Scheme::from_name(scheme)?),
        ["scan", "many-languages", scheme] => scan(MANY_LANGUAGES, Scheme::from_name(scheme)?),
        ["read", "jsonl"] => read(),
        ["count", "pretokens"] => count(false),
        ["count", "runs"] => count(true),
        ["train", "phase-1"] => phase_1(),
        ["train", "single-tokens"] => single_tokens(),
        ["train", "document"] => train_document(),
        ["train", algorithm] => train(Algorithm::from_name(algorithm)?),
        ["load", "model"] => load_model(),
        ["load", "encoder"] => load_encoder(),
        ["encode", "cold"] => encode(true, true),
        ["encode", "warm"] => encode(true, false),
        ["encode", "without-shortcut"] => encode(false, true),
        ["encode", "document"] => encode_document(),
        ["decode", "ids"] => decode(),
        _ => Err(Error::new(ErrorKind::Settings, format!("there is no stage '{name}'"))),
    }
}

/// A stage from its measured work, which it may do any number of times.
fn repeatable(bytes: u64, work: impl Fn() -> Result<()> + 'static) -> Stage {
    let work = Rc::new(work);
    let fresh = move || {
        let work = Rc::clone(&work);
        Ok(Box::new(move || work()) as Job)
    };
    Stage { bytes, fresh: Box::new(fresh) }
}

fn scan(files: &[&str], scheme: Scheme) -> Result<Stage> {
    let texts = texts(files)?;
    Ok(repeatable(bytes(&texts), move || {
        for text in &texts {
            Pretokens::new(black_box(text), scheme).for_each(|pretoken| {
                black_box(pretoken);
            });
        }
        Ok(())
    }))
}

fn read() -> Result<Stage> {
    let bytes = bytes(&texts(EVERYTHING)?);
    Ok(repeatable(bytes, || texts(EVERYTHING).map(|texts| drop(black_box(texts)))))
}

fn count(runs: bool) -> Result<Stage> {
    let texts = texts(EVERYTHING)?;
    let bytes = bytes(&texts);
    let fresh = move || {
        let texts = texts.clone();
        Ok(Box::new(move || count_texts(texts, runs).map(|counts| drop(black_box(counts)))) as Job)
    };
    Ok(Stage { bytes, fresh: Box::new(fresh) })
}

fn phase_1() -> Result<Stage> {
    let (bytes, counts) = counts()?;
    let settings = settings(Algorithm::Bpe);
    Ok(repeatable(bytes, move || {
        let trained = train_merges(&counts.pretoken_counts, &settings, &mut no_progress)?;
        black_box(trained);
        Ok(())
    }))
}

fn single_tokens() -> Result<Stage> {
    let (bytes, counts) = counts()?;
    let settings = settings(Algorithm::Boundless);
    let (ops, _) = train_merges(&counts.pretoken_counts, &settings, &mut no_progress)?;
    Ok(repeatable(bytes, move || {
        let pretokens = &counts.pretoken_counts;
        black_box(single_token_pretokens(&ops, pretokens, &settings, &mut no_progress)?);
        Ok(())
    }))
}

fn train(algorithm: Algorithm) -> Result<Stage> {
    let (bytes, counts) = counts()?;
    let settings = settings(algorithm);
    Ok(repeatable(bytes, move || {
        black_box(train_counts(&counts, &settings, 1, &mut no_progress)?);
        Ok(())
    }))
}

/// All texts as one document, of which none is cut.
fn document() -> Result<(String, Settings, Counts)> {
    let text = texts(EVERYTHING)?.concat();
    let mut settings = settings(Algorithm::Bpe);
    (settings.cutting, settings.rules) = (Scheme::None.into(), Rules::Incremental);
    let counts = count_cut(vec![text.clone()], Scheme::None, false)?;
    Ok((text, settings, counts))
}

fn train_document() -> Result<Stage> {
    let (text, settings, counts) = document()?;
    Ok(repeatable(text.len() as u64, move || {
        black_box(train_counts(&counts, &settings, 1, &mut no_progress)?);
        Ok(())
    }))
}

fn encode_document() -> Result<Stage> {
    let (text, settings, counts) = document()?;
    let (artifact, ..) = train_counts(&counts, &settings, 1, &mut no_progress)?;
    let model = model_from_bytes(&artifact, &Limits::default(), &mut no_progress)?;
    let encoder = Encoder::new(&model, true, &mut no_progress)?;
    Ok(repeatable(text.len() as u64, move || {
        black_box(encoder.encode(&text, None, &mut no_progress)?);
        Ok(())
    }))
}

fn load_model() -> Result<Stage> {
    let (bytes, counts) = counts()?;
    let artifact = artifact(&counts)?;
    Ok(repeatable(bytes, move || {
        black_box(model_from_bytes(&artifact, &Limits::default(), &mut no_progress)?);
        Ok(())
    }))
}

fn load_encoder() -> Result<Stage> {
    let (bytes, counts) = counts()?;
    let model = model_from_bytes(&artifact(&counts)?, &Limits::default(), &mut no_progress)?;
    Ok(repeatable(bytes, move || {
        black_box(Encoder::new(&model, true, &mut no_progress)?);
        Ok(())
    }))
}

/// A cold encoder has encoded nothing, a warm one this very text.
fn encode(shortcut: bool, cold: bool) -> Result<Stage> {
    let texts = Rc::new(texts(EVERYTHING)?);
    let (bytes, counts) = counts()?;
    let model = model_from_bytes(&artifact(&counts)?, &Limits::default(), &mut no_progress)?;
    let new_encoders = move || {
        let new_encoder = |_| Encoder::new(&model, shortcut, &mut no_progress);
        (0..ENCODERS).map(new_encoder).collect::<Result<Vec<_>>>().map(Rc::new)
    };
    let warm = new_encoders()?;
    encode_texts(&warm, &texts)?;
    let fresh = move || {
        let encoders = if cold { new_encoders()? } else { Rc::clone(&warm) };
        let texts = Rc::clone(&texts);
        Ok(Box::new(move || encode_texts(&encoders, &texts).map(|ids| drop(black_box(ids)))) as Job)
    };
    Ok(Stage { bytes, fresh: Box::new(fresh) })
}

fn decode() -> Result<Stage> {
    let (bytes, counts) = counts()?;
    let model = model_from_bytes(&artifact(&counts)?, &Limits::default(), &mut no_progress)?;
    let encoder = Encoder::new(&model, true, &mut no_progress)?;
    let ids = encode_texts(std::slice::from_ref(&encoder), &texts(EVERYTHING)?)?;
    Ok(repeatable(bytes, move || {
        for ids in &ids {
            black_box(encoder.decode_bytes(ids)?);
        }
        Ok(())
    }))
}

fn settings(algorithm: Algorithm) -> Settings {
    match algorithm {
        Algorithm::Superbpe => {
            let supermerges = VOCAB_SIZE / 10;
            Settings::new(algorithm, VOCAB_SIZE, VOCAB_SIZE - supermerges, supermerges)
        }
        _ => Settings::new(algorithm, VOCAB_SIZE, VOCAB_SIZE, 0),
    }
}

/// The documents of files of the demo corpus.
fn texts(files: &[&str]) -> Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/corpus");
    let mut texts = Vec::new();
    for name in files {
        let path = folder.join(format!("{name}.jsonl")).display().to_string();
        let (kind, compression) = (SourceKind::Jsonl, Compression::None);
        let source = Source { path, kind, compression, field: "text".into() };
        for text in read_documents(&source)? {
            texts.push(text?);
        }
    }
    Ok(texts)
}

fn bytes(texts: &[String]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}

fn count_texts(texts: Vec<String>, runs: bool) -> Result<Counts> {
    count_cut(texts, Scheme::Gpt4oUniscript, runs)
}

fn count_cut(texts: Vec<String>, scheme: Scheme, runs: bool) -> Result<Counts> {
    let special_tokens = SpecialTokens::new::<String>(&[])?;
    let mut batch = Some(texts);
    let mut batches = || Ok(batch.take());
    let pretokenizer = scheme.into();
    count_documents(&mut batches, &pretokenizer, &special_tokens, runs, 1, &mut no_progress)
}

/// The bytes of the demo corpus, and what training needs to know of it.
fn counts() -> Result<(u64, Counts)> {
    let texts = texts(EVERYTHING)?;
    Ok((bytes(&texts), count_texts(texts, true)?))
}

fn artifact(counts: &Counts) -> Result<Vec<u8>> {
    Ok(train_counts(counts, &settings(Algorithm::Boundless), 1, &mut no_progress)?.0)
}

fn encode_texts(encoders: &[Encoder], texts: &[String]) -> Result<Vec<Vec<u32>>> {
    let turns = encoders.iter().cycle();
    texts.iter().zip(turns).map(|(text, x)| x.encode(text, None, &mut no_progress)).collect()
}
