"""The mutations of scripts/mutations/*.toml, one file for each part."""
import dataclasses
import fnmatch
import os
import pathlib
import tomllib
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("GPUCHECK_MUTATIONS", ROOT / "scripts" / "mutations"))

# How both texts stand in one program, which an environment variable then chooses from. {new} must be of the
# type of {old}; without a form the mutation has a build of its own.
FORMS = {"expression": "(gpucheck_mutation::is({number}u) ? ({new}) : ({old}))",
         "condition": "(gpucheck_mutation::is({number}u) ? ({new}) : static_cast<bool>({old}))",
         "statement": "if (gpucheck_mutation::is({number}u)) {{ {new} }} else {{ {old} }}"}


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
    after: str = ""  # occurs once: the first `old` behind it is meant; without it `old` must occur once
    form: str = ""
    threads: bool = False  # the thread sanitizer looks too, and first

    @property
    def number(self):
        """Chooses it among the switches of a build. Of the name, so that one more changes nothing else."""
        return zlib.crc32(self.name.encode())

    def place(self):
        """First and last position of the old text in its file."""
        text = (ROOT / self.file).read_text()
        start = text.index(self.old, text.index(self.after) + len(self.after))
        return start, start + len(self.old)

    def line(self):
        return (ROOT / self.file).read_text()[:self.place()[0]].count("\n") + 1 + self.old.startswith("\n")

    def misfit(self):
        path = ROOT / self.file
        text = path.read_text() if path.exists() else ""
        if self.after and (text.count(self.after) != 1 or self.old not in text.partition(self.after)[2]):
            return f"mutation {self.name}: {self.file} must have the text of \"after\" once, and the old text behind it"
        times = 1 if self.after else text.count(self.old)
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
    names = [mutation.name for mutation in mutations]
    misfits += [f"{names.count(name)} mutations are called {name}" for name in sorted(set(names)) if names.count(name) > 1]
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


def switched(text, mutations, start=0, end=None):
    """The text of a file from start to end with these mutations as switches, one within another where it must be."""
    parts, at = [], start
    rest = sorted(mutations, key=lambda mutation: (mutation.place()[0], -mutation.place()[1]))
    while rest:
        outer = rest.pop(0)
        first, last = outer.place()
        inner = [other for other in rest if other.place()[1] <= last]
        rest = [other for other in rest if other not in inner]
        old = switched(text, inner, first, last)
        parts += [text[at:first], FORMS[outer.form].format(number=outer.number, old=old, new=outer.new)]
        at = last
    return "".join(parts) + text[at:end]


def crosses(one, other):
    """Whether the two overlap and neither holds the other."""
    (start, end), (other_start, other_end) = sorted([one.place(), other.place()])
    return one.file == other.file and start < other_start < end < other_end


def batches(mutations):
    """Groups that one build can hold: all those with a form whose texts do not cross, each other one alone."""
    groups = []
    for mutation in mutations:
        if not mutation.form:
            groups.append([mutation])
            continue
        fitting = (group for group in groups if group[0].form and not any(crosses(mutation, other) for other in group))
        group = next(fitting, None)
        if group is None:
            groups.append(group := [])
        group.append(mutation)
    return groups
