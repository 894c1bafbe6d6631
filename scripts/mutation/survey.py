"""Tries a sample of generated mutations: how many of them tests, cases and `gpucheck prove` notice."""
import collections
import concurrent.futures
import os
import re

import catalogue
import equivalents
import generator
from suite import Suite
from tree import BuildFailed

PRESET = "dev"
ATTEMPTS = 12  # to build a sample, without what did not compile the time before
# A case of gpucheck should notice most mistakes in these, whatever the unit tests do.
RUNTIME = ("runtime", "tensor", "observe")


def without_broken(mutations, root, printed):
    """The mutations but those on lines for which the compiler printed an error; None where no error names one."""
    broken = {(file.removeprefix(f"{root}/"), int(line))
              for file, line in re.findall(r"^(\S+?):(\d+):\d+: (?:fatal )?error", printed, re.M)}
    # An error can be said of the place that uses a template or the next line.
    noted = {(file.removeprefix(f"{root}/"), int(line))
             for file, line in re.findall(r"^(\S+?):(\d+):\d+: +(?:required from|note)", printed, re.M)}
    for lines in (broken, broken | noted):
        rest = [mutation for mutation in mutations
                if not any((mutation.file, line) in lines for line in range(mutation.line(), mutation.last_line() + 1))]
        if len(rest) < len(mutations):
            return rest
    return None


class Survey:
    def __init__(self, tree, jobs):
        self.tree, self.jobs, self.folder = tree, jobs, tree.folder(PRESET, joined=True)

    def sample(self, count, seed, parts):
        self.tree.build(PRESET, ["gpucheck_git_version"], joined=True)
        if written := self.sources_to_write():
            self.tree.build(PRESET, written, joined=True)
        found, errors = generator.candidates(self.tree.root, self.folder / "compile_commands.json", self.jobs)
        for error in errors:
            print(f"not read whole: {error}")
        found = [mutation for mutation in found if not parts or mutation.part in parts]
        mistakes = equivalents.without(found, equivalents.read_all())
        print(f"{len(found)} mutations can be made of these sources; {len(found) - len(mistakes)} of them are not mistakes, "
              f"as {equivalents.LIST.name} says", flush=True)
        # Where two cross, the first is tried.
        return catalogue.batches(generator.sample(mistakes, count, seed))[0]

    def sources_to_write(self):
        """What the build joins with others and has yet to write itself."""
        included = (name for joined in self.folder.rglob("unity_*.cxx")
                    for name in re.findall(rf'"({re.escape(str(self.folder))}/.*)"', joined.read_text()))
        return sorted(name.removeprefix(f"{self.folder}/") for name in included if not os.path.exists(name))

    def run(self, mutations):
        """Calls found(mutation, judges) for each, where judges says what noticed it by kind."""
        for attempt in range(ATTEMPTS):
            try:
                with self.tree.mutated(mutations):
                    self.tree.build(PRESET, ["all"], keep_going=True, joined=True)
                break
            except BuildFailed as failure:
                rest = without_broken(mutations, self.tree.root, failure.printed)
                if rest is None or attempt == ATTEMPTS - 1:
                    raise
                print(f"{len(mutations) - len(rest)} mutations do not compile", flush=True)
                mutations = rest
        suite = Suite(self.folder, self.jobs)
        for check in suite.measure():
            print(f"fails without any change, and is left out: {check.name}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as side_by_side:
            yield from zip(mutations, side_by_side.map(lambda mutation: self.judge(suite, mutation), mutations))

    @staticmethod
    def judge(suite, mutation):
        """What noticed it, by kind of check. Cases are asked about the runtime though a test noticed; `prove` last."""
        noticed = {}
        for kind in ("test", "case", "prove"):
            is_wanted = not noticed or (kind == "case" and mutation.part in RUNTIME)
            if is_wanted and (by := suite.notices(mutation, kind)):
                noticed[kind] = by
        if not noticed and not any(mutation.number in check.reached for check in suite.checks):
            noticed["nothing"] = "nothing reaches it"
        return noticed


def summary(results):
    """The rates by part, as a table in Markdown."""
    rows = collections.defaultdict(collections.Counter)
    for mutation, noticed in results:
        for name in (mutation.part, "all"):
            row = rows[name]
            row["mutations"] += 1
            row["noticed"] += bool(noticed.keys() - {"nothing"})
            row.update(noticed.keys())
    percent = lambda row, key: f"{row[key]} ({100 * row[key] // row['mutations']}%)"
    lines = ["| part | mutations | noticed | by a test | by a case | by prove alone | not reached |", "|---|---|---|---|---|---|---|"]
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        row = rows[name]
        lines.append(f"| {name} | {row['mutations']} | {percent(row, 'noticed')} | {percent(row, 'test')} | "
                     f"{percent(row, 'case')} | {row['prove']} | {row['nothing']} |")
    return lines
