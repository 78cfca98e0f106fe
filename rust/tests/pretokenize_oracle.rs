//! Every scanner against its pattern, as explicit ranges, run by `fancy-regex`.

// The helpers of a test are outside of its function, where clippy.toml does not reach.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use fancy_regex::Regex;
use std::collections::BTreeMap;
use superword::patterns::{LISTED_SCRIPTS, NAMED_PATTERNS, expand_pattern, uniscript_patterns};
use superword::pretokenize::Pretokens;
use superword::scripts::{classify, split_scripts};
use superword::settings::Scheme;

/// Together over two million pieces are compared.
const PIECES_PER_SCHEME: usize = 420_000;
const SEED: u64 = 17;

/// Everything that a pattern or a rule names, and what case folding and joining make of it.
const NAMED: &str = "sdmtlverSDMTLVER\u{17F}\u{212A}kK'/ \r\n\t\u{B}\u{C}\u{85}\u{A0}\u{1680}\
    \u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200A}\
    \u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}\u{2019}\
    \u{3006}\u{3031}\u{3032}\u{3033}\u{3034}\u{3035}\u{303C}\u{30FC}\u{FF70}\u{FF9E}\u{FF9F}\
    \u{640}\u{345}\u{301}\u{558}\u{88F}\u{295}\u{2605}\u{10FFFF}\0";

/// One character for each kind that a rule tells apart.
const KINDS: &str =
    "asAяЯǅªא\u{483}\u{5B0}\u{301}\u{E48}漢カーก𝐚1\u{E51}\u{967}\u{5BE}\u{E4F} \n\t\u{1680}.'/";

struct Random(u64);

impl Random {
    /// The next number below `bound` (splitmix64).
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// The code points of each pair of (script, category), and each named one by itself.
fn groups() -> Vec<Vec<char>> {
    let chars = (0..=0x10FFFF).filter_map(char::from_u32);
    let mut groups: BTreeMap<_, Vec<char>> = BTreeMap::new();
    for (char, (category, script, ..)) in chars.zip(classify(0, 0x10FFFF)) {
        groups.entry((script, category)).or_default().push(char);
    }
    groups.into_values().chain(NAMED.chars().map(|char| vec![char])).collect()
}

/// A text over a few groups, so that runs are common; group number `index` is among them.
fn random_text(groups: &[Vec<char>], index: usize, random: &mut Random) -> String {
    let mut palette = vec![index % groups.len()];
    for _ in 0..random.below(5) {
        palette.push(random.below(groups.len()));
    }
    let mut usual: Vec<char> = "aAbzZ 's\n1.`{@[\t\r/lL".chars().collect();
    if random.below(2) == 0 {
        // runs of one kind, and the same few kinds side by side
        let from = random.below(usual.len() - 4);
        usual = [usual[from..from + 4].to_vec(), vec![' ', 'a']].concat();
    }
    // Long stretches of ASCII take the fast paths, those of 64 bytes and more the fastest.
    let ascii_of_8 = random.below(9);
    let longest = if random.below(4) == 0 { 150 } else { 28 };
    (0..1 + random.below(longest))
        .map(|_| {
            if random.below(8) < ascii_of_8 {
                return usual[random.below(usual.len())];
            }
            let group = &groups[palette[random.below(palette.len())]];
            group[random.below(group.len())]
        })
        .collect()
}

/// SPEC section 3.1 to the letter.
fn chunks(text: &str) -> Vec<(&'static str, &str)> {
    let (mut chunks, mut start, mut current, mut firm) = (Vec::new(), 0, "", 0);
    for (at, char) in text.char_indices() {
        let end = at + char.len_utf8();
        let script = classify(char.into(), char.into())[0].1;
        match if script == "Unknown" { "Common" } else { script } {
            script if script == current => firm = end,
            "Inherited" => {
                current = if current.is_empty() { "Inherited" } else { current };
                firm = end;
            }
            "Common" => current = if current.is_empty() { "Common" } else { current },
            script => {
                if !["", "Common", "Inherited"].contains(&current) {
                    chunks.push((current, &text[start..firm]));
                    start = firm;
                }
                current = script;
                firm = end;
            }
        }
    }
    chunks.push((current, &text[start..]));
    assert_eq!(chunks, split_scripts(text), "chunks of {text:?}");
    chunks
}

struct Oracle {
    scheme: Scheme,
    patterns: BTreeMap<&'static str, Regex>,
    uniscript: (Regex, Regex),
}

impl Oracle {
    fn new(scheme: Scheme) -> Self {
        let anchored = |pattern: String| Regex::new(&format!(r"\A(?:{pattern})")).unwrap();
        let named = NAMED_PATTERNS.map(|(name, p)| (name, Regex::new(&expand_pattern(p)).unwrap()));
        let (bounded, unbounded) = uniscript_patterns();
        Self {
            scheme,
            patterns: named.into_iter().collect(),
            uniscript: (anchored(bounded), anchored(unbounded)),
        }
    }

