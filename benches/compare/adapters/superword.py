"""superword itself; its pure-Python backend is measured only when asked for by name."""

from __future__ import annotations

from typing import Literal, cast

from compare.jobs import Adapter, Codec, Job, Source, Trained
from superword import __version__, train

JOBS = (
    Job("bpe", "gpt4o"),
    Job("bpe", "gpt2"),
    Job("boundless", "gpt4o-uniscript"),
    Job("boundless", "gpt4o-scripts"),
    Job("superbpe", "gpt4o-uniscript"),
)
# of SuperBPE's vocabulary, what regular merges fill
REGULAR_FRACTION = "9/10"


def _train(backend: Literal["rust", "python"], job: Job, source: Source, size: int) -> Trained:
    trained = train(
        source.documents or None,
        files=None if source.documents else source.path,
        algorithm=cast(Literal["bpe", "superbpe", "boundless"], job.algorithm),
        vocab_size=size,
        scheme=job.pattern,
        regular_fraction=REGULAR_FRACTION if job.algorithm == "superbpe" else None,
        threads=1,
        backend=backend,
    )
    return Codec(lambda: trained.vocab_size, lambda text: trained.decode(trained.encode(text)))


def _version() -> str:
    return __version__


ADAPTER = Adapter(
    name="superword",
    package="superword._core",
    version=_version,
    jobs=JOBS,
    inputs=("documents", "jsonl"),
    train=lambda job, source, size: _train("rust", job, source, size),
)
PYTHON_ADAPTER = Adapter(
    name="superword-python",
    package="superword.reference",
    version=_version,
    jobs=JOBS,
    inputs=("documents",),
    train=lambda job, source, size: _train("python", job, source, size),
    by_request=True,
)
