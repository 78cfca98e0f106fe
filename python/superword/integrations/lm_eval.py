"""Contexts and continuations for the lm-evaluation-harness, cut where one ends and one begins.

The harness encodes a context with its continuation and slices the ids at the length of those of
the context. A superword can reach across, so that the continuation loses tokens, or all of them.
Nothing here imports the harness.
"""

from __future__ import annotations

from typing import Any

from superword import Tokenizer


def encode_pair(
    tokenizer: Tokenizer, context: str, continuation: str
) -> tuple[list[int], list[int]]:
    """The ids of a context and of its continuation, for a model of your own over a `Tokenizer`.

    As `Tokenizer.encode_pair`, with all special tokens allowed; white space at the end of the
    context goes to the continuation, as the harness has it, unless nothing else is in the context.

    >>> import superword
    >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
    >>> encode_pair(tokenizer, "to b", "e"), encode_pair(tokenizer, "to ", "be")
    (([116, 111, 256], [101]), ([116, 111], [257]))
    """
    pair = tokenizer.encode_pair(*moved(context, continuation), allowed_special="all")
    return pair.context, pair.continuation


class BoundaryCut:
    """Put before a model class of the harness, it makes that cut with the model's `tok_encode`.

    `class SuperwordLM(BoundaryCut, HFLM): ...` is all that there is to write. The context is
    encoded with the special tokens that the class adds (such as `add_bos_token`), the continuation
    without.

    >>> import superword
    >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258, special_tokens=["<s>"])
    >>> class Model(BoundaryCut):
    ...     def tok_encode(self, string, add_special_tokens=None):
    ...         before = [] if add_special_tokens is False else [258]
    ...         return before + tokenizer.encode(string)
    >>> Model()._encode_pair("to ", "be")
    ([258, 116, 111], [257])
    """

    def _encode_pair(self: Any, context: str, continuation: str) -> tuple[list[int], list[int]]:
        before, behind = moved(context, continuation)
        return self.tok_encode(before), self.tok_encode(behind, add_special_tokens=False)


def moved(context: str, continuation: str) -> tuple[str, str]:
    """Both, with the white space at the end of the context in the continuation.

    >>> moved("to ", "be"), moved("  ", "be")
    (('to', ' be'), ('  ', 'be'))
    """
    kept = context.rstrip()
    return (kept, context[len(kept) :] + continuation) if kept else (context, continuation)
