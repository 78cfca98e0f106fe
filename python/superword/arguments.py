"""What users hand to a tokenizer, checked: paths, texts, special tokens, ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any

from superword.errors import (
    EncodingError,
    EncodingTypeError,
    SettingsError,
    SettingsTypeError,
    SuperwordError,
    of_item,
)
from superword.values import (
    BYTES,
    any_integer,
    as_bytes,
    as_path,
    as_text,
    is_iterable,
    printable,
    type_name,
)

_ERRORS = ("replace", "strict", "ignore")


def path(value: object) -> str:
    """The path of a model file as str."""
    name = as_path(value)
    if name is None:
        raise SettingsTypeError(f"path must be a str or PathLike, not {type_name(value)}")
    if not name or "\0" in name:
        raise SettingsError(f"path must not {'have a NUL character' if name else 'be empty'}")
    return name


def model_data(value: object) -> bytes:
    """The bytes of a model file, from any object that holds bytes."""
    data = as_bytes(value)
    if data is None:
        raise SettingsTypeError(f"data must be bytes, not {type_name(value)}")
    return data


def flag(name: str, value: object) -> bool:
    """A bool and nothing else."""
    if type(value) is not bool:
        raise SettingsTypeError(f"{name} must be True or False, not {type_name(value)}")
    return value


def errors(value: object) -> str:
    """How `decode` treats what is no UTF-8."""
    name = as_text(value)
    if name is None:
        raise EncodingTypeError(f"errors must be a string, not {type_name(value)}")
    if name not in _ERRORS:
        raise EncodingError(f"errors must be one of {', '.join(_ERRORS)}, not '{printable(name)}'")
    return name


def allowed_special(value: object, special: Mapping[str, int]) -> list[int]:
    """Which special tokens a call allows, as their numbers in declared order."""
    text = as_text(value)
    if text is not None:
        if text == "all":
            return list(range(len(special)))
        raise EncodingTypeError(
            "allowed_special must be 'all' or a collection of special tokens, not one str; "
            "put it in a list: [token]"
        )
    if isinstance(value, BYTES) or not isinstance(value, Collection):
        raise EncodingTypeError(
            "allowed_special must be 'all' or a collection of special tokens, "
            f"not {type_name(value)}"
        )
    found = set()
    for item in value:
        token = as_text(item)
        if token is None:
            raise EncodingTypeError(f"allowed_special must hold strings, not {type_name(item)}")
        if token not in special:
            raise EncodingError(
                f"allowed_special: '{printable(token)}' is no special token of this model"
            )
        found.add(special[token])
    in_order = list(special.values())  # (ascending)
    return [bisect_left(in_order, token_id) for token_id in sorted(found)]


def texts(value: object) -> tuple[list[str], SuperwordError | None]:
    """The texts of a batch up to the first item that is none, and the error for that one."""
    if isinstance(value, (str, *BYTES)) or not is_iterable(value):
        raise EncodingTypeError(f"texts must be an iterable of strings, not {type_name(value)}")
    items = list(value)
    if set(map(type, items)) <= {str}:  # one pass in C decides the usual case
        return items, None
    batch: list[str] = []
    for number, item in enumerate(items):
        text = as_text(item)
        if text is None:
            error = EncodingTypeError(f"must be a str, not {type_name(item)}")
            return batch, of_item(error, number, f"text {number}: ")
        batch.append(text)
    return batch, None


def utf8(text: str) -> bytes:
    """The UTF-8 of a text without lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise surrogate_error(text) from None


def surrogate_error(text: str) -> EncodingError:
    """The error for the first lone surrogate of a text."""
    position = next(i for i, char in enumerate(text) if "\ud800" <= char <= "\udfff")
    return EncodingError(
        f"the text has a lone surrogate at character {position}; replace it, for example with "
        "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
    )


def id_lists(value: object) -> Iterable[Any]:
    """The items of a batch of ids."""
    if isinstance(value, (str, *BYTES)) or not is_iterable(value):
        raise EncodingTypeError(
            f"batch must be an iterable of sequences of ids, not {type_name(value)}"
        )
    return value


def ids(value: object, total: int) -> list[int]:
    """The ids as plain ints, each of them from 0 to total - 1."""
    # A set has no order and a dict is no list of its keys: their text would be luck.
    if isinstance(value, (str, bytes, bytearray, Set, Mapping)):
        raise EncodingTypeError(f"ids must be a sequence of integers, not {type_name(value)}")
    # Arrays of numbers (numpy, array, tensors) give plain ints so, at once.
    to_list = getattr(value, "tolist", None)
    numbers = to_list() if callable(to_list) else value
    if not is_iterable(numbers):
        raise EncodingTypeError(f"ids must be a sequence of integers, not {type_name(value)}")
    result = list(numbers)
    # One pass in C decides the usual case; only what is wrong or rare is looked at one by one.
    if not set(map(type, result)) <= {int}:
        result = [
            any_integer(f"the id at position {place}", item, EncodingTypeError)
            for place, item in enumerate(result)
        ]
    if result and not (min(result) >= 0 and max(result) < total):
        place = next(i for i, number in enumerate(result) if not 0 <= number < total)
        raise _outside(result[place], f" at position {place}", total)
    return result


def id_or_ids(value: object, total: int) -> list[int]:
    """One id, or several, as plain ints from 0 to total - 1."""
    if type(value) is int:
        return [token_id(value, total)]
    # Scalars of arrays and tensors give plain ints in the way in which whole ones do.
    to_list = getattr(value, "tolist", None)
    plain = to_list() if callable(to_list) else value
    if hasattr(plain, "__index__") and not is_iterable(plain):
        return [token_id(plain, total)]
    return ids(plain, total)


def token_id(value: object, total: int) -> int:
    """One id as plain int from 0 to total - 1."""
    number = any_integer("the id", value, EncodingTypeError)
    if not 0 <= number < total:
        raise _outside(number, "", total)
    return number


def decode_text(data: bytes, errors: str) -> str:
    """Bytes as text."""
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise EncodingError(
            f"the ids give no valid UTF-8: byte {error.start} of {len(data)} is wrong; "
            "use decode_bytes, or errors='replace'"
        ) from None


def _outside(number: int, where: str, total: int) -> EncodingError:
    # The text is that of the backends; a huge int could not even be printed.
    shown = f"id {number}" if abs(number) < 10**30 else "the id"
    return EncodingError(f"{shown}{where} is not in the vocabulary (ids are 0 to {total - 1})")
