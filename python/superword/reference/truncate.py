"""A model cut to fewer tokens, as training would have made it. Source: SPEC section 12.4."""

from __future__ import annotations

from superword.errors import SettingsError
from superword.reference.model_file import model_from_bytes, model_to_bytes
from superword.reference.vocabulary import alphabet_tokens
from superword.settings import MAX_COUNT


def truncate_model(data: bytes, vocab_size: int, any_unicode: bool = False) -> bytes:
    r"""Cut a model after the first op that makes token number `vocab_size`.

    Args:
        data: the bytes of a model file.
        vocab_size: how many ordinary tokens to keep.
        any_unicode: accept a model made with another Unicode version.

    Returns:
        The artifact of the cut model: that of training at `vocab_size` with all else the same, for
        "superbpe" with the same regular tokens.

    Raises:
        ModelFormatError: the data are no model.
        SettingsError: the model has fewer tokens, `vocab_size` is below those that cannot be cut
            off, or the model has deletions or n-gram splitting.

    >>> from superword.model import Model, Op
    >>> ops = [Op("merge", 97, 98, 256, 2), Op("merge", 256, 99, 257, 1)]
    >>> model = Model("bpe", "bytes", "superword", "gpt2", "creation", [], "17.0.0", None, None,
    ...               None, r"\p{L}", None, None, None, None, 1, 5, 2, 2, ops)
    >>> truncate_model(model_to_bytes(model), 257).splitlines()[1:-1]
    [b'm 97 98 2']

    Source: SPEC 12.4.
    """
    model = model_from_bytes(data, any_unicode, MAX_COUNT, MAX_COUNT)
    for setting, what in ((model.ngram_floor, "n-gram splitting"), (model.tau, "deletions")):
        if setting is not None:
            raise SettingsError(
                f"a model with {what} cannot be cut: "
                "training at a smaller vocabulary size makes other operations"
            )
    size = least = len(alphabet_tokens(model.alphabet))
    kept = 0  # the ops up to the first that reaches the size
    for index, op in enumerate(model.ops):
        grows = op.new == size
        size += grows
        if grows and size <= vocab_size:
            kept = index + 1
        if model.algorithm == "superbpe" and op.kind == "merge":
            least = size
    if vocab_size > size:
        raise SettingsError(f"vocab_size must be at most {size}, the tokens of the model")
    if vocab_size < least:
        what = "regular tokens" if least > len(alphabet_tokens(model.alphabet)) else "single bytes"
        raise SettingsError(f"vocab_size must be at least {least}, the {what} of the model")
    return model_to_bytes(model._replace(ops=model.ops[:kept]))
