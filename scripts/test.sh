#!/usr/bin/env bash
# Installs what is missing, builds all, runs all tests.
#
#   ./scripts/test.sh            every test but the long ones
#   ./scripts/test.sh --long     the long ones too
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

select=(--label-exclude '^long$')
for argument in "$@"; do
  case $argument in
    --long) select=() ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) die 2 "test.sh: unknown argument '$argument' (there is only --long)" ;;
  esac
done

phase set-up ./scripts/setup.sh
phase configure configure -DSZ_TESTS=ON
phase build build all
phase tests ctest --test-dir "$BUILD" --output-on-failure --no-tests=error --timeout 600 --parallel "$(nproc)" \
  "${select[@]}"
# ctest says of a suite that it passed, whatever was skipped in it.
awk '/: Skipped$/ { getline why } /^\[  SKIPPED \] .* ms\)$/ { print "skipped: " $4 ": " why }' \
  "$BUILD/Testing/Temporary/LastTest.log"
