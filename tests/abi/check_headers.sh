#!/bin/sh
# check_headers.sh COMPILER LANGUAGE STANDARD ROOT PATTERN [FLAG...]: each header below ROOT compiles alone, and twice,
# without a warning. Exit 77: the compiler isn't there.
set -eu
compiler=$1 language=$2 standard=$3 root=$4 pattern=$5
shift 5
command -v "$compiler" >/dev/null || { echo "skipped: $compiler is not installed"; exit 77; }
headers=$(cd "$root" && find sz -name "$pattern" | sort)
[ -n "$headers" ] || { echo "no headers $pattern in $root/sz"; exit 1; }
failed=0
for header in $headers; do
  case $language:$header in
    c++:*/easy.h) continue ;; # C only
  esac
  printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
    "$compiler" -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$root" "$@" - ||
    { echo "not clean as $standard with $compiler: $header"; failed=1; }
done
echo "$(echo "$headers" | wc -l) headers"
exit $failed
