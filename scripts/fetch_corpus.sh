#!/usr/bin/env bash
# Fetches real English and Chinese text into .cache/corpus/text/{en,zh}/, out of Debian packages that are only
# unpacked, never installed. Does nothing when the text is there and current.
#
#   ./scripts/fetch_corpus.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Every package, once, with its text.
PACKAGES=(
  fortunes                # English: quotations, jokes, verse
  fortunes-min            # English: more of these
  anarchism               # English: long expository prose
  fortunes-zh             # Chinese: Tang and Song poems, proverbs, classics
  debian-reference-zh-cn  # Chinese: technical prose
)
CORPUS="$ROOT/.cache/corpus"
TEXT="$CORPUS/text"
STAMP="$CORPUS/text.stamp"

download() {  # download FOLDER: all packages as .deb files
  (cd "$1" && apt-get -q -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30 \
    download "${PACKAGES[@]}")
}

fetch_packages() {
  local part package name
  part=$(mktemp -d "$CORPUS/.part.XXXXXX")
  if ! download "$part" >"$part/log" 2>&1; then
    # A fresh machine has no package lists yet.
    if [ "$(id -u)" -ne 0 ] || ! apt-get -q update >>"$part/log" 2>&1 || ! download "$part" >>"$part/log" 2>&1; then
      cat "$part/log" >&2
      rm -rf "$part"
      die 4 "fetch_corpus: the text is not in $CORPUS and cannot be fetched." \
        "With a network, as root: apt-get update, then run this script again. Or put your own .txt files into" \
        "$TEXT/en and $TEXT/zh, or name them in data.paths of the configuration."
    fi
  fi
  for package in "$part"/*.deb; do
    name=$(basename "$package")
    mkdir -p "$part/packages/${name%%_*}"
    dpkg -x "$package" "$part/packages/${name%%_*}"
  done
  rm -rf "$CORPUS/packages"
  mv "$part/packages" "$CORPUS/packages"
  rm -rf "$part"
}

have_packages() {
  local name
  for name in "${PACKAGES[@]}"; do
    [ -d "$CORPUS/packages/$name" ] || return 1
  done
}

extract() {
  rm -rf "$CORPUS/text.part"
  python3 scripts/extract_corpus.py "$CORPUS/packages" "$CORPUS/text.part"
  rm -rf "$TEXT"
  mv "$CORPUS/text.part" "$TEXT"
}

version=$(cat scripts/fetch_corpus.sh scripts/extract_corpus.py | sha256sum)
mkdir -p "$CORPUS"
exec 9>"$CORPUS/.lock"
flock 9
rm -rf "$CORPUS"/.part.*
if [ -d "$TEXT" ] && { [ ! -e "$STAMP" ] || [ "$(cat "$STAMP")" = "$version" ]; }; then
  # Current, or text that somebody put there by hand.
  echo "corpus: $TEXT is there"
  exit 0
fi
rm -f "$STAMP.part"
have_packages || fetch_packages
extract
echo "$version" >"$STAMP.part"
mv "$STAMP.part" "$STAMP"
