#!/bin/sh
# Installs the Debian packages that Lazyscope is built from, then configures and builds it in build/.
# Runs again without harm: what is installed is left alone, what is built is not built again. Works as root or with sudo.
set -eu
cd "$(dirname "$0")/.."

packages="gcc meson ninja-build pkg-config libglib2.0-dev libjson-glib-dev libsqlite3-dev libcapstone-dev libpython3-dev libtcc-dev libdw-dev
libgtk-4-dev libadwaita-1-dev libgtksourceview-5-dev blueprint-compiler libgraphviz-dev graphviz libxml2-utils gettext
adwaita-icon-theme librsvg2-common fonts-dejavu-core xvfb xauth libxtst-dev sqlite3
at-spi2-core dbus-daemon"

missing=""
if command -v dpkg-query >/dev/null 2>&1; then
  for p in $packages; do
    dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null | grep -q '^installed$' || missing="$missing $p"
  done
  if [ -n "$missing" ]; then
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
      if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: these packages are missing:$missing" >&2
        echo "setup: install them as root (apt-get install$missing), then run this again" >&2
        exit 1
      fi
      as_root=sudo
    fi
    echo "setup: installing$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  fi
else
  echo "setup: this script knows Debian's package manager only. On another distribution install the equivalents of:" >&2
  echo "$packages" >&2
  for tool in meson ninja pkg-config cc; do
    command -v "$tool" >/dev/null 2>&1 || { echo "setup: $tool is missing" >&2; exit 1; }
  done
fi

[ -f build/build.ninja ] || { echo "setup: building"; meson setup build >/dev/null; }
output=$(ninja -C build --quiet) || { printf '%s\n' "$output" >&2; exit 1; }
