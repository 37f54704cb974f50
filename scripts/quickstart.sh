#!/usr/bin/env bash
# From a bare machine to a trained model: installs what is missing, builds, fetches English and Chinese text,
# trains a small GPT-2 on it with two MPI ranks.
#
#   ./scripts/quickstart.sh [--set KEY=VALUE]...     further arguments go to `szlaunch run`
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

phase set-up ./scripts/setup.sh
phase configure configure
phase build build product
phase corpus ./scripts/fetch_corpus.sh
phase training "$BUILD/bin/szlaunch" run configs/quickstart.toml -n 2 "$@"
