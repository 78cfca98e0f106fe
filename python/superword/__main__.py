"""`superword` and `python -m superword`: Ctrl-C is answered from the first moment on."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import NoReturn

_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    # Not while modules are imported: an exception there ends as a traceback, or is swallowed.
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, _leave)
    from superword import cli

    try:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = cli.run(sys.argv[1:])
        if ours:
            signal.signal(signal.SIGINT, _leave)
    except KeyboardInterrupt:
        _leave()
    sys.exit(code)


def _leave(*signal_and_frame: object) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, b"superword: interrupted\n")
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
