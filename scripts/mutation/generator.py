"""Small mistakes made from the sources by rule: the kinds that a person makes when typing. Each is a switch, so that one
build holds all of a sample. Needs libclang for Python (Debian: python3-clang-14)."""
import bisect
import concurrent.futures
import dataclasses
import itertools
import json
import os
import random
import re
import shlex

from clang import cindex
from clang.cindex import CursorKind as Kind

from catalogue import Mutation

# Tests are not changed, nor is what a build without CUDA leaves out.
LEFT_OUT = re.compile(r"/(tests|benchmarks|fuzz)/|^lib/device/cuda/|^lib/device/kernels/|/kernels/")
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION,
             Kind.FUNCTION_TEMPLATE, Kind.LAMBDA_EXPR}
CONDITIONALS = {Kind.IF_STMT, Kind.WHILE_STMT, Kind.CONDITIONAL_OPERATOR, Kind.DO_STMT}
BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
SUMS = {"+": "-", "-": "+", "*": "/"}
OPPOSITES = {"front": "back", "back": "front", "min": "max", "max": "min", "any_of": "all_of", "all_of": "any_of",
             "none_of": "any_of", "min_element": "max_element", "max_element": "min_element"}
SYMMETRIC = {"min", "max", "swap", "gcd", "lcm", "is_same_file", "equal"}
NUMBERS = {cindex.TypeKind.INT, cindex.TypeKind.UINT, cindex.TypeKind.LONG, cindex.TypeKind.ULONG, cindex.TypeKind.LONGLONG,
           cindex.TypeKind.ULONGLONG, cindex.TypeKind.DOUBLE, cindex.TypeKind.FLOAT}
# What these do can only be seen in time or memory.
ONLY_FASTER = {"reserve", "shrink_to_fit", "yield"}
# One unit more of so many cannot be seen on a slow machine.
DURATIONS = re.compile(r"\b(?:nano|micro|milli)?seconds\($|\bminutes\($|\bhours\($")
LEAST_DURATION = 5
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


@dataclasses.dataclass(kw_only=True)
class Generated(Mutation):
    """A mutation of a place and not of a text that occurs once."""
    kind: str
    start: int
    end: int

    def place(self):
        return self.start, self.end

    def last_line(self):
        return self.line() + self.old.count("\n")


def part_of(file):
    """"runtime" for "lib/runtime/…", "cases", "application"."""
    first, second = file.split("/")[:2]
    return {"lib": second, "cases": "cases"}.get(first, "application")


class File:
    """The text of a source, in which libclang's offsets of bytes become offsets of characters."""

    def __init__(self, root, name):
        self.name = name
        self.bytes = (root / name).read_bytes()
        self.text = self.bytes.decode()
        self.is_ascii = len(self.text) == len(self.bytes)
        self.lines = [0] + [place + 1 for place, letter in enumerate(self.text) if letter == "\n"]

    def at(self, byte):
        return byte if self.is_ascii else len(self.bytes[:byte].decode())

    def line(self, place):
        return bisect.bisect_right(self.lines, place)


