#!/bin/sh
# Installs the Kiln of this checkout, and puts `kiln` on the path of the job. Needs Node and npm. With the packages for
# development, since its page of documentation is bundled from some of them.
set -eu
kiln=$(cd "$(dirname "$0")/.." && pwd)

(cd "$kiln" && SCARF_ANALYTICS=false npm ci --no-audit --no-fund --loglevel=error)
mkdir -p "$kiln/dist/bin"
ln -sf ../kiln.js "$kiln/dist/bin/kiln"

if [ -n "${GITHUB_PATH:-}" ]; then
  echo "$kiln/dist/bin" >>"$GITHUB_PATH"
else
  echo "Put $kiln/dist/bin on the PATH to call kiln."
fi
