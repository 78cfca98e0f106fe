//! Settings that the configuration of a published file says, and those that none can
//! (SPEC 3, 5, 10).

use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::patterns::{LISTED_SCRIPTS, NAMED_PATTERNS};
use crate::pretokenize::Pretokenizer;
use crate::published_configuration::{Configuration, Patterns};
use crate::published_lines::check_published_special_tokens;
use crate::settings::{BlowUp, Cutting, ELIGIBLE_PATTERN, IdOrder, Rules, Scheme, Settings, Tau};

pub(crate) const NO_DELETIONS: &str = "1.1";
/// The way out where a published file cannot hold something.
const OURS: &str = "a file NAME.superword can hold it";
/// What `published_configuration` reads.
const LONGEST_DIGITS: usize = 30;

fn patterns_of_scheme(scheme: Scheme) -> Option<(String, Option<String>, Option<Vec<String>>)> {
    let named = |name| {
        NAMED_PATTERNS.iter().find(|(known, _)| *known == name).map(|(_, text)| text.to_string())
    };
    let mut scripts = LISTED_SCRIPTS.map(str::to_string).to_vec();
    scripts.sort_unstable();
    match scheme {
        Scheme::Gpt2 | Scheme::Gpt4 | Scheme::Gpt4o => Some((named(scheme.name())?, None, None)),
        Scheme::Gpt4oScripts => {
            Some((named("gpt4o")?, Some(named("gpt4o-script")?), Some(scripts)))
        }
        Scheme::Gpt4oUniscript | Scheme::None => None,
    }
}

/// Refuses a training whose model no published file could hold.
///
/// # Errors
/// [`ErrorKind::Settings`]: which setting, and what to use instead.
pub fn check_publishable(settings: &Settings) -> Result<()> {
    let Settings { rules, cutting, tau, special_tokens, id_order, .. } = settings;
    check(*rules, cutting, *tau, special_tokens, *id_order)
}

fn check(
    rules: Rules,
    cutting: &Cutting,
    tau: Option<Tau>,
    special_tokens: &[String],
    id_order: IdOrder,
) -> Result<()> {
    let error = |text| Err(Error::new(ErrorKind::Settings, text));
    if cutting.scheme == Some(Scheme::None) {
        return error(format!(
            "scheme 'none' is not for a published file, which always cuts text by a pattern; {OURS}"
        ));
    }
    if rules != Rules::Superword {
        return error(format!(
            "rules must be 'superword' for a published file, which cannot say '{}'; {OURS}",
            rules.name()
        ));
    }
    if id_order == IdOrder::Gpt2 {
        return error(format!(
            "id_order must be regular-first or creation for a published file, which begins with \
             the bytes in their own order, not 'gpt2'; {OURS}"
        ));
    }
    if let Some(scheme) = cutting.scheme
        && patterns_of_scheme(scheme).is_none()
    {
        let known: Vec<_> = Scheme::ALL
            .iter()
            .filter(|&&scheme| patterns_of_scheme(scheme).is_some())
            .map(|scheme| scheme.name())
            .collect();
        return error(format!(
            "scheme must be one of {} for a published file, which has no pattern for '{}'; \
             {OURS}",
            known.join(", "),
            scheme.name()
        ));
    }
    if let Some(tau) = tau
        && decimal(tau).is_none()
    {
        return error(format!(
            "tau must be a decimal number of at most {LONGEST_DIGITS} digits for a published \
             file, not {tau}; {OURS}"
        ));
    }
    check_published_special_tokens(special_tokens)
}

/// How patterns cut: by a scheme if they are exactly those of one. What a pretoken must match to be
/// part of a superword is a letter unless the patterns say otherwise.
///
/// # Errors
/// [`ErrorKind::Model`] if a pattern or a script cannot be used.
pub(crate) fn cutting_of_patterns(patterns: &Patterns) -> Result<Cutting> {
    let error = |text: String| Error::new(ErrorKind::Model, text);
    let Patterns { main_regex, script_specific_regex, script_specific_scripts, merge_pattern } =
        patterns.clone();
    if script_specific_regex.is_some() != script_specific_scripts.is_some() {
        return Err(error(
            "script_specific_regex and script_specific_scripts must both be null or neither".into(),
        ));
    }
    let mut scripts = script_specific_scripts;
    if let Some(names) = &mut scripts {
        names.sort_unstable();
        if names.is_empty() || !names.is_sorted_by(|one, two| one < two) {
            return Err(error(
                "script_specific_scripts must be names, each once, one at least".into(),
            ));
        }
    }
    let found = (main_regex, script_specific_regex, scripts);
    let known = |scheme: &Scheme| patterns_of_scheme(*scheme).is_some_and(|known| known == found);
    let scheme = Scheme::ALL.iter().copied().find(known);
    let eligible_pattern = merge_pattern.unwrap_or_else(|| ELIGIBLE_PATTERN.to_string());
    let cutting = match scheme {
        Some(scheme) => Cutting { eligible_pattern, ..scheme.into() },
        None => Cutting {
            scheme,
            pattern: Some(found.0),
            script_pattern: found.1,
            scripts: found.2,
            eligible_pattern,
        },
    };
    Pretokenizer::new(&cutting).map_err(|inner| error(inner.message))?;
    Ok(cutting)
}

