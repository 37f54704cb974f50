#!/bin/sh
# run_outside.sh SZLAUNCH PLUGIN FOLDER: a small run on the SDK's own headers as text loads this very gradient_zscore.so,
# which writes its metric.
set -eu
szlaunch=$1 plugin=$2 folder=$3
mkdir -p "$folder/text"
for header in "$(dirname "$0")"/../../sdk/include/sz/*.h; do
  cp "$header" "$folder/text/$(basename "$header").txt"
done
cat >"$folder/run.toml" <<END
run = {name = "outside", out = "$folder", matrix_route = "mkl"}
data = {paths = ["$folder/text"], cache = "$folder/cache", vocabulary = 300}
model = {layers = 1, width = 16, heads = 2}
train = {steps = 6, context = 16, micro_batch = 2}
eval = {samples = 4}
plugins.gradient_zscore = {enabled = true, path = "$plugin", window = 2}
END
"$szlaunch" run "$folder/run.toml" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
z_scores=$(grep -c '"gradient_zscore\.z":' "$folder/outside/metrics.jsonl" || true)
[ "$z_scores" -eq 4 ] || { echo "$z_scores of steps 3 to 6 have the plugin's metric"; exit 1; }
echo "$plugin was loaded and told 4 z-scores"
