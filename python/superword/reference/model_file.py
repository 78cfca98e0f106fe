"""The artifact: a model as bytes and back (SPEC 10).

A header line, one line an op, and a line `sha256 HEX` with its line end, after which nothing
stands. The reader accepts exactly what the writer writes.
"""

from __future__ import annotations

import hashlib
import math
import re

from superword.errors import ModelFormatError, SettingsError
from superword.model import Model, Op
from superword.reference.header import (
    Value,
    header_from_bytes,
    header_to_bytes,
    parse_number,
)
from superword.reference.pretokenize import check_cutting
from superword.reference.special_tokens import check_special_tokens, read_special_ids
from superword.reference.unicode import UNICODE_VERSION
from superword.reference.vocabulary import MAX_OPS, Vocabulary
from superword.settings import BLOW_UPS, MAX_COUNT, MAX_IDS, Cutting

FORMAT = "superword"
VERSION = 1

#: The longest token that is loaded unless the caller says otherwise.
MAX_TOKEN_BYTES = 1 << 24
#: The bytes of all tokens that the ops make, in all, unless the caller says otherwise.
MAX_TOTAL_BYTES = 1 << 28

# The type of each key and, for a name, its values.
_STRING, _NUMBER, _STRINGS = "a string", "a whole number", "a list of strings"
_TYPES = {
    "algorithm": _STRING,
    "alphabet": _STRING,
    "blow_up": _STRING,
    "bytes": _NUMBER,
    "distinct_pretokens": _NUMBER,
    "documents": _NUMBER,
    "eligible_pattern": _STRING,
    "format": _STRING,
    "id_order": _STRING,
    "ngram_floor": _NUMBER,
    "ngram_max_length": _NUMBER,
    "ops": _NUMBER,
    "pattern": _STRING,
    "pretokens": _NUMBER,
    "rules": _STRING,
    "scheme": _STRING,
    "script_pattern": _STRING,
    "scripts": _STRINGS,
    "special_ids": _STRINGS,
    "special_tokens": _STRINGS,
    "tau": _STRING,
    "unicode": _STRING,
    "version": _NUMBER,
}
# Keys that a header has only if the setting is used
_OPTIONAL = (
    *("blow_up", "ngram_floor", "ngram_max_length"),
    *("pattern", "scheme", "script_pattern", "scripts", "special_ids", "tau"),
)
# The least that the numbers of n-gram splitting can be.
_NGRAMS = {"ngram_floor": 1, "ngram_max_length": 2}
_NAMES = {
    "algorithm": ("bpe", "superbpe", "boundless"),
    "alphabet": ("bytes", "utf8"),
    "id_order": ("regular-first", "creation", "gpt2"),
    "rules": ("superword", "incremental"),
    "scheme": ("gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript", "none"),
}
_LETTERS = {"merge": "m", "supermerge": "s"}
_KINDS = {b"m": "merge", b"s": "supermerge"}
_TAU = re.compile(r"([1-9][0-9]{0,18})/([1-9][0-9]{0,18})")
_NO_OP = "an op must be 'm LEFT RIGHT COUNT', 's LEFT RIGHT COUNT' or 'd TOKEN'"
_FOOTER = re.compile(rb"\nsha256 [0-9a-f]{64}\n")
_FOOTER_BYTES = len("sha256 \n") + 64


def model_to_bytes(model: Model) -> bytes:
    r"""The artifact of a model.

    Args:
        model: a model whose ops refer only to earlier tokens.

    Returns:
        The bytes of the file.

    >>> model = Model("bpe", "bytes", "superword", "gpt2", "creation", [], "17.0.0", None, None,
    ...               None, r"\p{L}", None, None, None, None, 1, 2, 1, 1,
    ...               [Op("merge", 97, 98, 256, 1)])
    >>> model_to_bytes(model).split(b"\n")[1]
    b'm 97 98 1'

    Source: SPEC 10.
    """
    model = Model(*model)
    header: dict[str, Value] = {
        "algorithm": model.algorithm,
        "alphabet": model.alphabet,
        "bytes": model.bytes,
        "distinct_pretokens": model.distinct_pretokens,
        "documents": model.documents,
        "eligible_pattern": model.eligible_pattern,
        "format": FORMAT,
        "id_order": model.id_order,
        "ops": len(model.ops),
        "pretokens": model.pretokens,
        "rules": model.rules,
        "special_tokens": list(model.special_tokens),
        "unicode": model.unicode,
        "version": VERSION,
    }
    for key in _OPTIONAL:
        value = getattr(model, key)
        if value is not None:
            header[key] = list(map(str, value)) if key == "special_ids" else value
    lines = [
        f"d {left}\n" if kind == "delete" else f"{_LETTERS[kind]} {left} {right} {count}\n"
        for kind, left, right, _, count in model.ops
    ]
    body = header_to_bytes(header) + b"\n" + "".join(lines).encode()
    return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()


