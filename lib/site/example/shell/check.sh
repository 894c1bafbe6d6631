#!/bin/sh
# Observes, and judges nothing: golden.json says what must be seen.
# Exit codes: 0 all was observed, 77 skip, 99 it could not be judged; each other one is a failure.
set -eu

# One line of JSON to the descriptor that is for observations; stdout and stderr are kept for people.
observe() { printf '{"%s": %s}\n' "$1" "$2" >&"$GPUCHECK_OBSERVATIONS"; }

[ -d "$GPUCHECK_PARAMETER_PATH" ] || { echo "there is no $GPUCHECK_PARAMETER_PATH" >&2; exit 77; }
echo "seen from the device $GPUCHECK_DEVICE_UUIDS ($GPUCHECK_DEVICE_KIND)"

free_mib=$(df -P -m "$GPUCHECK_PARAMETER_PATH" | awk 'NR == 2 { print $4 }')
observe free_mib "$free_mib"
if [ "$free_mib" -ge "$GPUCHECK_PARAMETER_MINIMUM_MIB" ]; then observe has_room true; else observe has_room false; fi
