#!/usr/bin/env python3
"""Observes, and judges nothing: golden.json says what must be seen.

Exit codes: 0 all was observed, 77 skip, 99 it could not be judged; each other one is a failure.
"""

import json
import os
import shutil
import sys

# One line of JSON to the descriptor that is for observations; stdout and stderr are kept for people.
observations = os.fdopen(int(os.environ["GPUCHECK_OBSERVATIONS"]), "w", buffering=1)


def observe(key, value):
    print(json.dumps({key: value}), file=observations)


path = os.environ["GPUCHECK_PARAMETER_PATH"]
if not os.path.isdir(path):
    print(f"there is no {path}", file=sys.stderr)
    sys.exit(77)
print(f"seen from the device {os.environ['GPUCHECK_DEVICE_UUIDS']} ({os.environ['GPUCHECK_DEVICE_KIND']})")

free_mib = shutil.disk_usage(path).free >> 20
observe("free_mib", free_mib)
observe("has_room", free_mib >= int(os.environ["GPUCHECK_PARAMETER_MINIMUM_MIB"]))
