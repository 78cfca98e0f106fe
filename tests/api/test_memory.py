"""What does not fit into memory is a MemoryError in both backends, not the end of the process."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import hashlib, resource, sys
import superword
tok = superword.train(["a"], vocab_size=256, backend=sys.argv[1])
lines = tok.to_bytes().decode().splitlines()[:-1]
ops = ["m 97 97 1"] + [f"m {256 + i} {256 + i} 1" for i in range(23)]
body = lines[0].replace('"ops":0', f'"ops":{len(ops)}') + "\\n" + "\\n".join(ops) + "\\n"
data = body + f"sha256 {hashlib.sha256(body.encode()).hexdigest()}\\n"
tok = superword.Tokenizer.from_bytes(data.encode(), backend=sys.argv[1])
assert len(tok.token_bytes(279)) == 2**24
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
try:
    tok.decode_bytes([279] * 400)
except MemoryError:
    print("MemoryError")
"""


def test_decoding_to_more_than_memory_holds(backend_name: str) -> None:
    command = [sys.executable, "-c", PROGRAM, backend_name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "MemoryError\n", "")
