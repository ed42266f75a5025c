#!/usr/bin/env bash
# Installs the Debian packages that building, testing and running whatwire need (docs/dependencies.md says why each).
# Does nothing when all are there. Without root it prints the exact command and stops.
set -euo pipefail
packages=(
  g++ gfortran cmake ninja-build ccache git python3
  libopenmpi-dev openmpi-bin libmpich-dev mpich ucx-utils
  pvm pvm-dev pvm-examples netbase
  libopen-trace-format2-dev libotf2-trace-dev otf2-tools
  libcli11-dev libtomlplusplus-dev libfmt-dev libexpected-dev nlohmann-json3-dev libgtest-dev
  libcpp-httplib-dev libsqlite3-dev
  iproute2 procps util-linux pkg-config
  zlib1g-dev
  clang-19 lld-19 libc++-19-dev-wasm32 libclang-rt-19-dev-wasm32 wasi-libc
  libclang-19-dev libclang-cpp19-dev libflang-19-dev llvm-19-dev
  chromium
)
# npm may come with a newer nodejs that is not Debian's
command -v npm >/dev/null || packages+=(nodejs npm)
[[ ${1:-} == --development ]] && packages+=(clang-format-14 clang-tidy-14 netpipe-openmpi netpipe-mpich2 libsimgrid-dev)
missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0
if ((EUID != 0)); then
  echo "setup.sh: packages are missing; as root, run:" >&2
  echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "setup.sh: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
