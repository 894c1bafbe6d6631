"""What notices a mutation: test programs, the thread sanitizer, the cases."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Catch:
    judge: str
    how: str  # the first test that failed, "signal 6", for a case "fail" or "error"
    keys: list = dataclasses.field(default_factory=list)  # of a case: judged keys that differed

    def __str__(self):
        return f"{self.judge} ({', '.join(self.keys) or self.how})"


def environment_for(mutation):
    chosen = {"GPUCHECK_MUTATION": str(mutation.number)} if mutation is not None and mutation.form else {}
    return {**os.environ, "GTEST_FAIL_FAST": "1", **chosen}


class Clock:
    """How long a program may take: several times what it took without any change, which is measured first."""

    unchanged = {}

    @classmethod
    def limit(cls, program):
        return 30 + 5 * cls.unchanged.get(program, 300)


@dataclasses.dataclass
class BadEnd:
    """Of a program."""
    how: str
    test: str = ""  # the one that failed, or that ran last


def run_program(command, mutation):
    """How the command ended, when it did not end well."""
    program, started = str(command[0]), time.monotonic()
    try:
        done = subprocess.run(command, env=environment_for(mutation), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, errors="replace", timeout=Clock.limit(program))
    except subprocess.TimeoutExpired:
        return BadEnd("hangs")
    if mutation is None:
        Clock.unchanged[program] = max(time.monotonic() - started, Clock.unchanged.get(program, 0))
    if done.returncode == 0:
        return None
    tests = re.findall(r"^\[  FAILED  \] (\S+?),? ", done.stdout, re.M)[:1]
    tests = tests or re.findall(r"^\[ RUN      \] (\S+)", done.stdout, re.M)[-1:]
    signal = f"signal {-done.returncode}" if done.returncode < 0 else ""
    return BadEnd(", ".join(filter(None, [*tests, signal])) or "fails", "".join(tests))


class TestProgram:
    """One of the unit tests."""

    def __init__(self, name, preset="dev", arguments=()):
        self.name, self.preset, self.arguments = name, preset, arguments

    def targets(self):
        return self.preset, [self.name]

    def notices(self, tree, mutation):
        program, unsteady = tree.program(self.preset, self.name), []
        end = run_program([program, *self.arguments], mutation)
        # What does not fail again alone was a matter of time, on a machine that is busy: the others are asked.
        alone = lambda test: run_program([program, f"--gtest_filter={test}"], mutation)
        while end and end.test and not self.arguments and not alone(end.test):
            unsteady.append(end.test)
            end = run_program([program, "--gtest_filter=-" + ":".join(unsteady)], mutation)
        label = self.name.removeprefix("gpucheck_").replace("_", " ") + (" under tsan" if self.preset == "tsan" else "")
        return [Catch(label, end.how)] if end else []


def allocators(tree):
    """Options of gpucheck for each allocator that the cases can check, with the cases that are for it."""
    library = tree.program("dev", "good.so")
    return [[], ["--allocator", "async"], ["alloc.pluggable_*", "--allocator", library]]


def cases_of_two_devices(program):
    listed = subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True)
    return [case["name"] for case in json.loads(listed.stdout)["cases"] if case["needs"]["devices"] > 1]


class Cases:
    """All cases, on the simulated device, with one allocator after the other until something is noticed, and at last
    on two devices those that need them."""

    def targets(self):
        return "dev", ["gpucheck", "gpucheck_pluggable_good"]

    def notices(self, tree, mutation):
        program = tree.program("dev", "gpucheck")
        on_one = [[*options, "--device", "sim"] for options in allocators(tree)]
        for options in [*on_one, [*cases_of_two_devices(program), "--device", "sim:devices=2"]]:
            if caught := self.run(program, options, mutation):
                return caught
        return []

    def run(self, program, options, mutation):
        with tempfile.TemporaryDirectory(prefix="gpucheck-mutate-") as folder:
            report = pathlib.Path(folder) / "run.json"
            end = run_program([program, "run", "--no-config", *options, "--json", report], mutation)
            if end is None:
                return []
            try:
                results = json.loads(report.read_text())["cases"]
            except (OSError, ValueError):
                return [Catch("the run itself", end.how)]
        return [self.catch(result) for result in results
                if result["outcome"] not in ("pass", "skip") or result["warnings"]] or \
            [Catch("the run itself", end.how)]

    @staticmethod
    def catch(result):
        keys = [mismatch["key"] for mismatch in result["mismatches"] + result["warnings"]
                if not mismatch["key"].startswith("rule.")]
        rules = [mismatch["key"] for mismatch in result["mismatches"] if mismatch["key"].startswith("rule.")]
        return Catch(result["name"], ", ".join(rules) or result["outcome"], keys)


def judges_of(mutation, judge):
    """In the order to ask them."""
    tests = [TestProgram("gpucheck_runtime_tests", "tsan", ["--gtest_filter=Threads.*"]),
             TestProgram("gpucheck_race_fuzz_tests", "tsan", ["--gtest_filter=*threads*"])] if mutation.threads else []
    tests += [TestProgram(name) for name in mutation.tests]
    return {"tests": tests, "cases": [Cases()], "all": [*tests, Cases()]}[judge]


def proof_of(tree):
    """Judged keys, as "case: key", and those of them that a fault turns red."""
    judged, red = {}, set()  # a dict for its order
    for options in allocators(tree):
        done = subprocess.run([tree.program("dev", "gpucheck"), "prove", *options, "--device", "sim:devices=2", "--json"],
                              capture_output=True, text=True)
        for case in json.loads(done.stdout)["cases"]:
            for key in case["keys"]:
                name = f"{case['name']}: {key['key']}"
                judged[name] = None
                if key["red_under"]:
                    red.add(name)
    return list(judged), red
