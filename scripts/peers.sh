#!/usr/bin/env bash
# Makes .deps/venv with PyTorch, transformers, TensorBoard, DeepSpeed and sacrebleu: what the parity tests and the
# benchmarks need. Nothing of the product needs it. About 820 MB are fetched the first time; what is there already stays.
#
#   ./scripts/peers.sh            all of them
#   ./scripts/peers.sh --tests    those that the tests read: PyTorch, transformers, TensorBoard
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

VENV="$ROOT/.deps/venv"
CACHE="$(cache_folder)"
TESTS="$ROOT/tests/parity/requirements.txt"
BENCHMARKS="$ROOT/benchmarks/peers/requirements.txt"

# Debian keeps what a virtual environment is made of in a package of its own.
require_venv() {
  python3 -c 'import ensurepip' 2>/dev/null && return
  [ "$(id -u)" -eq 0 ] || die 2 'peers: python3 makes no virtual environments here; as root: apt-get install python3-venv'
  echo 'peers: installing python3-venv'
  apt update && apt install --no-install-recommends python3-venv || die 2 'peers: apt-get install python3-venv failed'
}

install_tests() {
  local stamp="$VENV/.requirements"
  cmp -s "$TESTS" "$stamp" && return
  require_venv
  rm -rf "$VENV"
  python3 -m venv "$VENV"
  # setup.sh's wheel of torch is used again where it is in the cache.
  "$VENV/bin/pip" install --quiet --find-links "$CACHE" --no-deps --requirement "$TESTS"
  if ! "$VENV/bin/python" -c 'import torch' 2>/dev/null; then
    echo "peers: no CUDA libraries here; fetching those that torch asks for"
    "$VENV/bin/pip" install --quiet --find-links "$CACHE" torch==2.11.0
  fi
  "$VENV/bin/python" -c 'import torch, transformers'
  "$VENV/bin/pip" install --quiet tensorboard==2.20.0
  cp "$TESTS" "$stamp"
}

# DeepSpeed comes as source; its C++ parts are left for its first use, since most of them are for GPUs.
install_benchmarks() {
  local stamp="$VENV/.requirements-benchmarks"
  cmp -s "$BENCHMARKS" "$stamp" && return
  DS_BUILD_OPS=0 "$VENV/bin/pip" install --quiet --no-deps --requirement "$BENCHMARKS"
  "$VENV/bin/pip" install --quiet sacrebleu==2.5.1  # chrF and BLEU of benchmarks/curriculum
  DS_ACCELERATOR=cpu "$VENV/bin/python" -c 'import deepspeed' >/dev/null
  command -v c++ >/dev/null || echo "peers: DeepSpeed's optimizer wants a C++ compiler: apt-get install g++"
  cp "$BENCHMARKS" "$stamp"
}

main() {
  case ${1-} in
    --tests) install_tests ;;
    '')
      install_tests
      install_benchmarks
      ldconfig -p | grep -q libtcmalloc_minimal.so.4 ||
        echo "peers: the benchmarks' tuned rows want tcmalloc: apt-get install libtcmalloc-minimal4"
      ;;
    *) die 2 "peers.sh: unknown argument '$1' (there is only --tests)" ;;
  esac
  echo "peers: $VENV is ready"
}
main "$@"