/// What deletes a token and what stands for it: the fields `tau` and `blow_up` of a model, `None` if
/// nothing is deleted. `tau` is a decimal number, `blowup` says whether bytes stand for a token.
///
/// # Errors
/// [`ErrorKind::Model`] if such a number can be no share.
pub(crate) fn deletions_of_configuration(
    tau: &str,
    blowup: bool,
) -> Result<(Option<Tau>, Option<BlowUp>)> {
    let fail = || {
        Err(Error::new(
            ErrorKind::Model,
            format!(
                "tau must be {NO_DELETIONS} for no deletions, or above 0 and at most 1 (as a \
                 reduced fraction with at most 2^63 - 1 below the line), not {tau}"
            ),
        ))
    };
    let (before, after) = tau.split_once('.').unwrap_or((tau, ""));
    let after = after.trim_end_matches('0');
    match (before, after) {
        ("1", "1") => return Ok((None, None)),
        ("0", _) | ("1", "") => {}
        _ => return fail(),
    }
    let mut whole: u128 = 1;
    let mut part = u128::from(before == "1");
    for digit in after.bytes() {
        whole *= 10; // there are at most 30 digits
        part = 10 * part + u128::from(digit - b'0');
    }
    let (mut divisor, mut rest) = (whole, part);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let terms = (u64::try_from(part / divisor), u64::try_from(whole / divisor));
    let (Ok(part), Ok(whole)) = terms else { return fail() };
    let Some(tau) = Tau::new(part, whole) else { return fail() };
    Ok((Some(tau), Some(if blowup { BlowUp::Bytes } else { BlowUp::Pair })))
}

/// The configuration of the regular merges of a model, as a published file says it.
///
/// # Errors
/// [`ErrorKind::Settings`] as [`check_publishable`].
pub(crate) fn configuration_of_model(model: &Model) -> Result<Configuration> {
    let cutting = &model.cutting;
    check(model.rules, cutting, model.tau, &model.special_tokens, model.id_order)?;
    let (main_regex, script_specific_regex, script_specific_scripts) =
        cutting.scheme.and_then(patterns_of_scheme).unwrap_or_else(|| {
            let main = cutting.pattern.clone().unwrap_or_default();
            (main, cutting.script_pattern.clone(), cutting.scripts.clone())
        });
    Ok(Configuration {
        tau: model.tau.and_then(decimal).unwrap_or_else(|| NO_DELETIONS.to_string()),
        is_super: false,
        superbpe_mode: false,
        // Where nothing is deleted the published program says that it would be deleted to bytes.
        blowup: model.blow_up != Some(BlowUp::Pair),
        patterns: Patterns {
            main_regex,
            script_specific_regex,
            script_specific_scripts,
            merge_pattern: Some(cutting.eligible_pattern.clone()),
        },
    })
}

/// The number with a point and all its digits; `None` if there are too many.
fn decimal(tau: Tau) -> Option<String> {
    let (part, whole) = tau.terms();
    let (part, whole) = (u128::from(part), u128::from(whole));
    let mut rest = part % whole;
    let mut digits = String::new();
    while rest > 0 && digits.len() < LONGEST_DIGITS {
        digits.push(char::from(b'0' + (10 * rest / whole) as u8));
        rest = 10 * rest % whole;
    }
    if digits.is_empty() {
        digits.push('0');
    }
    (rest == 0).then(|| format!("{}.{digits}", part / whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_and_written_in_full() {
        let read = |tau: &str| deletions_of_configuration(tau, true);
        for (text, written) in [("0.9", "0.9"), ("0.90", "0.9"), ("1", "1.0"), ("1.0", "1.0")] {
            let (tau, blow_up) = read(text).unwrap();
            assert_eq!(tau.and_then(decimal).as_deref(), Some(written));
            assert_eq!(blow_up, Some(BlowUp::Bytes));
        }
        assert_eq!(read("1.10").unwrap(), (None, None));
        for wrong in ["0", "0.0", "1.2", "1.01", "2", "11", "0.0000000000000000000000000001"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Tau::new(1, 3).and_then(decimal), None);
        assert_eq!(Tau::new(1, 1 << 30).and_then(decimal).unwrap().len(), 32);
        assert_eq!(Tau::new(1, 1 << 31).and_then(decimal), None);
    }
}
