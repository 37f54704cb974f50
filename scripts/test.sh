#!/usr/bin/env bash
# Installs what is missing, builds all, runs the tests.
#
#   ./scripts/test.sh            every test but the long ones
#   ./scripts/test.sh --long     the long ones too; fetches PyTorch, transformers and TensorBoard for those that compare
#                                with them (about 800 MB; where they can't be had, these tests are skipped)
#
# What was skipped is listed at the end, with the reason.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

long=false
for argument in "$@"; do
  case $argument in
    --long) long=true ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) die 2 "test.sh: unknown argument '$argument' (there is only --long)" ;;
  esac
done

peers_or_none() { ./scripts/peers.sh --tests || echo 'peers: not to be had; the tests that need them are skipped'; }

phase set-up ./scripts/setup.sh
phase configure configure -DSZ_TESTS=ON
phase build build all
if "$long"; then
  select=()
  phase peers peers_or_none
else
  select=(--label-exclude '^long$')
fi
phase tests ctest --test-dir "$BUILD" --output-on-failure --no-tests=error --timeout 600 --parallel "$(nproc)" \
  "${select[@]}"
awk -f scripts/skipped.awk "$BUILD/Testing/Temporary/LastTest.log"
