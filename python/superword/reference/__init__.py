"""The pure-Python backend: the specification in code, one module a stage.

Exports exactly the names of `superword/_core.pyi`, the contract of both backends.
"""

from superword.reference.candidates import single_token_pretokens, split_runs
from superword.reference.counts import (
    Counts,
    check_eligible,
    count_documents,
    count_files,
    count_table,
    merge_counts,
)
from superword.reference.documents import read_documents
from superword.reference.encoder import Encoder, load_model
from superword.reference.merges import train_merges
from superword.reference.model_file import model_from_bytes, model_to_bytes
from superword.reference.ngram_split import split_ngrams
from superword.reference.pattern_syntax import canonical_pattern
from superword.reference.pretokenize import check_cutting, is_eligible_text, pretokenize
from superword.reference.published_file import published_from_bytes, published_to_bytes
from superword.reference.published_settings import check_publishable
from superword.reference.publishing import artifact_of_published, publish
from superword.reference.scripts import classify, split_scripts
from superword.reference.special_tokens import split_special_tokens
from superword.reference.superwords import train_superwords
from superword.reference.training import train_counts
from superword.reference.truncate import truncate_model
from superword.reference.unicode import UNICODE_VERSION

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