    fn pretokens<'t>(&self, text: &'t str) -> Vec<&'t str> {
        match self.scheme {
            Scheme::Gpt2 | Scheme::Gpt4 | Scheme::Gpt4o => self.matches(self.scheme.name(), text),
            Scheme::Gpt4oScripts => chunks(text)
                .into_iter()
                .flat_map(|(script, chunk)| {
                    let listed = LISTED_SCRIPTS.contains(&script);
                    self.matches(if listed { "gpt4o-script" } else { "gpt4o" }, chunk)
                })
                .collect(),
            Scheme::Gpt4oUniscript => self.uniscript(text),
            Scheme::None => Some(text).filter(|text| !text.is_empty()).into_iter().collect(),
        }
    }

    fn matches<'t>(&self, name: &str, text: &'t str) -> Vec<&'t str> {
        let mut pieces = Vec::new();
        let mut end = 0;
        for found in self.patterns[name].find_iter(text) {
            let found = found.unwrap();
            if end < found.start() {
                pieces.push(&text[end..found.start()]);
            }
            pieces.push(found.as_str());
            end = found.end();
        }
        if end < text.len() {
            pieces.push(&text[end..]);
        }
        pieces
    }

    /// SPEC section 3.4 to the letter: the text is cut off at e.
    fn uniscript<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let script = |char: char| classify(char.into(), char.into())[0].1;
        let reals: Vec<(usize, &str)> = text
            .char_indices()
            .map(|(at, char)| (at, script(char)))
            .filter(|(_, script)| !["Common", "Inherited", "Unknown"].contains(script))
            .collect();
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let after: Vec<_> = reals.iter().filter(|real| real.0 >= at).collect();
            let limit = after.iter().find(|real| real.1 != after[0].1).map_or(text.len(), |r| r.0);
            let (bounded, unbounded) = &self.uniscript;
            let piece = bounded
                .find(&text[at..limit])
                .unwrap()
                .or_else(|| unbounded.find(&text[at..]).unwrap())
                .unwrap()
                .as_str();
            pieces.push(piece);
            at += piece.len();
        }
        pieces
    }

    /// Compares one text; returns the number of pieces.
    fn check(&self, text: &str, origin: &str) -> usize {
        let expected = self.pretokens(text);
        let pieces: Vec<&str> = Pretokens::new(text, self.scheme).collect();
        assert_eq!(pieces, expected, "{} on {text:?} ({origin})", self.scheme.name());
        assert_eq!(pieces.concat(), text);
        pieces.len()
    }
}

fn compare(scheme: Scheme) {
    let oracle = Oracle::new(scheme);
    let mut short = 0;
    let kinds: Vec<char> = KINDS.chars().collect();
    for a in &kinds {
        for b in &kinds {
            for c in &kinds {
                short += oracle.check(&String::from_iter([a, b, c]), "all texts of three kinds");
            }
        }
    }
    let groups = groups();
    let (mut drawn, mut texts) = (0, 0);
    while drawn < PIECES_PER_SCHEME {
        let seed = SEED + texts as u64;
        let text = random_text(&groups, texts, &mut Random(seed));
        drawn += oracle.check(&text, &format!("seed {seed}"));
        texts += 1;
    }
    assert!(texts > 20 * groups.len(), "each group must lead at least twenty texts: {texts}");
    println!("{}: {short} and {drawn} pieces, {texts} texts", scheme.name());
}

#[test]
fn gpt2_is_its_pattern() {
    compare(Scheme::Gpt2);
}

#[test]
fn gpt4_is_its_pattern() {
    compare(Scheme::Gpt4);
}

#[test]
fn gpt4o_is_its_pattern() {
    compare(Scheme::Gpt4o);
}

#[test]
fn gpt4o_scripts_is_its_patterns_by_chunk() {
    compare(Scheme::Gpt4oScripts);
}

#[test]
fn gpt4o_uniscript_is_its_definition_by_truncation() {
    compare(Scheme::Gpt4oUniscript);
}
