"""What the tests of the integrations have in common."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
count = 0
failures = []


def check(holds, what):
    global count
    count += 1
    if not holds:
        failures.append(what)
        print(f"{pathlib.Path(sys.argv[0]).name}: {what}", file=sys.stderr)


def end():
    """Says how it went, and ends the test."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {count} checks, {len(failures)} failed")
    sys.exit(bool(failures))


def run(*words, timeout=60, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout, **options)


def gpucheck(program, *words, node="n1"):
    """Sees no GPU, also on a machine that has one: what is tested is not about it."""
    return run(program, *words, env={**os.environ, "GPUCHECK_NODE": node, "CUDA_VISIBLE_DEVICES": ""})


def samples(text):
    """Of an exposition: (name, labels, value)."""
    for line in text.splitlines():
        found = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if found and not line.startswith("#"):
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found.group(2) or ""))
            yield found.group(1), labels, float(found.group(3))
