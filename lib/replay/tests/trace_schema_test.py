#!/usr/bin/env python3
"""Checks trace.schema.json: the recorded traces are valid, and what the reader rejects for its form is not.

Exit code: 77 without python3-jsonschema."""
import copy
import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

TESTS = pathlib.Path(__file__).resolve().parent
schema = json.loads((TESTS.parent / "trace.schema.json").read_text())
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
failures = []


def expect(is_valid, document, what):
    if validator.is_valid(document) != is_valid:
        failures.append(f"{what}: {'rejected' if is_valid else 'accepted'}")


def one_of_each(trace):
    """The trace with the first operation of each form: all of them take minutes."""
    forms = {}
    for op in trace["ops"]:
        form = (op[0], len(op)) if isinstance(op, list) else (op["op"], *op)
        forms.setdefault(form, op)
    rows = {key: trace[key][:10] for key in ("stats_after_op", "stat_changes_after_op") if key in trace}
    return trace | rows | {"ops": list(forms.values())}


recorded = 0
for name in ("traces", "caching", "pools", "graphs", "pinned"):
    for trace in json.loads((TESTS / "data" / f"pytorch_{name}.json").read_text()):
        expect(True, one_of_each(trace), f"{name}: {trace['name']}")
        recorded += 1
if recorded != 3 + 17 + 16 + 12 + 12:
    failures.append(f"{recorded} recorded traces")

sound = {"ops": [["alloc", 0, 5], {"op": "free", "id": 0}], "stat_keys": ["num_ooms"], "stats_after_op": [[0], None]}
expect(True, sound, "a trace by hand")
expect(True, {"traces": [sound]}, "a list under traces")
for change in ({"ops": [["move", 0]]}, {"ops": [["alloc", 0]]}, {"ops": [{"op": "alloc", "id": 0}]},
               {"ops": [["begin_capture", 0, 0]]}, {"ops": [["free", -1]]}, {"ops": [["synchronize", 1]]},
               {"memory": "paged"}, {"memory": "pinned"}, {"stat_keys": ["num_host_alloc"]},
               {"stat_changes_after_op": [[0]]}, {"streams": 0}, {"baseline": [512]}, {"memory_limit": -1},
               {"final_segments": [{"size": 1, "stream0": True, "type": "huge", "blocks": []}]}):
    expect(False, copy.deepcopy(sound) | change, str(change))

print("\n".join(failures) or f"{recorded} recorded traces are valid")
sys.exit(1 if failures else 0)