def model_from_bytes(
    data: bytes,
    any_unicode: bool = False,
    max_token_bytes: int | None = None,
    max_total_bytes: int | None = None,
) -> Model:
    """Read an artifact and check everything in it.

    Args:
        data: the bytes of the file.
        any_unicode: accept a model made with another Unicode version.
        max_token_bytes: the longest token in bytes; None = 16 MiB.
        max_total_bytes: the bytes of everything the ops make, in all; None = 256 MiB.

    Returns:
        The model; its ops are `Op`s.

    Raises:
        ModelFormatError: the bytes are not what the writer writes, or a limit is passed.

    >>> model_from_bytes(b"")
    Traceback (most recent call last):
    ...
    superword.errors.ModelFormatError: this is no superword model: the file is empty

    Source: SPEC 10.
    """
    body = _check_frame(data)
    header, _, op_lines = body.partition(b"\n")
    try:
        model, n_ops = _model_without_ops(header_from_bytes(header), any_unicode)
    except (ModelFormatError, SettingsError) as error:
        raise ModelFormatError(f"line 1: {error}") from None
    n_lines = op_lines.count(b"\n")
    if n_lines != n_ops:
        raise ModelFormatError(f"line 1: the header announces {n_ops} ops, the file has {n_lines}")
    vocabulary = Vocabulary(
        model.alphabet,
        MAX_TOKEN_BYTES if max_token_bytes is None else max_token_bytes,
        MAX_TOTAL_BYTES if max_total_bytes is None else max_total_bytes,
    )
    ops: list[Op] = []
    for line in op_lines.split(b"\n")[:-1]:
        try:
            ops.append(_op(line, model, ops[-1] if ops else None, vocabulary))
        except ModelFormatError as error:
            raise ModelFormatError(f"line {len(ops) + 2}: {error}") from None
    return model._replace(ops=ops)


def _check_frame(data: bytes) -> bytes:
    """What stands before the last line, once that line has vouched for it."""
    if not data:
        raise ModelFormatError("this is no superword model: the file is empty")
    body = data[:-_FOOTER_BYTES]
    if not _FOOTER.fullmatch(data[-_FOOTER_BYTES - 1 :]):
        if not data.startswith(b"{"):
            raise ModelFormatError(
                "this is no superword model: line 1 must begin with '{', or in a published file "
                "with 'BoundlessBPE v2' or 'word v1'"
            )
        raise ModelFormatError(
            "this is no superword model, or its end is missing or damaged: "
            "the last line must be 'sha256 ' and 64 hexadecimal digits"
        )
    if hashlib.sha256(body).hexdigest().encode() != data[-65:-1]:
        raise ModelFormatError("the file is damaged: its sha256 is not the one in its last line")
    return body


def _model_without_ops(fields: dict[str, Value], any_unicode: bool) -> tuple[Model, int]:
    """The model of a header, and how many ops it announces."""
    # A later version may have other keys: what to say then is that it is later.
    if fields.get("format") != FORMAT:
        raise ModelFormatError(f"this is no superword model: 'format' must be '{FORMAT}'")
    version = fields.get("version")
    if isinstance(version, int) and version != VERSION:
        raise ModelFormatError(
            f"the file has version {version} of the format, this program reads version {VERSION}"
        )
    for key in _TYPES:
        if key not in fields and key not in _OPTIONAL:
            raise ModelFormatError(f"the key '{key}' is missing")
    for key, value in fields.items():
        if key not in _TYPES:
            raise ModelFormatError(f"the key '{key}' is unknown")
        if _type(value) != _TYPES[key]:
            raise ModelFormatError(f"'{key}' must be {_TYPES[key]}, not {_type(value)}")
    for key, names in _NAMES.items():
        if key in fields and fields[key] not in names:
            raise ModelFormatError(f"{key} must be one of {', '.join(names)}, not '{fields[key]}'")
    if (fields["id_order"], fields["alphabet"]) == ("gpt2", "utf8"):
        raise ModelFormatError("id_order 'gpt2' is for alphabet 'bytes' only")
    _check_cutting(fields)
    if fields["rules"] == "incremental" and fields["algorithm"] != "bpe":
        raise ModelFormatError("rules 'incremental' are for algorithm 'bpe' only")
    found = fields["rules"], fields["alphabet"]
    if fields.get("scheme") == "none" and found != ("incremental", "bytes"):
        raise ModelFormatError("scheme 'none' is for rules 'incremental' and alphabet 'bytes' only")
    _check_deletions(fields)
    _check_ngrams(fields)
    if fields["unicode"] != UNICODE_VERSION and not any_unicode:
        raise ModelFormatError(
            f"the model was made with Unicode {fields['unicode']}, this program has "
            f"{UNICODE_VERSION} and may cut texts differently: any_unicode=True loads it "
            "all the same"
        )
    values = {**dict.fromkeys(_OPTIONAL), **fields, "ops": ()}
    model = Model(**{name: values[name] for name in Model._fields})  # type: ignore[arg-type]
    scripts = None if model.scripts is None else tuple(model.scripts)
    model = model._replace(special_tokens=tuple(model.special_tokens), scripts=scripts)
    check_special_tokens(model.special_tokens)
    if model.special_ids is not None:
        special_ids = read_special_ids(map(str, model.special_ids), len(model.special_tokens))
        model = model._replace(special_ids=special_ids)
    n_ops = fields["ops"]
    assert isinstance(n_ops, int)  # checked above
    if n_ops > MAX_OPS:
        raise ModelFormatError("a model has at most 2^31 - 1 ops")
    return model, n_ops


