"""The one typed contract of both backends: `superword._core` (Rust) and `superword.reference`.

Private: users call `superword.train`, `superword.Tokenizer` and the command line.
Ops cross as plain tuples (kind, left, right, new, count), models in the field order of
`superword.model.Model`. Lists come in a defined order. `progress` is called with
(stage, done, total); what it raises stops the work and is raised again.
"""

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, final

from superword.settings import Cutting, Settings

__all__ = [
    "UNICODE_VERSION",
    "Counts",
    "Encoder",
    "artifact_of_published",
    "canonical_pattern",
    "check_cutting",
    "check_eligible",
    "check_publishable",
    "classify",
    "count_documents",
    "count_files",
    "count_table",
    "is_eligible_text",
    "load_model",
    "merge_counts",
    "model_from_bytes",
    "model_to_bytes",
    "pretokenize",
    "publish",
    "published_from_bytes",
    "published_to_bytes",
    "read_documents",
    "single_token_pretokens",
    "split_ngrams",
    "split_runs",
    "split_scripts",
    "split_special_tokens",
    "train_counts",
    "train_merges",
    "train_superwords",
    "truncate_model",
]

_Op = tuple[str, int, int, int, int]
_Model = tuple[
    str,
    str,
    str,
    str | None,
    str,
    Sequence[str],
    str,
    str | None,
    str | None,
    Sequence[str] | None,
    str,
    str | None,
    str | None,
    int | None,
    int | None,
    int,
    int,
    int,
    int,
    Sequence[_Op],
    Sequence[int] | None,
]
# configuration, merges (index, left, right, count, flag), deletions (index, token)
_PublishedOps = tuple[
    str, Sequence[tuple[int, bytes, bytes, int, bool]], Sequence[tuple[int, bytes]]
]
# kind, vocabulary (token, count, whether a supermerge made it), special tokens, words, superwords
_Published = tuple[
    str, Sequence[tuple[bytes, int, bool]], Sequence[str], _PublishedOps, _PublishedOps | None
]
# How text is cut: the name of a scheme is short for a Cutting with it
_Cutting = str | Cutting
_Progress = Callable[[str, int, int], None] | None
# (path, kind "text" | "lines" | "jsonl", compression "none" | "gzip" | "zstd", field)
_Source = tuple[str, str, str, str]

_Offsets = list[tuple[int, int]]

UNICODE_VERSION: str

# scripts
def classify(first: int, last: int) -> list[tuple[str, str, bool, bool]]: ...
def split_scripts(text: str) -> list[tuple[str, str]]: ...

# pattern_syntax
def canonical_pattern(pattern: str) -> str: ...

# pretokenize
def check_cutting(cutting: _Cutting) -> None: ...
def pretokenize(text: str, cutting: _Cutting) -> list[bytes]: ...
def is_eligible_text(pretoken: bytes, cutting: _Cutting | None = None) -> bool: ...

# special_tokens
def split_special_tokens(
    text: str, special_tokens: Sequence[str]
) -> list[tuple[str, int | None]]: ...

# documents
class _Documents(Protocol):
    # how much of the file, as it lies on the disk, has been read
    @property
    def read_bytes(self) -> int: ...
    # where the document that came last stands, as errors name it
    @property
    def place(self) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def __next__(self) -> str: ...

def read_documents(source: _Source, notices: list[str]) -> _Documents: ...

