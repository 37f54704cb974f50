# shellcheck shell=bash
# Shared by the scripts beside it (sourced, not run): the repository's root, timed phases, one way to configure.
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
BUILD="${SZ_BUILD:-$ROOT/build}"
cd "$ROOT" || exit

die() {  # die CODE MESSAGE...: the project's exit codes (2 usage or set-up, 4 data)
  local code=$1
  shift
  printf '%s\n' "$@" >&2
  exit "$code"
}

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 \
    -o Acquire::http::Timeout=30 "$@"
}

# Downloads that all clones share. Services and cron run without HOME.
cache_folder() {
  local home=${HOME:-}
  [ -n "$home" ] || home=$(unset HOME && echo ~)
  echo "${XDG_CACHE_HOME:-$home/.cache}/socratic-zero"
}

# phase NAME COMMAND...: runs the command, then says how long it took; a failure names the phase.
phase() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '== %s\n' "$name"
  "$@" || status=$?
  if [ "$status" -ne 0 ]; then
    printf '== %s failed after %d s (exit code %d)\n' "$name" $((SECONDS - start)) "$status" >&2
    exit "$status"
  fi
  printf '== %s: %d s\n' "$name" $((SECONDS - start))
}

# One compiler needs up to 2 GB for a file that includes LibTorch's headers.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# configure [CMAKE-OPTION...]: the one build tree of all scripts. A LibTorch of the user's own is passed on.
configure() {
  # Clones in other folders share compiled objects.
  export CCACHE_BASEDIR="$ROOT" CCACHE_NOHASHDIR=1
  cmake -S "$ROOT" -B "$BUILD" -G Ninja ${SZ_LIBTORCH:+"-DSZ_LIBTORCH=$SZ_LIBTORCH"} "$@"
}

build() {  # build TARGET...
  cmake --build "$BUILD" --parallel "$(build_jobs)" --target "$@"
}

# mpirun refuses to run as root unless told twice.
if [ "$(id -u)" -eq 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
