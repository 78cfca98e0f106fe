"""Published files of version 2: as rows, and back to the same bytes (SPEC 10, 13).

What the rows mean together is for `published_model`; here each line is checked by itself.
"""

from __future__ import annotations

from superword.errors import ModelFormatError, SettingsError
from superword.model import Published, PublishedOps
from superword.reference.published_configuration import configuration_from_line
from superword.reference.published_lines import (
    Lines,
    check_published_special_tokens,
    escape_token,
)

_HEADER = "BoundlessBPE v2 "
_KINDS = ("word", "boundless", "superbpe")


def published_from_bytes(data: bytes) -> Published:
    r"""Read a published file of version 2.

    Args:
        data: the bytes of the file.

    Returns:
        Its rows.

    Raises:
        ModelFormatError: a line is not what such a file has, with its number and its section.

    >>> published_from_bytes(b"BoundlessBPE v2 tree\n")
    Traceback (most recent call last):
    ...
    superword.errors.ModelFormatError: line 1, header: the kind must be word, boundless or superbpe

    Source: golden files, FORMAT.
    """
    lines = Lines(data)
    header = lines.next()
    if header.startswith("\ufeff"):
        lines.fail("the line starts with a byte order mark: remove these three bytes")
    if not header.startswith(_HEADER):
        lines.fail("the line must begin with 'BoundlessBPE v2', the one version that is read")
    kind = header.removeprefix(_HEADER)
    if kind.endswith("\r"):
        lines.fail("the line ends in a carriage return: every line must end in a line feed alone")
    if kind not in _KINDS:
        lines.fail("the kind must be word, boundless or superbpe")
    lines.section = "vocabulary"
    lines.title("vocabulary")
    vocabulary = []
    for number in range(lines.announced()):
        token_id, token, count, is_super = lines.row("ID TOKEN COUNT IS_SUPER")
        lines.numbered("ID", token_id, number)
        row = lines.token(token), lines.integer("COUNT", count), lines.flag("IS_SUPER", is_super)
        vocabulary.append(row)
    lines.section = "special_tokens"
    lines.title("special_tokens")
    special = lines.special_tokens(len(vocabulary))
    words = _ops_from_lines(lines, "words")
    superwords = None if kind == "word" else _ops_from_lines(lines, "superwords")
    lines.end()
    return Published(kind, vocabulary, special, words, superwords)


def _ops_from_lines(lines: Lines, section: str) -> PublishedOps:
    lines.section = section
    lines.title(section)
    configuration = lines.next()
    try:
        configuration_from_line(configuration)
    except ModelFormatError as error:
        lines.fail(str(error))
    lines.section = f"{section} merges"
    lines.title("merges")
    merges: list[tuple[int, bytes, bytes, int, bool]] = []
    for _ in range(lines.announced()):
        index, left, right, count, flag = lines.row("INDEX LEFT RIGHT COUNT FLAG")
        number = lines.integer("INDEX", index)
        if merges and number <= merges[-1][0]:
            lines.fail("INDEX must be above that of the line before")
        tokens = lines.token(left), lines.token(right)
        merges.append((number, *tokens, lines.integer("COUNT", count), lines.flag("FLAG", flag)))
    lines.section = f"{section} deletions"
    lines.title("deletions")
    announced = lines.announced()
    if section == "superwords" and announced:
        lines.fail("no superword is ever deleted: the number must be 0")
    deletions: list[tuple[int, bytes]] = []
    for _ in range(announced):
        index, token = lines.row("INDEX TOKEN")
        number = lines.integer("INDEX", index)
        if deletions and number <= deletions[-1][0]:
            lines.fail("INDEX must be above that of the line before")
        deletions.append((number, lines.token(token)))
    return PublishedOps(configuration, merges, deletions)


def published_to_bytes(published: Published) -> bytes:
    r"""The bytes of a published file of version 2.

    Args:
        published: its rows.

    Returns:
        The file; of what `published_from_bytes` read, the same bytes.

    Raises:
        ModelFormatError: a special token would not be read back.

    >>> words = PublishedOps("{}", [(0, b"a", b"b", 3, True)], [])
    >>> rows = Published("word", [(b"ab", 3, False)], ["<s>"], words, None)
    >>> published_to_bytes(rows).decode().split("\n")[3:7]
    ['0 ab 3 0', 'special_tokens', '1', '1 <s>']

    Source: golden files, FORMAT.
    """
    kind, vocabulary, special, words, superwords = published
    try:
        check_published_special_tokens(special)
    except SettingsError as error:
        raise ModelFormatError(str(error)) from None
    lines = [f"{_HEADER}{kind}", "vocabulary", str(len(vocabulary))]
    for number, (token, count, is_super) in enumerate(vocabulary):
        lines.append(f"{number} {escape_token(token)} {count} {int(is_super)}")
    lines += ["special_tokens", str(len(special))]
    lines += [f"{len(vocabulary) + number} {token}" for number, token in enumerate(special)]
    for title, section in (("words", words), ("superwords", superwords)):
        if section is None:
            continue
        configuration, merges, deletions = section
        lines += [title, configuration, "merges", str(len(merges))]
        for index, left, right, count, flag in merges:
            lines.append(f"{index} {escape_token(left)} {escape_token(right)} {count} {int(flag)}")
        lines += ["deletions", str(len(deletions))]
        lines += [f"{index} {escape_token(token)}" for index, token in deletions]
    return "".join([f"{line}\n" for line in lines]).encode()
