#!/bin/sh
# run_mpi_check.sh MPIRUN RANKS EXPECTED_EXIT PATTERN EXPECTED_LINES PROGRAM CHECK
# Passes when mpirun exits with EXPECTED_EXIT ("nonzero": anything but 0) and EXPECTED_LINES lines of its
# output match PATTERN.
set -u
mpirun=$1 ranks=$2 expected_exit=$3 pattern=$4 expected_lines=$5
shift 5

# Open MPI refuses root and more ranks than cores unless told; idle ranks should leave the core to others.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none

output=$(timeout -k 5 50 "$mpirun" -n "$ranks" "$@" 2>&1)
code=$?
lines=$(printf '%s\n' "$output" | grep -c -E "$pattern")
printf '%s\n' "$output"
echo "exit code $code, $lines lines match"

if [ "$expected_exit" = nonzero ]; then
  [ "$code" -ne 0 ] && [ "$code" -ne 124 ] || exit 1
else
  [ "$code" -eq "$expected_exit" ] || exit 1
fi
[ "$lines" -eq "$expected_lines" ]
