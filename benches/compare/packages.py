"""Text out of Debian packages: fetched by name, unpacked with dpkg-deb, plain text alone."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from lxml import etree

# For each kind of text: from how many MB on which packages are needed as well. Debian 12.
PACKAGES: dict[str, tuple[tuple[int, tuple[str, ...]], ...]] = {
    "english": (
        (0, ("python3.11-doc", "git-doc", "debian-policy", "postgresql-doc-15", "sqlite3-doc")),
        (
            11,
            (
                "python-django-doc",
                "perl-doc",
                "nodejs-doc",
                "debian-history",
                "libboost1.74-doc",
                "erlang-doc",
                "linux-doc-6.1",
                "python-sympy-doc",
                "python-scipy-doc",
                "qtbase5-doc-html",
                "openjdk-17-doc",
                "python-pandas-doc",
                "libreoffice-help-en-us",
                "libgtk-3-doc",
                "cmake-doc",
                "golang-1.19-src",
                "rust-doc",
            ),
        ),
        (
            101,
            (
                "ada-reference-manual-2012",
                "anarchism",
                "brz-doc",
                "buildbot-doc",
                "cinder-doc",
                "cppreference-doc-en-html",
                "db5.3-doc",
                "derby-doc",
                "dpdk-doc",
                "ffmpeg-doc",
                "fp-docs-3.2.2",
                "gap-doc",
                "ghc-doc",
                "icu-doc",
                "ironic-doc",
                "kea-doc",
                "keystone-doc",
                "krb5-doc",
                "lava-server-doc",
                "lazarus-doc-2.2",
                "libgtk-4-doc",
                "libstdc++-12-doc",
                "llvm-14-doc",
                "nim-doc",
                "nova-doc",
                "pike8.0-doc",
                "python-ase-doc",
                "python-astropy-doc",
                "python-mdanalysis-doc",
                "python-nipype-doc",
                "python-pymatgen-doc",
                "python-sqlalchemy-doc",
                "python-statsmodels-doc",
                "qtdeclarative5-doc-html",
                "racket-doc",
                "swi-prolog-doc",
                "twisted-doc",
                "uima-doc",
                "vim-doc",
                "weka-doc",
                "wx3.2-doc",
                # with the Go sources above, less than a third of a gigabyte is source code
                "rust-src",
                "emacs-el",
                "newlib-source",
            ),
        ),
    ),
    "multi": (
        (0, ("gnome-user-docs",)),
        (
            11,
            (
                "gnome-devel-docs",
                "libreoffice-help-ca",
                "libreoffice-help-cs",
                "libreoffice-help-de",
                "libreoffice-help-dz",
                "libreoffice-help-el",
                "libreoffice-help-es",
                "libreoffice-help-et",
                "libreoffice-help-eu",
                "libreoffice-help-fi",
                "libreoffice-help-fr",
                "libreoffice-help-hi",
                "libreoffice-help-hu",
                "libreoffice-help-ja",
                "libreoffice-help-km",
                "libreoffice-help-ko",
                "libreoffice-help-om",
                "libreoffice-help-pl",
                "libreoffice-help-pt",
                "libreoffice-help-ru",
                "libreoffice-help-sk",
                "libreoffice-help-tr",
                "libreoffice-help-vi",
                "libreoffice-help-zh-cn",
            ),
        ),
    ),
}
MARKUP = {".html", ".htm", ".xhtml", ".page"}
PLAIN = {".txt", ".rst", ".md", ".pod", ".texi"}
CODE = {
    *(".c", ".h", ".cc", ".cpp", ".go", ".rs", ".py", ".pl", ".java", ".js", ".ts", ".sh", ".el"),
    *(".rb", ".lua", ".f90", ".ml", ".hs", ".s", ".sql"),
}
ARCHIVE = re.compile(r"\.tar\.(?:gz|xz|bz2)$")
MIN_CHARACTERS = 200
MAX_CHARACTERS = 1_000_000


# what is no text; what begins no line; what keeps its spaces; what has no end
SKIPPED = ("script", "style", "head", "nav", "svg")
INLINE = (
    *("a", "abbr", "b", "cite", "code", "em", "i", "span", "strong", "sub", "sup", "tt", "var"),
    *("app", "cmd", "file", "gui", "guiseq", "key", "keyseq", "link", "sys", "input", "output"),
)
PREFORMATTED = {"pre", "{http://projectmallard.org/1.0/}code"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "meta", "param", "source", "wbr"}


def strip_markup(page: bytes, is_html: bool) -> str:
    """The text of a page of HTML, or of a help page in XML, in UTF-8, a line for each block."""
    kind = etree.HTMLParser if is_html else etree.XMLParser
    parser = kind(
        encoding="utf-8", huge_tree=is_html, recover=True, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(page, parser)
    if root is None:
        return "\n"
    etree.strip_elements(root, *(f"{{*}}{name}" for name in SKIPPED), with_tail=False)
    etree.strip_tags(root, *(f"{{*}}{name}" for name in INLINE))
    parts = []
    preformatted = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            preformatted += element.tag in PREFORMATTED
            text = element.text
        else:
            preformatted -= element.tag in PREFORMATTED
            text = element.tail
        if event == "start" or element.tag not in VOID:
            parts.append("\n")
        if text:
            parts.append(text if preformatted else re.sub(r"\s+", " ", text))
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", "".join(parts)).strip() + "\n"


def _document(name: str, data: bytes) -> str | None:
    """The text of a file, or None where it has none to use."""
    suffix = PurePosixPath(name).suffix.lower()
    try:
        text = data.decode("utf-8")
        if suffix in MARKUP:
            text = strip_markup(data, suffix != ".page")
    except (UnicodeDecodeError, etree.ParserError, etree.XMLSyntaxError):
        return None
    usable = "\0" not in text and MIN_CHARACTERS <= len(text) <= MAX_CHARACTERS
    return text if usable else None


def _read(archive: tarfile.TarFile, seen: set[str]) -> Iterator[str]:
    for member in archive:
        if not member.isfile():
            continue
        name = member.name
        handle = archive.extractfile(member)
        assert handle is not None
        if ARCHIVE.search(name):
            with tarfile.open(fileobj=handle, mode="r|*") as nested:
                yield from _read(nested, seen)
            continue
        compressed = name.endswith(".gz")
        plain_name = name.removesuffix(".gz")
        path = PurePosixPath(plain_name)
        suffix = path.suffix.lower()
        if suffix not in MARKUP | PLAIN | CODE or "/_sources/" in name:
            continue
        if suffix not in CODE:  # a page in two formats counts once
            stem = str(path.with_suffix(""))
            if stem in seen:
                continue
            seen.add(stem)
        data = handle.read()
        try:
            text = _document(plain_name, gzip.decompress(data) if compressed else data)
        except (OSError, EOFError):
            continue
        if text is not None:
            yield text


def documents(package: Path) -> Iterator[str]:
    """The documents in a package, in its own order."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as process,
        tarfile.open(fileobj=process.stdout, mode="r|") as archive,
    ):
        yield from _read(archive, set())


def fetch(name: str, folder: Path) -> Path | None:
    """A package's file, downloaded once; None, with a word why, where it cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.glob(f"{name}_*.deb")):
        print(f"fetching {name}", file=sys.stderr)
        try:
            subprocess.run(
                ["apt-get", "download", name], cwd=folder, check=True, capture_output=True
            )
        except FileNotFoundError:
            print(f"{name}: there is no apt-get here; going on without it", file=sys.stderr)
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode(errors="replace").strip()
            print(f"{name} cannot be had, going on without it: {reason}", file=sys.stderr)
            print("(an old list of packages? apt-get update renews it)", file=sys.stderr)
    return max(folder.glob(f"{name}_*.deb"), default=None)
