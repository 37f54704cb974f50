#!/bin/sh
# check_exports.sh PLUGIN.so...: each has exactly one exported symbol, the entry, and its ABI note.
set -eu
for plugin in "$@"; do
  symbols=$(nm -D --defined-only "$plugin" | awk '{print $3}')
  [ "$symbols" = sz_plugin_entry_v1 ] || { echo "$plugin exports: $symbols"; exit 1; }
  readelf -n "$plugin" | grep -q SZPLUGIN || { echo "$plugin lacks the note SZPLUGIN"; exit 1; }
  readelf -d "$plugin" | grep -q NODELETE || { echo "$plugin may be unloaded"; exit 1; }
done
