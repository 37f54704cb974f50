#!/bin/sh
# check_installed.sh CMAKE BUILD GENERATOR SZLAUNCH LIBTORCH CUDA_RUNTIME: the SDK is installed into an empty folder, and
# the projects that come with it are built from copies outside the tree, with that SDK alone: plugins, of which a run
# loads the template, and the training loop of one's own, which is run. LIBTORCH: its tree; CUDA_RUNTIME: where a CUDA
# build of it finds libcudart and libcupti.
set -eu
cmake=$1 build=$2 generator=$3 szlaunch=$4 libtorch=$5 cuda_runtime=$6
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --component sdk --prefix "$work/sdk" >/dev/null
[ -z "$(find "$work/sdk" -name '*.cpp' -path '*/include/*' -o -name '*.so')" ] || { echo "more than the SDK"; exit 1; }

build_project() {  # PROJECT [CMAKE-OPTION...]: into $work/NAME/build
  project=$1 name=$(basename "$1")
  shift
  cp -r "$work/sdk/share/socratic-zero/$project" "$work/$name"
  "$cmake" -S "$work/$name" -B "$work/$name/build" -G "$generator" -DSZ_SDK_DIR="$work/sdk" "$@" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/$name/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  echo "$name built with the installed SDK"
}

for project in template examples/early_stop examples/stairs_pacing examples/scorer_length; do
  build_project "$project"
  "$here/check_exports.sh" "$work/$name"/build/plugins/*.so
done
"$here/run_outside.sh" "$szlaunch" "$work/template/build/plugins/gradient_zscore.so" "$work/run"
build_project examples/amp_loop -DSZ_LIBTORCH="$libtorch" -DSZ_CUDA_RUNTIME_DIR="$cuda_runtime"
OMP_NUM_THREADS=1 "$work/amp_loop/build/amp_loop" O2 bf16
