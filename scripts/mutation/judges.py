"""What notices a mutation: test programs, the thread sanitizer, the cases."""
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

CHECK_SECONDS = 180


@dataclasses.dataclass
class Catch:
    judge: str
    how: str  # "fails", "signal 6", for a case "fail" or "error"
    keys: list = dataclasses.field(default_factory=list)  # of a case: judged keys that differed

    def __str__(self):
        return f"{self.judge} ({', '.join(self.keys) or self.how})"


def environment_for(mutation):
    chosen = {"GPUCHECK_MUTATION": str(mutation.number)} if mutation is not None and mutation.form else {}
    return {**os.environ, **chosen}


def run_program(command, mutation):
    """How the command ended, when it did not end well."""
    try:
        done = subprocess.run(command, env=environment_for(mutation), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=CHECK_SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    return None if done.returncode == 0 else "fails"


class TestProgram:
    """One of the unit tests."""

    def __init__(self, name, preset="dev", arguments=()):
        self.name, self.preset, self.arguments = name, preset, arguments

    def targets(self):
        return self.preset, [self.name]

    def notices(self, tree, mutation):
        how = run_program([tree.program(self.preset, self.name), *self.arguments], mutation)
        label = self.name.removeprefix("gpucheck_").replace("_", " ") + (" under tsan" if self.preset == "tsan" else "")
        return [Catch(label, how)] if how else []


def allocators(tree):
    """Options of gpucheck for each allocator that the cases can check, with the cases that are for it."""
    library = tree.program("dev", "good.so")
    return [[], ["--allocator", "async"], ["alloc.pluggable_*", "--allocator", library]]


class Cases:
    """All cases, on the simulated device, with one allocator after the other until something is noticed."""

    def targets(self):
        return "dev", ["gpucheck", "gpucheck_pluggable_good"]

    def notices(self, tree, mutation):
        for options in allocators(tree):
            if caught := self.run(tree.program("dev", "gpucheck"), options, mutation):
                return caught
        return []

    def run(self, program, options, mutation):
        with tempfile.TemporaryDirectory(prefix="gpucheck-mutate-") as folder:
            report = pathlib.Path(folder) / "run.json"
            how = run_program([program, "run", *options, "--device", "sim", "--json", report], mutation)
            if how is None:
                return []
            try:
                results = json.loads(report.read_text())["cases"]
            except (OSError, ValueError):
                return [Catch("the run itself", how)]
        return [self.catch(result) for result in results if result["outcome"] not in ("pass", "skip")] or \
            [Catch("the run itself", how)]

    @staticmethod
    def catch(result):
        keys = [mismatch["key"] for mismatch in result["mismatches"] if not mismatch["key"].startswith("rule.")]
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
        done = subprocess.run([tree.program("dev", "gpucheck"), "prove", *options, "--device", "sim", "--json"],
                              capture_output=True, text=True)
        for case in json.loads(done.stdout)["cases"]:
            for key in case["keys"]:
                name = f"{case['name']}: {key['key']}"
                judged[name] = None
                if key["red_under"]:
                    red.add(name)
    return list(judged), red
