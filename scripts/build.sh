# Sourced by the scripts that build: installs what is missing, configures (once) and builds.
# Everything it prints goes to stderr.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_folder=$root/build/release

# is_installed PACKAGE
is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# package_of NAME…: of the names that a package has, the first that is installed here, or that apt knows here; the last
# where it knows none.
package_of() {
  local name
  for name in "$@"; do
    # Of a name that other packages speak of and nobody has, apt-cache shows nothing and succeeds.
    if is_installed "$name" || [ -n "$(apt-cache show "$name" 2>/dev/null)" ]; then break; fi
  done
  echo "$name"
}

# missing_packages LIST…: packages named in the files that are not installed. "NAME | NAME" is a package whose name
# differs from distribution to distribution.
missing_packages() {
  local line package
  while read -r line; do
    case $line in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086  # a list of words on purpose
    package=$(package_of ${line//|/})
    is_installed "$package" || echo "$package"
  done < <(cat "$@")
}

# install_missing_packages LIST…
install_missing_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # Not a Debian system: the packages cannot be checked by name. CMake will name what it lacks.
    return 0
  fi
  local packages
  packages=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$packages" ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      echo "gpucheck needs packages that are not installed, and this user may not install them. Run:" >&2
      echo "  sudo apt-get update && sudo apt-get install --no-install-recommends $packages" >&2
      exit 3
    fi
  fi
  "${as_root[@]}" apt-get update >&2
  packages=$(missing_packages "$@" | tr '\n' ' ')  # before, apt may have known no names
  echo "gpucheck: installing $packages" >&2
  # shellcheck disable=SC2086  # a list of words on purpose
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y --no-install-recommends $packages >&2 || {
    echo "gpucheck: apt-get failed; install these packages by hand, then try again: $packages" >&2
    exit 3
  }
}

# base_of_changes [BASE]: the commit to compare with; by default where this branch left origin/main, on main itself the
# commit before. Nothing in a clone of one commit.
base_of_changes() {
  local base=${1:-$(git merge-base HEAD origin/main 2>/dev/null || true)}
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then base=$(git rev-parse --verify --quiet HEAD~1 || true); fi
  echo "$base"
}

# configure PRESET: with ccache and mold where they are installed.
configure() {
  [ ! -f "$build_folder/build.ninja" ] || return 0
  local options=()
  if command -v ccache >/dev/null; then
    # Without this ccache keeps nothing that is compiled with precompiled headers.
    local launcher="env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache"
    options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CUDA_COMPILER_LAUNCHER=$launcher")
  fi
  if command -v mold >/dev/null; then options+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold); fi
  (cd "$root" && cmake --preset "$1" -B "$build_folder" "${options[@]}" >&2)
}

# build [TARGET…]: all targets when none is named.
build() {
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  cmake --build "$build_folder" "${targets[@]}" -- --quiet >&2
}
