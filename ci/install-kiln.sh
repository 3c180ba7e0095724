#!/bin/sh
# Installs the Kiln of this checkout, and puts `kiln` on the path of the job. Needs Node and npm.
set -eu
kiln=$(cd "$(dirname "$0")/.." && pwd)

(cd "$kiln" && npm ci --omit=dev --no-audit --no-fund --loglevel=error)
mkdir -p "$kiln/dist/bin"
ln -sf ../kiln.js "$kiln/dist/bin/kiln"

if [ -n "${GITHUB_PATH:-}" ]; then
  echo "$kiln/dist/bin" >>"$GITHUB_PATH"
else
  echo "Put $kiln/dist/bin on the PATH to call kiln."
fi
