"""From texts to token ids and back (SPEC 9)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from superword.errors import EncodingError, PatternTooExpensiveError, of_item
from superword.model import Model, Op
from superword.reference.bridges import bridges_of_ops
from superword.reference.deletions import RegularOps
from superword.reference.final_ids import FinalIds, final_order
from superword.reference.model_file import model_from_bytes
from superword.reference.offsets import Offsets, offsets_of_lengths
from superword.reference.pattern_steps import Steps
from superword.reference.pretokenize import pretokenizer_of
from superword.reference.replay import encode_run, pairs_of_ops
from superword.reference.safe_prefix import (
    Joins,
    continuing_tokens,
    joins_of_ops,
    safe_length,
)
from superword.reference.single_tokens import SingleTokens
from superword.reference.special_tokens import Gate, SpecialTokens, check_special_ids
from superword.reference.vocabulary import alphabet_tokens, vocabulary_of_ops

#: The longest text (SPEC 1).
MAX_TEXT_BYTES = 2**32 - 1

# The vocabulary shortcut: pretokens and runs up to these lengths are remembered, this many of each
# at a time.
_KNOWN_PRETOKEN_BYTES = 128
_KNOWN_RUN_TOKENS = 32
_KNOWN = 1 << 16

_Key = TypeVar("_Key")

# What `surrogateescape` makes of the bytes that are no UTF-8, one character each.
_STRAY_BYTE = re.compile("([\udc80-\udcff])")


class Encoder:
    r"""A model, ready to encode and decode. It never changes: threads may share it.

    >>> model = Model("bpe", "bytes", "superword", "gpt2", "creation", ["<s>"], "17.0.0", None,
    ...               None, None, r"\p{L}", None, None, None, None, 1, 2, 1, 1,
    ...               [Op("merge", 97, 98, 256, 1)])
    >>> encoder = Encoder(model)
    >>> encoder.encode("abc<s>", [0])
    [256, 99, 257]
    >>> encoder.decode_bytes([256, 99, 257])
    b'abc<s>'
    """

    def __init__(self, model: Model, shortcut: bool = True) -> None:
        """Prepare a model.

        Args:
            model: the model; its ops must agree with their bytes.
            shortcut: remember how pretokens end; the results are the same without.

        Raises:
            ModelFormatError: an op names a token that does not exist, or makes another than it
                says.
            SettingsError: the special tokens cannot be used.
        """
        model = Model(*model)
        self._pretokenizer = pretokenizer_of(model.cutting)
        self._alphabet = model.alphabet
        self._ops = list(map(Op._make, model.ops))
        self._special = list(model.special_tokens)
        self._splitter = SpecialTokens(self._special)
        if model.special_ids is not None:
            check_special_ids(model.special_ids, len(self._special))
        vocabulary = vocabulary_of_ops(self._ops, model.alphabet)
        self._tokens = vocabulary.tokens  # by creation number, as all up to `_ids`
        self._numbers = vocabulary.numbers
        alphabet = alphabet_tokens(model.alphabet)
        self._byte_tokens = {token[0]: number for number, token in enumerate(alphabet)}
        self._regular = RegularOps(self._ops, vocabulary, model.blow_up, model.alphabet == "bytes")
        self._single_tokens = SingleTokens(self._regular.merges, len(alphabet))
        self._supermerges = pairs_of_ops(self._ops, "supermerge")
        self._bridges = bridges_of_ops(self._ops)
        parts = self._supermerges if self._bridges is None else self._bridges
        self._super_parts = {part for pair in parts for part in pair}
        order = final_order(self._ops, len(self._tokens), model.id_order)
        self._ids = [0] * len(self._tokens)  # (what is deleted has none)
        final = FinalIds(len(order), len(self._special), model.special_ids)
        for token_id, token in zip(final.ordinary, order, strict=True):
            self._ids[token] = token_id
        self._ordinary = {self._ids[token]: self._tokens[token] for token in order}
        special = map(str.encode, self._special)
        self._special_ids = final.special
        self._by_id = {**self._ordinary, **dict(zip(final.special, special, strict=True))}
        self._last_id = final.last
        self._deleted = vocabulary.deleted
        superwords = {op.new for op in self._ops if op.kind == "supermerge"} - self._deleted
        self._superword_ids = {self._ids[token] for token in superwords}
        # What pretokens and runs became; nothing is ever added without the shortcut.
        self._remembers = shortcut
        self._known_pretokens: dict[str, Sequence[int]] = {}
        self._known_runs: dict[tuple[int, ...], Sequence[int]] = {}

    @property
    def vocab_size(self) -> int:
        """How many ordinary tokens there are."""
        return len(self._ordinary)

    @property
    def op_counts(self) -> tuple[int, int, int, int]:
        """How many merges and supermerges, how many tokens these make, how many deletes."""
        merges, supermerges, deletes = (
            sum(op.kind == kind for op in self._ops) for kind in ("merge", "supermerge", "delete")
        )
        return merges, supermerges, len(self._superword_ids), deletes

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a token; raises EncodingError if there is no such id."""
        return self._by_id[self._check_id(token_id, "")]

    def token_id(self, token: bytes) -> int | None:
        """The id of the token with these bytes, an ordinary one before a special one."""
        number = self._numbers.get(token)
        if number is not None and number not in self._deleted:
            return self._ids[number]
        for index, special in enumerate(self._special):
            if special.encode() == token:
                return self._special_ids[index]
        return None

    def is_superword(self, token_id: int) -> bool:
        """Whether some supermerge makes the token; raises EncodingError if there is no such id."""
        return self._check_id(token_id, "") in self._superword_ids

    def op_tokens(self) -> list[tuple[str, bytes, bytes, bytes, int]]:
        """The ops as (kind, left, right, new, count) with the bytes of their tokens."""
        tokens = self._tokens
        return [
            (kind, tokens[left], tokens[right], tokens[new], count)
            for kind, left, right, new, count in self._ops
        ]

    def encode(self, text: str, allowed: Sequence[int] | None) -> list[int]:
        """The ids of a text.

        Args:
            text: any text without lone surrogates, at most 2^32 - 1 bytes in UTF-8.
            allowed: indices of the special tokens that are recognized, any other in the text is
                an error; None: special tokens are plain text.

        Returns:
            Final ids.

        Raises:
            EncodingError: the text holds a special token that is not allowed, or is too long.

        Source: SPEC 9.
        """
        gate = Gate(self._special, self._splitter, allowed)
        return self._encode(text, gate, Steps(len(text)))

    def encode_bytes(self, data: bytes, allowed: Sequence[int] | None) -> list[int]:
        """The ids of bytes: what is UTF-8 as texts, every other byte as its single-byte token.

        Args:
            data: any bytes, at most 2^32 - 1.
            allowed: as for `encode`.

        Returns:
            Final ids; `decode_bytes` gives the data back.

        Raises:
            EncodingError: the model has not all bytes in its alphabet, or as for `encode`.

        Source: SPEC 9.
        """
        if self._alphabet != "bytes":
            raise EncodingError(
                f"bytes can be encoded only with alphabet 'bytes', this model has "
                f"'{self._alphabet}': encode text"
            )
        _check_length(data)
        gate = Gate(self._special, self._splitter, allowed)
        ids: list[int] = []
        start = 0
        # A split at a group gives texts and stray bytes in turn.
        text = data.decode("utf-8", "surrogateescape")
        steps = Steps(len(text))
        for index, part in enumerate(_STRAY_BYTE.split(text)):
            if index % 2:
                ids.append(self._ids[ord(part) - 0xDC00])
                start += 1
            else:
                ids += self._encode(part, gate, steps, start, _utf8_length)
                start += _utf8_length(part)
        return ids

    def encode_batch(
        self, texts: Sequence[str], allowed: Sequence[int] | None, threads: int
    ) -> list[list[int]]:
        """The ids of several texts, in their order.

        Args:
            texts: the texts.
            allowed: as for `encode`.
            threads: for the compiled backend; this one uses one whatever is asked for.

        Returns:
            A list of final ids for each text.

        Raises:
            EncodingError: the first text that cannot be encoded, named by its index.

        Source: SPEC 9.
        """
        gate = Gate(self._special, self._splitter, allowed)
        out = []
        for index, text in enumerate(texts):
            try:
                out.append(self._encode(text, gate, Steps(len(text))))
            except (EncodingError, PatternTooExpensiveError) as error:
                raise of_item(error, index, f"text {index}: ") from None
        return out

    def encode_flat(
        self, texts: Sequence[str], allowed: Sequence[int] | None, threads: int
    ) -> tuple[bytearray, bytearray]:
        """The ids of several texts without an object for each.

        Args, errors: as for `encode_batch`.

        Returns:
            All ids behind each other, 4 bytes each, and how many there are before the first text
            and behind each one, 8 bytes each, in the byte order of the machine.
        """
        ids, offsets = array("I"), array("Q", [0])
        for text_ids in self.encode_batch(texts, allowed, threads):
            ids.extend(text_ids)
            offsets.append(len(ids))
        return bytearray(ids.tobytes()), bytearray(offsets.tobytes())

    def encode_offsets(
        self, text: str, allowed: Sequence[int] | None
    ) -> tuple[list[int], Offsets, Offsets]:
        """The ids of a text, and where each stands in it, in bytes and in characters.

        Args, errors: as for `encode`.
        """
        return self._with_offsets(self.encode(text, allowed), text.encode())

    def encode_bytes_offsets(
        self, data: bytes, allowed: Sequence[int] | None
    ) -> tuple[list[int], Offsets, Offsets]:
        """As `encode_offsets`, of bytes; args, errors as for `encode_bytes`."""
        return self._with_offsets(self.encode_bytes(data, allowed), data)

    def _with_offsets(self, ids: list[int], data: bytes) -> tuple[list[int], Offsets, Offsets]:
        return ids, *offsets_of_lengths(data, [len(self._by_id[token_id]) for token_id in ids])

    def count(self, text: str, allowed: Sequence[int] | None) -> int:
        """How many ids a text has; args, errors as for `encode`."""
        return len(self.encode(text, allowed))

    def count_bytes(self, data: bytes, allowed: Sequence[int] | None) -> int:
        """How many ids bytes have; args, errors as for `encode_bytes`."""
        return len(self.encode_bytes(data, allowed))

    def count_batch(
        self, texts: Sequence[str], allowed: Sequence[int] | None, threads: int
    ) -> list[int]:
        """How many ids each of several texts has; args, errors as for `encode_batch`."""
        return list(map(len, self.encode_batch(texts, allowed, threads)))

    def safe_prefix(self, text: str, allowed: Sequence[int] | None) -> tuple[list[int], str]:
        """The ids with which the ids of every longer text begin, and what is left of the text.

        Args, errors: as for `encode`.
        """
        gate = Gate(self._special, self._splitter, allowed)
        ids = self.encode(text, allowed)
        names = [self._special[index] for index in gate.allowed]
        length = safe_length(text, names, gate.cut, self._pretokenizer, self._numbers, self._joins)
        count = at = 0
        while at < length:
            at += len(self._by_id[ids[count]])
            count += 1
        return ids[:count], text.encode()[length:].decode()

    @cached_property
    def _joins(self) -> Joins:
        return joins_of_ops(self._ops)

    def next_tokens(self, rest: bytes) -> list[int]:
        """The ids of the ordinary tokens that agree with a text as far as both go."""
        return continuing_tokens(rest, self._ordinary)

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes of the tokens, one after the other; raises EncodingError at an unknown id."""
        by_id = self._by_id
        return b"".join(
            [by_id[self._check_id(i, f" at position {place}")] for place, i in enumerate(ids)]
        )

    def _check_id(self, token_id: int, where: str) -> int:
        if token_id not in self._by_id:
            raise EncodingError(
                f"id {token_id}{where} is not in the vocabulary (ids are 0 to {self._last_id})"
            )
        return token_id

    def _encode(
        self,
        text: str,
        gate: Gate,
        steps: Steps,
        start: int = 0,
        length: Callable[[str], int] = len,
    ) -> list[int]:
        """The ids of a text that stands at `start`, in the units in which `length` measures.

        `steps` are what the text of the call has left for patterns.
        """
        _check_length(text.encode())
        ids: list[int] = []
        at = start
        for part, index in gate.cut.split(text):
            if index is None:
                found = gate.find_refused(part)
                if found is not None:
                    token, offset = found
                    raise EncodingError(
                        f"special token '{token}' at position "
                        f"{at + length(part[:offset])} is not allowed: name it in "
                        f"allowed_special, or use encode_ordinary to take it as plain text"
                    )
                tokens = self._encode_ordinary(part, steps, at, length)
                ids += map(self._ids.__getitem__, tokens)
            else:
                ids.append(self._special_ids[gate.allowed[index]])
            at += length(part)
        return ids

    def _encode_ordinary(
        self, text: str, steps: Steps, start: int, length: Callable[[str], int]
    ) -> list[int]:
        """The tokens of a text without special tokens, as creation numbers."""
        out: list[int] = []
        run: list[int] = []
        bridges, super_parts, known = self._bridges, self._super_parts, self._known_pretokens
        for pretoken in self._pretokenizer.pieces(text, steps, start, length):
            tokens = known.get(pretoken) or self._encode_pretoken(pretoken)
            if len(tokens) == 1 and tokens[0] in super_parts:
                if run and bridges is not None and (run[-1], tokens[0]) not in bridges:
                    out += self._encode_run(run)
                    run = []
                run += tokens
                continue
            if run:
                out += self._encode_run(run)
                run = []
            out += tokens
        out += self._encode_run(run)
        return out

    def _encode_run(self, run: Sequence[int]) -> Sequence[int]:
        if len(run) < 2:
            return run
        key = tuple(run)
        known = self._known_runs.get(key)
        if known is not None:
            return known
        # A superword whose bytes were deleted is outside the vocabulary, too.
        tokens = self._regular.expand(encode_run(run, self._supermerges))
        if self._remembers and len(run) <= _KNOWN_RUN_TOKENS:
            _remember(self._known_runs, key, tokens)
        return tokens

    def _encode_pretoken(self, pretoken: str) -> Sequence[int]:
        data = pretoken.encode()
        is_short = self._remembers and len(data) <= _KNOWN_PRETOKEN_BYTES
        token = self._numbers.get(data, -1) if is_short else -1
        if self._single_tokens.has(token):
            tokens = [token]
        else:
            tokens = self._regular.encode([self._byte_tokens[byte] for byte in data])
        if is_short:
            _remember(self._known_pretokens, pretoken, tokens)
        return tokens


def _remember(known: dict[_Key, Sequence[int]], key: _Key, tokens: Sequence[int]) -> None:
    if len(known) >= _KNOWN:  # another thread may fill it meanwhile: no harm
        known.clear()
    known[key] = tokens


def _check_length(data: bytes) -> None:
    if len(data) > MAX_TEXT_BYTES:
        raise EncodingError("a text has at most 2^32 - 1 bytes: cut it at a place of your choice")


def _utf8_length(text: str) -> int:
    return len(text.encode())


def load_model(
    data: bytes,
    any_unicode: bool = False,
    max_token_bytes: int | None = None,
    max_total_bytes: int | None = None,
) -> tuple[Encoder, Model]:
    r"""The encoder of a model file, and the model with its ops left out.

    Args, errors: as for `model_from_bytes` and `Encoder`.

    >>> from superword.reference.model_file import model_to_bytes
    >>> model = Model("bpe", "bytes", "superword", "gpt2", "creation", [], "17.0.0", None, None,
    ...               None, r"\p{L}", None, None, None, None, 1, 2, 1, 1,
    ...               [Op("merge", 97, 98, 256, 1)])
    >>> encoder, rest = load_model(model_to_bytes(model))
    >>> encoder.op_counts, rest.ops
    ((1, 0, 0, 0), ())
    """
    model = model_from_bytes(data, any_unicode, max_token_bytes, max_total_bytes)
    return Encoder(model), model._replace(ops=())
