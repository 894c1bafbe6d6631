"""What the recorders of PyTorch have in common. Each is a script that prints, as JSON, what PyTorch does on a GPU."""
import argparse
import json
import os
import pathlib
import subprocess
import sys


def name():
    return pathlib.Path(sys.argv[0]).name


def parser(description):
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def torch_on_gpu():
    try:
        import torch
    except ImportError:
        sys.exit(f"{name()}: this python3 has no PyTorch")
    if not torch.cuda.is_available():
        sys.exit(f"{name()}: PyTorch finds no GPU")
    return torch


def header(torch):
    """What was asked: the first members of every recording."""
    return {"torch": torch.__version__, "device": torch.cuda.get_device_name()}


def print_facts(facts):
    json.dump(facts, sys.stdout, indent=1)
    print(flush=True)


def text_of(action):
    """The error of the action with its type; empty when there was none."""
    try:
        action()
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def message_of(action):
    """The first line of the error's text alone."""
    try:
        action()
        return ""
    except Exception as error:
        return str(error).split("\n")[0]


def private_segments(torch):
    return len([s for s in torch.cuda.memory_snapshot() if tuple(s["segment_pool_id"]) != (0, 0)])


def run_apart(code, timeout=None, **environment):
    """Runs the code, which may import this file, in a process of its own."""
    here = str(pathlib.Path(__file__).resolve().parent)
    return subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {here!r})\n{code}"],
                          capture_output=True, text=True, timeout=timeout, env={**os.environ, **environment})
