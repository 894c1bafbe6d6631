#!/usr/bin/python3
"""Makes the journals of a fleet from the journal of one run: each node with a name and UUIDs of its own, and values that
are by chance up to 2 % better, so that limits say the same of them.
Usage: fleet.py JOURNAL NODES FOLDER [--pipes]
With --pipes they are named pipes, of which each is written as it is read: ten thousand nodes take no room on a disk. What
reads them is given their names, as `merge` looks for files alone in a folder."""
import json
import multiprocessing
import os
import pathlib
import random
import re
import sys


def value_texts(line):
    """The texts of the values in a line that limits judge, and whether more is better."""
    found = {}
    for one in json.loads(line).get("result", {}).get("measurements", []):
        text = re.search(r'"key":%s,"value":([^,]+),' % re.escape(json.dumps(one["key"])), line)
        if one["verdict"] == "pass" and isinstance(one["value"], float) and len(text.group(1)) > 5:
            found[text.group(1)] = one["warn_below"] is not None or one["fail_below"] is not None
    return found


class Model:
    """The pieces of a journal that are alike on all nodes, and what stands between them."""

    def __init__(self, text):
        start = json.loads(text.split("\n", 1)[0])
        text = text.replace('"kind":"sim"', '"kind":"cuda"')
        self.names = [start["host_name"]] + [device["uuid"] for device in start["devices"]]
        self.values = {}
        self.pieces = []
        names = "|".join(re.escape(f'"{name}"') for name in self.names)
        for line in text.splitlines(keepends=True):
            values = value_texts(line) if '"measurements":[{' in line else {}
            self.values.update(values)
            numbers = "|".join(rf"(?<=[:\[,]){re.escape(value)}(?=[,\]}}])" for value in values)
            self.pieces += re.split(f"({names}{'|' if numbers else ''}{numbers})", line)

    def journal(self, number):
        draws = random.Random(number)
        names = [name_of(number)] + [f"GPU-{number:06d}-{i}" for i in range(len(self.names) - 1)]
        changes = {f'"{old}"': f'"{new}"' for old, new in zip(self.names, names)}
        for value, more_is_better in self.values.items():
            share = 0.02 * draws.random()
            changes[value] = f"{float(value) * (1 + share if more_is_better else 1 - share):.6f}"
        return "".join(changes.get(piece, piece) for piece in self.pieces)


def name_of(number):
    return f"r{number // 16:03d}-n{number:05d}"


def write(model, numbers, folder):
    for number in numbers:
        with open(folder / f"{name_of(number)}.journal", "w") as file:
            try:
                file.write(model.journal(number))
            except BrokenPipeError:
                return


def main(journal, nodes, folder, pipes=None):
    model = Model(pathlib.Path(journal).read_text())
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not pipes:
        write(model, range(int(nodes)), folder)
        return
    for number in range(int(nodes)):
        os.mkfifo(folder / f"{name_of(number)}.journal")
    writers = 4  # more than one reads: each waits for the reader of its own pipe
    processes = [multiprocessing.Process(target=write, args=(model, range(i, int(nodes), writers), folder))
                 for i in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
