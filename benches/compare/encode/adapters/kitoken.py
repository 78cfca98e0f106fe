"""kitoken, which gives lists alone."""

from __future__ import annotations

from pathlib import Path

from compare.encode.interface import LISTS, Adapter, Loaded, Vocabulary, version_of


def _load(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    import kitoken

    encoder = kitoken.Kitoken.from_tokenizers_file(str(vocabulary.json))
    return Loaded(encoder.encode_all, lambda lists: lists, encoder.encode)


ADAPTER = Adapter(
    name="kitoken",
    packages=("kitoken",),
    version=version_of("kitoken"),
    gives=LISTS,
    load=_load,
)
