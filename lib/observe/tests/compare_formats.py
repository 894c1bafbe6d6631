"""compare_formats.py SNAPSHOT.json SNAPSHOT.pickle

Fails unless both files say the same, the pickle has only what pytorch.org/memory_viz
reads, and pool ids are tuples in it."""
import json
import pickle
import pickletools
import sys

# What the page's own reader knows: torch/utils/viz/MemoryViz.js of PyTorch 2.11.
KNOWN = {
    "PROTO", "FRAME", "MARK", "STOP", "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "SETITEM", "SETITEMS", "APPEND",
    "APPENDS", "TUPLE1", "TUPLE2", "TUPLE3", "TUPLE", "LIST", "DICT", "NONE", "NEWTRUE", "NEWFALSE", "BININT",
    "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "BINGET", "LONG_BINGET", "BINPUT",
    "LONG_BINPUT", "MEMOIZE",
}


def as_json(value):
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return value




with open(sys.argv[1], encoding="utf-8") as file:
    from_json = json.load(file)
with open(sys.argv[2], "rb") as file:
    data = file.read()
from_pickle = pickle.loads(data)
opcodes = list(pickletools.genops(data))
unknown = {opcode.name for opcode, _, _ in opcodes} - KNOWN
assert not unknown, f"opcodes that the page does not know: {unknown}"
assert opcodes[0][1] in (2, 3, 4), f"protocol {opcodes[0][1]}"
for segment in from_pickle["segments"]:
    assert type(segment["segment_pool_id"]) is tuple, segment["segment_pool_id"]
assert json.dumps(as_json(from_pickle)) == json.dumps(from_json), "the two files differ"
