#!/usr/bin/env bash
# Makes .deps/venv with PyTorch, transformers and TensorBoard: what the parity tests and the benchmarks' peers need.
# Nothing of the product needs it. About 820 MB are fetched the first time.
#
#   ./scripts/peers.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

VENV="$ROOT/.deps/venv"
CACHE="$(cache_folder)"
STAMP="$VENV/.requirements"
REQUIREMENTS="$ROOT/tests/parity/requirements.txt"

main() {
  if cmp -s "$REQUIREMENTS" "$STAMP"; then
    echo "peers: $VENV is there"
    return
  fi
  rm -rf "$VENV"
  python3 -m venv "$VENV"
  # setup.sh's wheel of torch is used again where it is in the cache.
  "$VENV/bin/pip" install --quiet --find-links "$CACHE" --no-deps --requirement "$REQUIREMENTS"
  if ! "$VENV/bin/python" -c 'import torch' 2>/dev/null; then
    echo "peers: no CUDA libraries here; fetching those that torch asks for"
    "$VENV/bin/pip" install --quiet --find-links "$CACHE" torch==2.11.0
  fi
  "$VENV/bin/python" -c 'import torch, transformers'
  "$VENV/bin/pip" install --quiet tensorboard==2.20.0
  ldconfig -p | grep -q libtcmalloc_minimal.so.4 ||
    echo "peers: the benchmarks' tuned rows want tcmalloc: apt-get install libtcmalloc-minimal4"
  cp "$REQUIREMENTS" "$STAMP"
  echo "peers: $VENV is ready"
}
main "$@"
