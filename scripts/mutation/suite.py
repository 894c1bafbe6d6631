"""Everything that CTest runs, and `gpucheck prove` of each case, as judges of generated mutations: which of them reach a
mutation, and which notice it."""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import time

from tree import SLOTS

SKIPPED = 77


@dataclasses.dataclass
class Check:
    """One of them."""
    name: str
    kind: str  # "test", "case" or "prove"
    command: list
    folder: str
    seconds: float = 0
    reached: frozenset = frozenset()

    @property
    def filter(self):
        """The program and the name of the test, of what can run with others in one process."""
        chosen = [word for word in self.command if word.startswith("--gtest_filter=")]
        return (self.command[0], chosen[0].partition("=")[2]) if chosen else None


def ended_well(command, folder, environment, limit):
    """Whether it did, and the seconds that it took. Nothing that it starts outlives it."""
    started = time.monotonic()
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "GTEST_FAIL_FAST": "1", **environment},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = -1
        finally:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass
    return status in (0, SKIPPED), time.monotonic() - started


class Suite:
    def __init__(self, build, jobs):
        """@param build the folder of a build of everything."""
        self.jobs = jobs
        self.checks = []
        listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True)
        cases = {}
        for test in json.loads(listed.stdout)["tests"]:
            properties = {one["name"]: one["value"] for one in test["properties"]}
            labels, folder = properties["LABELS"], properties["WORKING_DIRECTORY"]
            if "prove" in labels or "scripts" in labels:
                continue
            kind = "case" if "case" in labels else "test"
            self.checks.append(Check(test["name"], kind, test["command"], folder))
            if kind == "case" and test["command"][2].count(".") == 1:
                cases[test["command"][2]] = (test["command"][0], folder)
        for case, (program, folder) in cases.items():
            self.checks.append(Check(case, "prove", [program, "prove", case, "--device", "sim:devices=2"], folder))

    def measure(self):
        """Notes of each check how long it takes and which mutations it reaches. Returns what fails without any."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as side_by_side:
            ended = list(side_by_side.map(self.measure_one, self.checks))
        failing = [check for check, well in zip(self.checks, ended) if not well]
        self.checks = [check for check, well in zip(self.checks, ended) if well]
        return failing

    @staticmethod
    def measure_one(check):
        with tempfile.NamedTemporaryFile(prefix="gpucheck-reached-") as file:
            file.truncate(SLOTS * 4)
            well, check.seconds = ended_well(check.command, check.folder, {"GPUCHECK_MUTATIONS_REACHED": file.name}, 900)
            numbers = struct.unpack(f"{SLOTS}I", pathlib.Path(file.name).read_bytes())
        check.reached = frozenset(numbers) - {0}
        return well

    def reaching(self, mutation, kind):
        """The quickest first."""
        return sorted((check for check in self.checks if check.kind == kind and mutation.number in check.reached),
                      key=lambda check: check.seconds)

    def notices(self, mutation, kind):
        """The first check of the kind that fails with the mutation; None where all pass."""
        groups = {}
        for check in self.reaching(mutation, kind):
            groups.setdefault(check.filter and check.filter[0] or check.name, []).append(check)
        for group in sorted(groups.values(), key=lambda checks: sum(check.seconds for check in checks)):
            command = list(group[0].command)
            if group[0].filter:
                command = [command[0], "--gtest_filter=" + ":".join(check.filter[1] for check in group)]
            limit = 10 + 5 * sum(check.seconds for check in group)
            if not ended_well(command, group[0].folder, {"GPUCHECK_MUTATION": str(mutation.number)}, limit)[0]:
                return group[0].name if len(group) == 1 else f"{len(group)} of {pathlib.Path(command[0]).name}"
        return None
