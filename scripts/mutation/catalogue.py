"""The mutations of scripts/mutations/*.toml, one file for each part."""
import dataclasses
import fnmatch
import os
import pathlib
import tomllib
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("GPUCHECK_MUTATIONS", ROOT / "scripts" / "mutations"))

# How both texts come to stand in one program, which an environment variable then chooses from. {new} must be of the
# type of {old}; without a form the mutation has a build of its own.
FORMS = {"expression": "(gpucheck_mutation::is({number}) ? ({new}) : ({old}))",
         "statement": "if (gpucheck_mutation::is({number})) {{ {new} }} else {{ {old} }}"}


class Misfit(Exception):
    """The catalogue does not fit the sources, or nothing in it is called so."""


@dataclasses.dataclass
class Mutation:
    part: str
    tests: list  # programs that judge it, the quickest first
    name: str
    description: str
    file: str
    old: str
    new: str
    form: str = ""
    threads: bool = False  # the thread sanitizer looks too, and first

    @property
    def number(self):
        """Chooses it in a build that holds many. Of its name, so that another change in the catalogue builds nothing anew."""
        return zlib.crc32(self.name.encode()) & 0x7FFFFFFF

    def place(self):
        """First and last position of the old text in its file."""
        start = (ROOT / self.file).read_text().index(self.old)
        return start, start + len(self.old)

    def line(self):
        return (ROOT / self.file).read_text()[:self.place()[0]].count("\n") + 1 + self.old.startswith("\n")

    def switched(self):
        return FORMS[self.form].format(number=self.number, old=self.old, new=self.new)

    def misfit(self):
        path = ROOT / self.file
        times = path.read_text().count(self.old) if path.exists() else 0
        if times != 1 or self.old == self.new:
            return (f"mutation {self.name}: its old text occurs {times} times in {self.file}, and must occur once and be "
                    "changed")
        if self.form and self.form not in FORMS:
            return f"mutation {self.name}: its form is \"{self.form}\", and must be one of {', '.join(FORMS)}"
        return None


def read_file(path):
    with open(path, "rb") as file:
        content = tomllib.load(file)
    return [Mutation(part=path.stem, tests=content["tests"], **mutation) for mutation in content["mutation"]]


def read_all():
    """Every mutation, all of them checked to fit the sources."""
    mutations = [mutation for path in sorted(FOLDER.glob("*.toml")) for mutation in read_file(path)]
    misfits = [misfit for mutation in mutations if (misfit := mutation.misfit())]
    for what, values in (("called", [m.name for m in mutations]), ("numbered", [m.number for m in mutations])):
        misfits += [f"{values.count(value)} mutations are {what} {value}" for value in sorted(set(values))
                    if values.count(value) > 1]
    if misfits:
        raise Misfit("\n".join([*misfits, f"Bring {FOLDER} up to date with the sources."]))
    return mutations


def choose(mutations, patterns, parts):
    chosen = [mutation for mutation in mutations
              if (not patterns or any(fnmatch.fnmatch(mutation.name, pattern) for pattern in patterns))
              and (not parts or mutation.part in parts)]
    if not chosen:
        raise Misfit(f"no mutation is called {' or '.join(patterns + parts)}; --list shows them")
    return chosen


def batches(mutations):
    """Groups that one build can hold: all those with a form whose texts do not overlap, each other one alone."""
    groups = []
    for mutation in mutations:
        if not mutation.form:
            groups.append([mutation])
            continue
        start, end = mutation.place()
        overlaps = lambda other: other.file == mutation.file and start < other.place()[1] and other.place()[0] < end
        fitting = (group for group in groups if group[0].form and not any(overlaps(other) for other in group))
        group = next(fitting, None)
        if group is None:
            groups.append(group := [])
        group.append(mutation)
    return groups
