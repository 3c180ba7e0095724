#!/bin/sh
# A build in somebody else's CI: fetches the ledger of releases, builds the commit that is checked out, records its
# release, and pushes its image. Needs a full clone with the right to push, `kiln` on the path, and a Docker engine that
# is logged in to the registry.
#
#   KILN_IMAGE       the image without a tag, such as ghcr.io/acme/blog
#   KILN_BRANCH      the branch whose ledger is continued
#   KILN_DIRECTORY   the folder of the sources; the current one where it is not set
#   KILN_BASE_IMAGE  the runtime base image; made from this checkout of Kiln where it is not set
set -eu
: "${KILN_IMAGE:?KILN_IMAGE is not set: it is the image without a tag, such as ghcr.io/acme/blog}"
: "${KILN_BRANCH:?KILN_BRANCH is not set: it is the branch that is built}"
kiln=$(cd "$(dirname "$0")/.." && pwd)
image=$(printf %s "$KILN_IMAGE" | tr '[:upper:]' '[:lower:]')
directory=${KILN_DIRECTORY:-.}
base=${KILN_BASE_IMAGE:-kiln-runtime}

if [ -z "${KILN_BASE_IMAGE:-}" ]; then
  docker build --quiet --tag kiln-runtime "$kiln" >/dev/null
fi

git fetch --quiet origin 'refs/kiln/*:refs/kiln/*'

commit_tag=$(git rev-parse --short=12 HEAD)
branch_tag=$(printf %s "$KILN_BRANCH" | tr -sc '[:alnum:]_.-' '-' | cut -c -128)
# A project in a folder has ledgers of its own: refs/kiln/folders/apps%2Fblog/releases/main.
folder=$(git -C "$directory" rev-parse --show-prefix)
folder=$(node -p 'process.argv[1].replace(/\/$/, "").replace(/[^\w-]/gu, (c) => Buffer.from(c).toString("hex").toUpperCase().replace(/../g, "%$&"))' "$folder")
ledger=refs/kiln/${folder:+folders/$folder/}releases/$(printf %s "$KILN_BRANCH" | sed 's/%/%25/g; s|/|%2F|g')

build() {
  kiln build "$directory" --branch "$KILN_BRANCH" --base "$base" --tag "$image:$commit_tag" --tag "$image:$branch_tag" "$@"
}

# The release is recorded before anybody can pull its image: a database is only ever brought to releases that the ledger
# knows. The second build gives the same image, and pushes it.
build
if ! git push --quiet origin "$ledger:$ledger"; then
  echo "error: the release was not recorded: another build may have been first, or this job may not push to $ledger; run it again" >&2
  exit 1
fi
build --push

if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "image=$image:$commit_tag" >>"$GITHUB_OUTPUT"
fi
