"""JSON files from elsewhere, read strictly: each key once, no NaN, text that is text."""

from __future__ import annotations

import json
from typing import Any

from superword.errors import ModelFormatError
from superword.foreign.vocabulary import shown

#: The largest file that is read: many times that of any in use.
MAX_BYTES = 1 << 28


def parsed(data: bytes) -> Any:
    """The value that a JSON file holds.

    Raises `ModelFormatError` for what is no JSON by RFC 8259, for a key that is there twice in one
    object, for a number that is none, and for what is nested too deep.

    >>> parsed(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    superword.errors.ModelFormatError: the key 'a' is there twice in one object
    """
    if len(data) > MAX_BYTES:
        raise ModelFormatError(f"the file has more than {MAX_BYTES} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"byte {error.start} is no UTF-8") from None
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except ModelFormatError:
        raise
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ModelFormatError(f"this is no JSON: {where}") from None
    except UnicodeEncodeError:
        raise ModelFormatError("an escape in the JSON is half a character (a surrogate)") from None
    except RecursionError:
        raise ModelFormatError("the JSON is nested too deep") from None
    except ValueError:  # thousands of digits
        raise ModelFormatError("this is no JSON that can be read: a number is too long") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ModelFormatError(f"the key {shown(key)} is there twice in one object")
            seen.add(key)
    return found


def _no_number(name: str) -> Any:
    raise ModelFormatError(f"JSON has no {name}")
