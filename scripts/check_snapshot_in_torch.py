#!/usr/bin/env python3
"""check_snapshot_in_torch.py SNAPSHOT.pickle [SNAPSHOT.json]

Loads a memory snapshot that gpucheck wrote and runs what PyTorch makes of one:
trace_plot, segment_plot, segsum, trace, memory and segments of torch.cuda._memory_viz.
Needs PyTorch, no GPU and no network. Exit 0 when all of them work and say what the
snapshot says, 77 without PyTorch, else 1 with the reason."""
import base64
import json
import pickle
import re
import sys


def shown_by(page):
    """The snapshot inside a page of torch.cuda._memory_viz: a pickle as base64, padded with zeros."""
    found = re.findall(r'"base64":\s*"([A-Za-z0-9+/=]+)"', page)
    assert len(found) == 1, f"expected one file in the page, found {len(found)}"
    return pickle.loads(base64.b64decode(found[0]))


def check_structure(snapshot):
    """What PyTorch's tools take for granted."""
    for segment in snapshot["segments"]:
        assert type(segment["segment_pool_id"]) is tuple, segment["segment_pool_id"]
        sizes = sum(block["size"] for block in segment["blocks"])
        assert sizes == segment["total_size"], f"blocks of {segment['address']:#x} do not fill their segment"
    for trace in snapshot["device_traces"]:
        times = [entry["time_us"] for entry in trace]
        assert times == sorted(times), "events out of order"


def check_texts(viz, snapshot):
    assert f"segments: {len(snapshot['segments'])}\n" in viz.segsum(snapshot)
    text = viz.trace(snapshot)
    for events in snapshot["device_traces"]:
        assert not events or f"{len(events)} entries" in text, text[:1000]
    # Both would draw a picture with a script from the network: only its input is of interest.
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    for lines in (viz.memory(snapshot, format_flamegraph=str), viz.segments(snapshot, format_flamegraph=str)):
        for state in {block["state"] for block in blocks}:
            expected = sum(block["size"] for block in blocks if block["state"] == state)
            found = sum(int(line.rsplit(" ", 1)[1]) for line in lines.splitlines() if f";{state};" in line)
            assert found == expected, f"{state}: {found} bytes instead of {expected}"


def main():
    try:
        from torch.cuda import _memory_viz as viz
    except ImportError as problem:
        print(f"PyTorch is not installed: {problem}")
        return 77
    with open(sys.argv[1], "rb") as file:
        snapshot = pickle.load(file)
    check_structure(snapshot)
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            assert json.loads(json.dumps(snapshot)) == json.load(file), "JSON and pickle differ"
    for plot in (viz.trace_plot, viz.segment_plot):
        assert shown_by(plot(snapshot)) == snapshot, f"{plot.__name__} does not show the snapshot"
    check_texts(viz, snapshot)
    events = sum(len(trace) for trace in snapshot["device_traces"])
    print(f"PyTorch draws and sums it: {len(snapshot['segments'])} segments, {events} events")
    return 0


if __name__ == "__main__":
    sys.exit(main())
