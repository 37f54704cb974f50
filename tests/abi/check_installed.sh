#!/bin/sh
# check_installed.sh CMAKE BUILD GENERATOR SZLAUNCH: the SDK is installed into an empty folder, and the plugin projects
# that come with it are built from copies outside the tree, with that SDK alone. A run loads the template built so.
set -eu
cmake=$1 build=$2 generator=$3 szlaunch=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --component sdk --prefix "$work/sdk" >/dev/null
[ -z "$(find "$work/sdk" -name '*.cpp' -path '*/include/*' -o -name '*.so')" ] || { echo "more than the SDK"; exit 1; }
for project in template examples/early_stop examples/stairs_pacing examples/scorer_length; do
  name=$(basename "$project")
  cp -r "$work/sdk/share/socratic-zero/$project" "$work/$name"
  "$cmake" -S "$work/$name" -B "$work/$name/build" -G "$generator" -DSZ_SDK_DIR="$work/sdk" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/$name/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$here/check_exports.sh" "$work/$name"/build/plugins/*.so
  echo "$name built with the installed SDK"
done
"$here/run_outside.sh" "$szlaunch" "$work/template/build/plugins/gradient_zscore.so" "$work/run"