class Finder:
    """The candidates of one translation unit, headers included."""

    def __init__(self, root):
        self.root, self.files, self.macros, self.found = root, {}, {}, []
        self.ends = set()  # offsets of what no compiler lets go: the last throw where nothing can be returned

    def file_of(self, location):
        if location.file is None:
            return None
        path = os.path.realpath(location.file.name)
        if not path.startswith(f"{self.root}/"):
            return None
        name = path[len(f"{self.root}/"):]
        if name.startswith("build/") or LEFT_OUT.search(name):
            return None
        if name not in self.files:
            self.files[name] = File(self.root, name)
        return self.files[name]

    def search(self, unit):
        for cursor in unit.cursor.get_children():
            file = self.file_of(cursor.location)
            if file is None:
                continue
            if cursor.kind == Kind.MACRO_INSTANTIATION:
                self.macros.setdefault(file.name, []).append((cursor.extent.start.offset, cursor.extent.end.offset))
            elif not cursor.kind.is_preprocessing():
                self.walk(cursor, None, file, False)

    def walk(self, cursor, parent, file, in_function):
        kind = cursor.kind
        if kind in (Kind.STATIC_ASSERT, Kind.ENUM_DECL, Kind.FRIEND_DECL):
            return
        if kind == Kind.VAR_DECL and self.is_constant(cursor, file):
            return
        in_function = in_function or kind in FUNCTIONS
        children = list(cursor.get_children())
        if kind in FUNCTIONS:
            self.note_end(cursor, children, file)
        if in_function and kind not in FUNCTIONS:
            self.look_at(cursor, parent, children, file)
        if kind == Kind.CASE_STMT:
            children = children[1:]
        if kind == Kind.VAR_DECL:  # what stands before the name is the type
            children = [child for child in children if child.extent.start.offset >= cursor.location.offset]
        if kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.TYPE_REF, Kind.TEMPLATE_REF):  # arguments of templates
            children = [child for child in children if kind == Kind.MEMBER_REF_EXPR and child.kind.is_expression()
                        and child.extent.start.offset == cursor.extent.start.offset]
        for child in children:
            if child.location.file is not None and self.file_of(child.location) is file:
                self.walk(child, cursor, file, in_function)

    def note_end(self, function, children, file):
        """Without its last throw a function that gives something back, or never returns, has no end: compilers then take
        it that the throw is reached."""
        if not children or children[-1].kind != Kind.COMPOUND_STMT:
            return
        last = list(children[-1].get_children())[-1:]
        before = file.bytes[max(0, function.extent.start.offset - 20):function.location.offset]
        returns_nothing = function.type.get_result().spelling == "void" and b"[[noreturn]]" not in before
        start = last[0].extent.start.offset if last else 0
        if file.bytes[start:start + 6] == b"throw " and not returns_nothing:
            self.ends.add((file.name, start))

    def is_constant(self, cursor, file):
        before = file.bytes[cursor.extent.start.offset:cursor.location.offset]
        return b"constexpr" in before or b"constinit" in before

    def add(self, kind, file, start, end, new, form):
        """@param start, end in bytes."""
        if any(first < end and start < last for first, last in self.macros.get(file.name, [])):
            return
        first, last = file.at(start), file.at(end)
        old = file.text[first:last]
        if "#" in old or "R\"" in old or COMMENT.search(old) or not old.strip():
            return
        new = " ".join(new.split("\n"))
        line, column = file.line(first), first - file.lines[file.line(first) - 1] + 1
        self.found.append(dict(part=part_of(file.name), tests=[], kind=kind, name=f"{kind}@{file.name}:{line}:{column}",
                               description=f"{kind}: {' '.join(old.split())[:80]} -> {' '.join(new.split())[:80]}",
                               file=file.name, old=old, new=new, form=form, start=first, end=last))

    @staticmethod
    def text(cursor, file):
        return file.bytes[cursor.extent.start.offset:cursor.extent.end.offset].decode()

    def operator(self, children, file):
        """The text between two operands."""
        start, end = children[0].extent.end.offset, children[1].extent.start.offset
        return file.bytes[start:end].decode().strip()

    def look_at(self, cursor, parent, children, file):
        kind, extent = cursor.kind, cursor.extent
        if self.file_of(extent.start) is not file or self.file_of(extent.end) is not file:
            return
        start, end = extent.start.offset, extent.end.offset
        whole = lambda name, new, form="expression": self.add(name, file, start, end, new, form)
        if kind in CONDITIONALS:
            self.look_at_condition(cursor, children, file)
        elif kind == Kind.BINARY_OPERATOR and len(children) == 2:
            sign = self.operator(children, file)
            left, right = (self.text(child, file) for child in children)
            is_condition = parent is not None and parent.kind in CONDITIONALS  # which is negated as a whole
            numbers = all(child.type.get_canonical().kind in NUMBERS for child in children)
            if sign in BOUNDARIES and not (is_condition and sign in ("==", "!=")):
                whole("other comparison", f"{left} {BOUNDARIES[sign]} {right}")
            elif sign in LOGIC:
                whole("and for or", f"{left} {LOGIC[sign]} {right}")
            elif sign in SUMS and numbers:
                whole("other operation", f"{left} {SUMS[sign]} {right}")
        elif kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR and len(children) == 2:
            left, right = (self.text(child, file) for child in children)
            whole("assigned for added", f"{left} = {right}")
        elif kind == Kind.INTEGER_LITERAL and start < end and not self.is_a_long_duration(file, start, end):
            whole("off by one", f"{self.text(cursor, file)} + 1")
        elif kind == Kind.FLOATING_LITERAL and start < end:
            whole("other constant", f"{self.text(cursor, file)} * 2")
        elif kind == Kind.CXX_BOOL_LITERAL_EXPR:
            whole("other truth", "false" if self.text(cursor, file) == "true" else "true")
        elif kind == Kind.DECL_REF_EXPR and self.names_a_constant(cursor):
            whole("other constant", f"{self.text(cursor, file)} + 1")
        elif kind == Kind.CALL_EXPR:
            self.look_at_call(cursor, children, file)
        if parent is not None and parent.kind == Kind.COMPOUND_STMT and cursor.kind.is_expression():
            self.look_at_statement(cursor, file)

    @staticmethod
    def is_a_long_duration(file, start, end):
        text = file.bytes[start:end].decode()
        before = file.bytes[max(0, start - 40):start].decode(errors="replace")
        return bool(DURATIONS.search(before)) and text.isdecimal() and int(text) >= LEAST_DURATION

    @staticmethod
    def names_a_constant(cursor):
        declared = cursor.referenced
        return (declared is not None and declared.kind == Kind.VAR_DECL and declared.type.is_const_qualified() and
                declared.type.get_canonical().kind in NUMBERS and
                declared.semantic_parent.kind in (Kind.NAMESPACE, Kind.TRANSLATION_UNIT, Kind.CLASS_DECL, Kind.STRUCT_DECL))

    def look_at_condition(self, cursor, children, file):
        if cursor.kind == Kind.IF_STMT and b"constexpr" in file.bytes[cursor.extent.start.offset:][:16]:
            return
        expressions = [child for child in children if child.kind.is_expression()]
        if cursor.kind == Kind.DO_STMT:
            expressions = expressions[-1:]
        if not expressions or (children[0].kind == Kind.VAR_DECL):
            return
        condition = expressions[0]
        text = self.text(condition, file)
        self.add("negated condition", file, condition.extent.start.offset, condition.extent.end.offset, f"!({text})",
                 "condition")

    def look_at_call(self, cursor, children, file):
        name, extent = cursor.spelling, cursor.extent
        text = self.text(cursor, file)
        if not name or name.startswith("operator") or not text.endswith(")"):
            return
        if name in OPPOSITES:
            changed = re.sub(rf"\b{name}\b(?=\s*\()", OPPOSITES[name], text, count=1)
            if changed != text:
                self.add("first for last" if name in ("front", "back") else "other end", file, extent.start.offset,
                         extent.end.offset, changed, "expression")
        if name in SYMMETRIC:
            return
        arguments = [argument for argument in cursor.get_arguments() if argument is not None]
        for one, other in zip(arguments, arguments[1:]):
            texts = self.text(one, file), self.text(other, file)
            if "" in texts or texts[0] == texts[1] or one.extent.end.offset > other.extent.start.offset:
                continue
            if self.plain(one.type) != self.plain(other.type):
                continue
            first = extent.start.offset
            piece = lambda start, end: file.bytes[start:end].decode()
            swapped = (piece(first, one.extent.start.offset) + texts[1] +
                       piece(one.extent.end.offset, other.extent.start.offset) + texts[0] +
                       piece(other.extent.end.offset, extent.end.offset))
            self.add("swapped arguments", file, first, extent.end.offset, swapped, "expression")
            break

    @staticmethod
    def plain(type_):
        return type_.get_canonical().spelling.replace("const ", "").rstrip(" &")

    def look_at_statement(self, cursor, file):
        end = cursor.extent.end.offset
        if cursor.spelling in ONLY_FASTER or (file.name, cursor.extent.start.offset) in self.ends:
            return
        rest = file.bytes[end:end + 200]
        gap = len(rest) - len(rest.lstrip())
        if rest[gap:gap + 1] != b";":
            return
        self.add("dropped statement", file, cursor.extent.start.offset, end + gap + 1, "", "statement")