# counts
@final
class Counts:
    @property
    def documents(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def pretokens(self) -> int: ...
    @property
    def distinct_pretokens(self) -> int: ...
    @property
    def notices(self) -> list[str]: ...
    def pretoken_counts(self) -> list[tuple[builtins.bytes, int]]: ...
    def run_counts(self) -> list[tuple[tuple[builtins.bytes, ...], int]]: ...

def count_documents(
    batches: Iterable[list[str]],
    cutting: _Cutting,
    special_tokens: Sequence[str],
    runs: bool,
    threads: int,
    progress: _Progress = None,
) -> Counts: ...
def count_files(
    sources: Sequence[_Source],
    cutting: _Cutting,
    special_tokens: Sequence[str],
    runs: bool,
    threads: int,
    progress: _Progress = None,
) -> Counts: ...
def count_table(
    pretokens: Sequence[tuple[bytes, int]],
    runs: Sequence[tuple[tuple[bytes, ...], int]],
    documents: int,
) -> Counts: ...
def check_eligible(pretokens: Sequence[bytes], cutting: _Cutting) -> None: ...
def merge_counts(parts: Sequence[Counts]) -> Counts: ...

# merges, candidates, ngram_split, superwords
def train_merges(
    pretokens: Sequence[tuple[bytes, int]], settings: Settings, progress: _Progress = None
) -> tuple[list[_Op], str]: ...
def single_token_pretokens(
    ops: Sequence[_Op],
    pretokens: Sequence[tuple[bytes, int]],
    settings: Settings,
    progress: _Progress = None,
) -> list[tuple[bytes, int]]: ...
def split_runs(
    runs: Sequence[tuple[tuple[bytes, ...], int]],
    single: Sequence[tuple[bytes, int]],
    progress: _Progress = None,
) -> list[tuple[tuple[int, ...], int]]: ...
def split_ngrams(
    ops: Sequence[_Op],
    candidates: Sequence[tuple[tuple[int, ...], int]],
    settings: Settings,
    progress: _Progress = None,
) -> list[tuple[tuple[int, ...], int]]: ...
def train_superwords(
    ops: Sequence[_Op],
    candidates: Sequence[tuple[tuple[int, ...], int]],
    settings: Settings,
    progress: _Progress = None,
) -> tuple[list[_Op], str]: ...

# model_file
def model_to_bytes(model: _Model) -> bytes: ...
def model_from_bytes(
    data: bytes,
    any_unicode: bool = False,
    max_token_bytes: int | None = None,
    max_total_bytes: int | None = None,
) -> _Model: ...

# truncate
def truncate_model(data: bytes, vocab_size: int, any_unicode: bool = False) -> bytes: ...

# training: the whole way from counts to the artifact, equal to the composition of the stages
def train_counts(
    counts: Counts, settings: Settings, progress: _Progress = None, threads: int = 1
) -> tuple[bytes, str, tuple[int, int, int, int] | None]: ...

# published_file, published_model, publishing
def published_from_bytes(data: bytes) -> _Published: ...
def published_to_bytes(published: _Published) -> bytes: ...
def artifact_of_published(
    data: bytes, max_token_bytes: int | None = None, max_total_bytes: int | None = None
) -> bytes: ...
def check_publishable(settings: Settings) -> None: ...
def publish(
    counts: Counts, settings: Settings, artifact: bytes, progress: _Progress = None
) -> bytes: ...

# encoder
@final
class Encoder:
    def __new__(cls, model: _Model, shortcut: bool = True) -> Encoder: ...
    @property
    def vocab_size(self) -> int: ...
    # merges, supermerges, the tokens that these make, and deletes
    @property
    def op_counts(self) -> tuple[int, int, int, int]: ...
    def token_bytes(self, token_id: int) -> bytes: ...
    def token_id(self, token: bytes) -> int | None: ...
    def is_superword(self, token_id: int) -> bool: ...
    def op_tokens(self) -> list[tuple[str, bytes, bytes, bytes, int]]: ...
    def encode(self, text: str, allowed: Sequence[int] | None) -> list[int]: ...
    def encode_bytes(self, data: bytes, allowed: Sequence[int] | None) -> list[int]: ...
    def encode_batch(
        self, texts: Sequence[str], allowed: Sequence[int] | None, threads: int
    ) -> list[list[int]]: ...
    # all ids behind each other, 4 bytes each, and before, between and behind the texts how many
    # ids there are, 8 bytes each: numbers without a sign, in the byte order of the machine
    def encode_flat(
        self, texts: Sequence[str], allowed: Sequence[int] | None, threads: int
    ) -> tuple[bytearray, bytearray]: ...
    # ids, and (start, end) of each in bytes and in characters
    def encode_offsets(
        self, text: str, allowed: Sequence[int] | None
    ) -> tuple[list[int], _Offsets, _Offsets]: ...
    def encode_bytes_offsets(
        self, data: bytes, allowed: Sequence[int] | None
    ) -> tuple[list[int], _Offsets, _Offsets]: ...
    def count(self, text: str, allowed: Sequence[int] | None) -> int: ...
    def count_bytes(self, data: bytes, allowed: Sequence[int] | None) -> int: ...
    def count_batch(
        self, texts: Sequence[str], allowed: Sequence[int] | None, threads: int
    ) -> list[int]: ...
    def safe_prefix(self, text: str, allowed: Sequence[int] | None) -> tuple[list[int], str]: ...
    def next_tokens(self, rest: bytes) -> list[int]: ...
    def decode_bytes(self, ids: Sequence[int]) -> bytes: ...

# The encoder of a model file, and the model with its ops left out: millions of tuples saved
def load_model(
    data: bytes,
    any_unicode: bool = False,
    max_token_bytes: int | None = None,
    max_total_bytes: int | None = None,
) -> tuple[Encoder, _Model]: ...
