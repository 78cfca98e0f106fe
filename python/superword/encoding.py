"""The half of a `Tokenizer` that makes ids of texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from superword import _backend, arguments
from superword.encoded import OffsetEncoding
from superword.errors import EncodingTypeError, SuperwordError, of_item
from superword.progress import StageClock, resolve_progress
from superword.settings import one_of, resolve_threads
from superword.token_arrays import OUTPUTS, TokenArrays, as_arrow, as_numpy, package
from superword.values import BytesLike, as_bytes, as_text, type_name

if TYPE_CHECKING:
    import pyarrow

    from superword._backend import Encoder
    from superword.encode_files import EncodedFile, Job

Allowed = Literal["all"] | Collection[str]
Path = str | os.PathLike[str]
_T = TypeVar("_T")


class Encoding:
    """What a `Tokenizer` does with texts."""

    __slots__ = ()
    _backend: str
    _data: bytes
    _encoder: Encoder
    _special: dict[str, int]

    if TYPE_CHECKING:

        def __len__(self) -> int: ...

    def encode(self, text: str | BytesLike, allowed_special: Allowed = ()) -> list[int]:
        """The ids of a text, or of bytes of any kind.

        Args:
            text: a str, or bytes (also bytearray, memoryview): their UTF-8 stretches as text,
                every other byte by itself.
            allowed_special: the special tokens that become their ids, or "all"; any other that
                stands in the text is an error, so that no untrusted text makes one.

        Raises:
            EncodingError: a special token stands in the text and is not allowed, or the text has
                a lone surrogate; the text of the error names the position.
            PatternTooExpensiveError: a custom pattern takes too many steps on the text; the
                position, too, counts from the beginning of the text (of bytes in bytes).

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.encode("to be")
        [116, 111, 257]
        >>> tokenizer.decode_bytes(tokenizer.encode(b"\\xff be"))
        b'\\xff be'

        Source: SPEC section 9.
        """
        return self._encode(text, arguments.allowed_special(allowed_special, self._special))

    def encode_ordinary(self, text: str | BytesLike) -> list[int]:
        """The ids of a text in which special tokens are plain text.

        >>> import superword
        >>> tokenizer = superword.train(["to be"], vocab_size=256, special_tokens=["be"])
        >>> tokenizer.encode_ordinary("be")
        [98, 101]
        """
        return self._encode(text, None)

    @overload
    def encode_batch(
        self,
        texts: Iterable[str],
        allowed_special: Allowed = (),
        threads: int | None = None,
        output: Literal["lists"] = "lists",
    ) -> list[list[int]]: ...

    @overload
    def encode_batch(
        self,
        texts: Iterable[str],
        allowed_special: Allowed = (),
        threads: int | None = None,
        *,
        output: Literal["numpy"],
    ) -> TokenArrays: ...

    @overload
    def encode_batch(
        self,
        texts: Iterable[str],
        allowed_special: Allowed = (),
        threads: int | None = None,
        *,
        output: Literal["arrow"],
    ) -> pyarrow.LargeListArray: ...

    def encode_batch(
        self,
        texts: Iterable[str],
        allowed_special: Allowed = (),
        threads: int | None = None,
        output: Literal["lists", "numpy", "arrow"] = "lists",
    ) -> Any:
        """The ids of each text, as `encode` gives them, computed in threads.

        Args:
            texts: any iterable of str.
            allowed_special: as in `encode`.
            threads: None for SUPERWORD_THREADS or else all CPUs this process may use.
            output: "lists"; "numpy": a named tuple `(ids, offsets)` of one array of uint32 and one
                of int64, where `ids[offsets[i] : offsets[i + 1]]` are those of text i; "arrow": a
                `pyarrow.LargeListArray` of uint32. These two make no object for a token; they need
                the package, `pip install superword[numpy]` or `superword[arrow]`.

        Raises:
            EncodingError, PatternTooExpensiveError: as `encode`; the error names the text.
            SettingsError: the package that `output` needs is not installed.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.encode_batch(["to be", " be"])
        [[116, 111, 257], [257]]
        >>> ids, offsets = tokenizer.encode_batch(["to be", " be"], output="numpy")
        >>> ids.tolist(), offsets.tolist()
        ([116, 111, 257, 257], [0, 3, 4])
        """
        form = one_of("output", output, OUTPUTS)
        needed = None if form == "lists" else package(form, f"output '{form}'")
        allowed = arguments.allowed_special(allowed_special, self._special)
        count = resolve_threads(threads)
        if form == "lists":
            return self._batch(self._encoder.encode_batch, texts, allowed, count)
        found = self._batch(self._encoder.encode_flat, texts, allowed, count)
        return (as_numpy if form == "numpy" else as_arrow)(needed, found)

    def encode_with_offsets(
        self, text: str | BytesLike, allowed_special: Allowed = ()
    ) -> OffsetEncoding:
        """The ids of a text, and where each of them stands in it.

        `byte_offsets` are (start, end) in the bytes of the UTF-8 text: each starts where the one
        before ended. `char_offsets` are (start, end) in characters, as slices of a str have them:
        tokens inside one character each cover that character. A byte that is no UTF-8 counts as
        one character. Special tokens have offsets too.

        Args, errors: as for `encode`.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> found = tokenizer.encode_with_offsets("é be")
        >>> found.ids, found.byte_offsets
        ([195, 169, 257], [(0, 1), (1, 2), (2, 5)])
        >>> found.char_offsets
        [(0, 1), (0, 1), (1, 4)]
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        encoder = self._encoder
        return OffsetEncoding(
            *_of_text_or_bytes(text, allowed, encoder.encode_offsets, encoder.encode_bytes_offsets)
        )

    def count_tokens(self, text: str | BytesLike, allowed_special: Allowed = ()) -> int:
        """How many ids `encode` gives, without a list of them; args, errors as there.

        >>> import superword
        >>> superword.train(["to be or not to be"], vocab_size=258).count_tokens("to be")
        3
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        encoder = self._encoder
        return _of_text_or_bytes(text, allowed, encoder.count, encoder.count_bytes)

    def count_tokens_batch(
        self,
        texts: Iterable[str],
        allowed_special: Allowed = (),
        threads: int | None = None,
    ) -> list[int]:
        """How many ids each text has; otherwise as `encode_batch`.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.count_tokens_batch(["to be", " be"])
        [3, 1]
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        return self._batch(self._encoder.count_batch, texts, allowed, resolve_threads(threads))

    def _batch(
        self,
        call: Callable[[list[str], list[int], int], _T],
        texts: object,
        allowed: list[int],
        threads: int,
    ) -> _T:
        """What a call of the encoder gives for each of several texts."""
        batch, wrong = arguments.texts(texts)
        try:
            found = call(batch, allowed, threads)
        except UnicodeEncodeError:
            # The first text at fault, which may be one before that.
            for number, text in enumerate(batch):
                try:
                    self._encode(text, allowed)
                except SuperwordError as error:
                    raise of_item(error, number, f"text {number}: ") from None
            raise
        if wrong is not None:  # the texts before it are good
            raise wrong
        return found

    def encode_file(
        self,
        files: Path | Iterable[Path],
        out: Path,
        *,
        dtype: Literal["auto", "uint16", "uint32"] = "auto",
        allowed_special: Allowed | None = (),
        field: str = "text",
        lines: bool = False,
        threads: int | None = None,
        progress: Callable[[str, int, int], object] | bool | None = None,
    ) -> EncodedFile:
        """Encode the documents of files into one file of ids, in bounded memory.

        The file appears whole or not at all. What is done stands in the folder `OUT.partial` until
        then: after an interruption the same call goes on from there, with the same result to the
        byte, if model, files and settings are the same.

        Args:
            files: as in `train`: a path, a glob or a folder, or a list of them.
            out: `NAME.npy`: the ids of all documents in one row, as `numpy.load` maps them into
                memory; where each document begins and ends stands in `NAME.offsets.npy`, what it
                all is in `NAME.meta.json`. `NAME.parquet`: a row for each document; needs
                `pip install superword[arrow]`.
            dtype: "uint16", "uint32", or "auto": "uint16" if the model has at most 65,536 ids.
            allowed_special: as in `encode`; None: special tokens are plain text.
            field: the name of the document in a `.jsonl` line.
            lines: whether each line of a `.txt` file is a document.
            threads: None for SUPERWORD_THREADS or else all CPUs this process may use.
            progress: None, True (standard error), or a callable (stage, done, total): "encode" in
                bytes of the files, then "write" in documents; what it raises ends the work.

        Returns:
            A named tuple: `paths` of the files that were written, `dtype`, `documents`, `tokens`,
            `bytes` of the documents, how many documents were `resumed`, `seconds`, `notices`.

        Raises:
            InputError: a file or document cannot be read, or the output cannot be written.
            EncodingError, PatternTooExpensiveError: as `encode`; the error names the file, and the
                line where documents are lines.
            SettingsError: a setting cannot be used.

        >>> import os, tempfile, superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "two.txt"), "w") as file:
        ...         _ = file.write("to be\\n be\\n")
        ...     done = tokenizer.encode_file(folder, os.path.join(folder, "two.npy"), lines=True)
        >>> done.documents, done.tokens, done.dtype
        (2, 4, 'uint16')
        """
        from superword.encode_files import encode_files

        job = self._job(out, dtype, allowed_special, threads, progress)
        return encode_files(job, files, field, lines)

    def _job(
        self, out: object, dtype: object, allowed: object, threads: object, progress: object
    ) -> Job:
        """What `encode_files` and `encode_texts` need, with the values of a user checked."""
        from superword.encode_files import Job
        from superword.ids_output import IdsOutput

        return Job(
            _backend.load(self._backend),
            self._encoder,
            self._data,
            len(self),
            None if allowed is None else arguments.allowed_special(allowed, self._special),
            resolve_threads(threads),
            StageClock(resolve_progress(progress)),
            IdsOutput(arguments.path(out), dtype, len(self)),
        )

    def _encode(self, value: object, allowed: list[int] | None) -> list[int]:
        encoder = self._encoder
        return _of_text_or_bytes(value, allowed, encoder.encode, encoder.encode_bytes)


def _of_text_or_bytes(
    value: object,
    allowed: list[int] | None,
    of_text: Callable[[str, list[int] | None], _T],
    of_bytes: Callable[[bytes, list[int] | None], _T],
) -> _T:
    text = as_text(value)
    if text is not None:
        try:
            return of_text(text, allowed)
        except UnicodeEncodeError:
            raise arguments.surrogate_error(text) from None
    data = as_bytes(value)
    if data is None:
        raise EncodingTypeError(f"text must be str or bytes, not {type_name(value)}")
    return of_bytes(data, allowed)