def arguments_of(entry):
    """The compiler's, without what libclang does not know or need: warnings, precompiled headers, outputs."""
    words, kept = shlex.split(entry["command"])[1:], []
    words = words[next((i for i, word in enumerate(words) if word.startswith("-")), 0):]
    skip = False
    for i, word in enumerate(words):
        if skip or word in ("-c", entry["file"]) or word.startswith("-W"):
            skip = False
        elif word in ("-o", "-include", "-MF", "-MT"):
            skip = True
        elif word not in ("-MD",):
            kept.append(word)
    return kept


def candidates_of(entry, root):
    """As dictionaries, which other processes can give back, and the first error of the source."""
    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = cindex.Index.create().parse(entry["file"], args=arguments_of(entry), options=options)
    finder = Finder(root)
    finder.search(unit)
    return finder.found, [str(one) for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error][:1]


def is_of_the_product(source):
    """Whether libclang reads it: sources of the product, also one that the build made of several."""
    return source.endswith((".cpp", ".cxx")) and not re.search(r"_(tests|benchmark|fuzzer)\.dir/|precompiled|fake_|/tests/", source)


def candidates(root, compile_commands, jobs):
    """All, in the order of their places, each once whatever sources include it; and the errors of sources that libclang
    did not read whole."""
    entries = [entry for entry in json.loads(compile_commands.read_text())
               if is_of_the_product(entry["file"]) and os.path.exists(entry["file"])]
    by_place, errors = {}, []
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for found, problem in pool.map(candidates_of, entries, itertools.repeat(root), chunksize=4):
            errors += problem
            by_place.update({(one["file"], one["start"], one["end"], one["new"]): one for one in found})
    return [Generated(**by_place[place]) for place in sorted(by_place)], errors


def sample(found, count, seed):
    """The same for the same sources and seed."""
    return random.Random(seed).sample(found, min(count, len(found)))
