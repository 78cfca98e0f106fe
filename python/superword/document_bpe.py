"""Document BPE: byte-pair encoding without a pretokenizer, so that merges may cross anything.

This part needs the standard library alone, neither the compiled backend nor click.

>>> from superword import document_bpe
>>> tokenizer = document_bpe.fit(["to be or not to be"], 258)
>>> tokenizer.token_bytes(257), tokenizer.encode("not to be")
(b'o b', [110, 111, 116, 32, 116, 257, 101])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from superword.tokenizer import Tokenizer
from superword.training import Backend, ProgressArgument, train


def fit(
    documents: Iterable[str],
    vocab_size: int,
    *,
    special_tokens: Sequence[str] = (),
    min_count: int = 1,
    max_token_bytes: int | None = None,
    backend: Backend = "auto",
    progress: ProgressArgument = None,
) -> Tokenizer:
    """Learn merges from documents, none of which is cut.

    The most frequent pair of neighbouring tokens becomes a token, again and again. Overlapping
    pairs count (`aaaaa` holds four times `aa`), the smaller ids win a tie, a merge is done from
    left to right, and no pair crosses from one document to the next. It is `superword.train` with
    `scheme="none"`.

    Args:
        documents: any iterable of str.
        vocab_size: tokens wanted, the 256 bytes among them, special tokens not.
        special_tokens: strings that get ids of their own after all others; they cut documents.
        min_count: the lowest count at which a pair is merged.
        max_token_bytes: the longest token in bytes; None for no limit.
        backend: "rust", "python", or "auto": SUPERWORD_BACKEND, or else Rust where installed.
        progress: None, True (standard error), or a callable (stage, done, total); what it raises
            ends the training.

    Returns:
        The tokenizer; a text is one sequence for it, too.

    Raises:
        SettingsError, InputError, TrainingError, BackendError: as `superword.train`.

    >>> from superword import document_bpe
    >>> tokenizer = document_bpe.fit(["aaaaa", "b"], 258)
    >>> [(op.new, op.count) for op in tokenizer.ops]
    [(b'aa', 4), (b'aaa', 1)]

    Source: SPEC section 11.
    """
    return train(
        documents,
        algorithm="bpe",
        scheme="none",
        vocab_size=vocab_size,
        special_tokens=special_tokens,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        backend=backend,
        progress=progress,
    )
