"""Generated mutations that are not mistakes, each with the reason: equivalents.toml. They are not tried."""
import dataclasses
import pathlib
import tomllib

from catalogue import Misfit, ROOT

LIST = pathlib.Path(__file__).with_name("equivalents.toml")


@dataclasses.dataclass(frozen=True)
class Equivalent:
    file: str
    line: str  # of the source, without its indentation
    old: str
    new: str
    reason: str


def read_all():
    """@throws Misfit where a line is not in its file any more, or a reason is missing."""
    found = [Equivalent(**one) for one in tomllib.loads(LIST.read_text())["equivalent"]]
    problems = []
    for one in found:
        path = ROOT / one.file
        lines = {line.strip() for line in path.read_text().splitlines()} if path.exists() else set()
        if one.line not in lines or one.old not in one.line:
            problems.append(f"{LIST.name}: {one.file} has no line \"{one.line}\" with \"{one.old}\"")
        if not one.reason:
            problems.append(f"{LIST.name}: {one.file}, \"{one.line}\": a reason is missing")
    if problems:
        raise Misfit("\n".join(problems))
    return found


def without(mutations, equivalents):
    """The mutations that are none of these."""
    known = {(one.file, one.line, one.old, one.new) for one in equivalents}
    lines = {file: (ROOT / file).read_text().splitlines() for file in {one.file for one in equivalents}}
    is_known = lambda mutation: mutation.file in lines and (
        mutation.file, lines[mutation.file][mutation.line() - 1].strip(), mutation.old, mutation.new) in known
    return [mutation for mutation in mutations if not is_known(mutation)]