def _check_cutting(fields: dict[str, Value]) -> None:
    """Check which keys stand together, and that the patterns can be used."""
    if ("scheme" in fields) == ("pattern" in fields):
        raise ModelFormatError("exactly one of the keys 'scheme' and 'pattern' must be there")
    if ("script_pattern" in fields) != ("scripts" in fields):
        raise ModelFormatError("the keys 'script_pattern' and 'scripts' must stand together")
    if "script_pattern" in fields and "pattern" not in fields:
        raise ModelFormatError("the key 'script_pattern' must stand beside 'pattern'")
    scripts = fields.get("scripts")
    if scripts is not None:
        names = list(scripts)  # type: ignore[arg-type]  # the types have been checked
        if not names or names != sorted(set(names)):
            raise ModelFormatError("scripts must be names in ascending order, one at least")
        fields["scripts"] = tuple(names)
    values = {key: fields.get(key) for key in Cutting._fields}
    check_cutting(Cutting(**values))  # type: ignore[arg-type]


def _check_deletions(fields: dict[str, Value]) -> None:
    tau, blow_up = fields.get("tau"), fields.get("blow_up")
    if tau is None and blow_up is None:
        return
    if tau is None or blow_up is None:
        raise ModelFormatError("the keys 'blow_up' and 'tau' must stand together")
    if blow_up not in BLOW_UPS:
        raise ModelFormatError(f"blow_up must be one of {', '.join(BLOW_UPS)}, not '{blow_up}'")
    match = _TAU.fullmatch(str(tau))
    part, whole = (int(match[1]), int(match[2])) if match else (1, 0)
    if not part <= whole <= MAX_COUNT or math.gcd(part, whole) > 1:
        raise ModelFormatError(
            f"tau must be a reduced fraction above 0 and at most 1, as 9/10, not '{tau}'"
        )
    if fields["rules"] != "superword":
        raise ModelFormatError("tau is for rules 'superword' only")


def _check_ngrams(fields: dict[str, Value]) -> None:
    """Both keys of n-gram splitting or neither, and not for an algorithm without candidates."""
    found = [key for key in _NGRAMS if key in fields]
    if found and len(found) < len(_NGRAMS):
        raise ModelFormatError("'ngram_floor' and 'ngram_max_length' stand together or not at all")
    if found and fields["algorithm"] == "bpe":
        raise ModelFormatError("n-gram splitting is for algorithms 'superbpe' and 'boundless' only")
    for key in found:
        value = fields[key]
        if isinstance(value, int) and value < _NGRAMS[key]:
            raise ModelFormatError(f"'{key}' must be at least {_NGRAMS[key]}, not {value}")


def _type(value: Value) -> str:
    if isinstance(value, str):
        return _STRING
    return _NUMBER if isinstance(value, int) else _STRINGS


def _op(line: bytes, model: Model, last: Op | None, vocabulary: Vocabulary) -> Op:
    """The op of a line; `last` is the op before it."""
    parts = line.split(b" ")
    if parts[0] == b"d":
        return _delete(parts[1:], model, last, vocabulary)
    kind = _KINDS.get(parts[0])
    numbers = [number for part in parts[1:] if (number := parse_number(part)) is not None]
    if kind is None or len(parts) != 4 or len(numbers) != 3:
        raise ModelFormatError(_NO_OP)
    left, right, count = numbers
    if kind == "supermerge" and model.algorithm == "bpe":
        raise ModelFormatError("a model of algorithm 'bpe' has no supermerges")
    is_after_supermerge = last is not None and last.kind == "supermerge"
    if kind == "merge" and is_after_supermerge and model.algorithm == "superbpe":
        raise ModelFormatError("in a model of algorithm 'superbpe' no merge follows a supermerge")
    if count > MAX_COUNT:
        raise ModelFormatError("the count is above 2^63 - 1")
    new = vocabulary.make_checked(left, right, kind)
    if len(vocabulary) + len(model.special_tokens) > MAX_IDS:
        raise ModelFormatError("there are more than 2^31 - 1 tokens")
    return Op(kind, left, right, new, count)


def _delete(parts: list[bytes], model: Model, last: Op | None, vocabulary: Vocabulary) -> Op:
    """The op of a line that starts with d."""
    token = parse_number(parts[0]) if len(parts) == 1 else None
    if token is None:
        raise ModelFormatError(_NO_OP)
    if model.tau is None:
        raise ModelFormatError("a model without tau has no deletes")
    if last is not None and last.kind == "delete" and last.new == token:
        raise ModelFormatError("the delete repeats the op before it")
    if last is not None and last.kind == "supermerge" and model.algorithm == "superbpe":
        raise ModelFormatError("in a model of algorithm 'superbpe' no delete follows a supermerge")
    vocabulary.delete_checked(token)
    return Op("delete", token, token, token, 0)
