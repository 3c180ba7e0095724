#!/bin/sh
# A build in somebody else's CI: fetches the ledger of releases, builds the commit that is checked out, tests its image as
# a push to `kiln pipeline` does, records its release, and pushes its image. Needs a full clone with the right to push, `kiln` on the path, and a Docker engine that
# is logged in to the registry.
#
#   KILN_IMAGE       the image without a tag, such as ghcr.io/acme/blog
#   KILN_BRANCH      the branch whose ledger is continued
#   KILN_DIRECTORY   the folder of the sources; the current one where it is not set
#   KILN_POSTGRES    the image of Postgres that the image is tested with; postgres:18 where it is not set
#   KILN_BASE_IMAGE  the runtime base image, which is pulled; made from this checkout of Kiln where it is not set
#   KILN_SIGNING_KEY a private key in PEM that signs the provenance; nothing is signed where it is not set
#   KILN_GIT_TOKEN   the token for the ledger, where the clone has no credentials of its own; KILN_GIT_USER is its user
set -eu
# Only transfers of git see it: neither the build nor .git/config.
token=${KILN_GIT_TOKEN:-}
unset KILN_GIT_TOKEN
: "${KILN_IMAGE:?KILN_IMAGE is not set: it is the image without a tag, such as ghcr.io/acme/blog}"
: "${KILN_BRANCH:?KILN_BRANCH is not set: it is the branch that is built}"
refuse() {
  echo "error: $*" >&2
  exit 1
}

# git with the token, for the address of `origin` alone.
with_token() {
  if [ -z "$token" ]; then
    git "$@"
    return
  fi
  basic=$(printf '%s:%s' "${KILN_GIT_USER:-x-access-token}" "$token" | base64 | tr -d '\n')
  origin=$(git remote get-url origin)
  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$origin.extraheader" GIT_CONFIG_VALUE_0="Authorization: Basic $basic" git "$@"
}

# What GitHub checks out for a pull request is on no branch, and a tag has no ledger.
case ${GITHUB_REF:-refs/heads/} in
  refs/heads/*) ;;
  *) refuse "$GITHUB_REF is not a branch, and releases are made of branches; run this job on pushes to branches only" ;;
esac

kiln=$(cd "$(dirname "$0")/.." && pwd)
image=$(printf %s "$KILN_IMAGE" | tr '[:upper:]' '[:lower:]')
directory=${KILN_DIRECTORY:-.}
base=${KILN_BASE_IMAGE:-kiln-runtime}

if [ -z "${KILN_BASE_IMAGE:-}" ]; then
  docker build --quiet --tag kiln-runtime "$kiln" >/dev/null
elif ! docker image inspect "$base" >/dev/null 2>&1; then
  docker pull --quiet "$base"
fi

# As they are there: a runner that is used again may hold a release of a job whose push was refused.
with_token fetch --quiet --prune origin '+refs/kiln/*:refs/kiln/*'

commit_tag=$(git rev-parse --short=12 HEAD)
branch_tag=$(printf %s "$KILN_BRANCH" | tr -sc '[:alnum:]_.-' '-' | sed 's/^[.-]*//' | cut -c -128)
# A project in a folder has ledgers of its own: refs/kiln/folders/apps%2Fblog/releases/main.
folder=$(git -C "$directory" rev-parse --show-prefix)
folder=$(node -p 'process.argv[1].replace(/\/$/, "").replace(/[^\w-]/gu, (c) => Buffer.from(c).toString("hex").toUpperCase().replace(/../g, "%$&"))' "$folder")
records=refs/kiln/${folder:+folders/$folder/}
branch=$(printf %s "$KILN_BRANCH" | sed 's/%/%25/g; s|/|%2F|g')
ledger=${records}releases/$branch
journal=${records}builds/$branch
journal_before=$(git rev-parse --verify --quiet "$journal" || true)

# Jobs do not run in the order of their commits, and old ones may be run again. What a newer release contains is no
# release any more, and the image of an older one does not get the tag of its branch.
head=$(git rev-parse HEAD)
releases=$(git log --format='%(trailers:key=Revision,valueonly,separator=%x2C)' "$ledger" -- 2>/dev/null || true)
newest=${releases%%
*}
is_old=
if [ -n "$newest" ] && [ "$newest" != "$head" ] && git merge-base --is-ancestor HEAD "$newest" 2>/dev/null; then
  is_old=yes
  printf '%s\n' "$releases" | grep -qx "$head" ||
    refuse "$commit_tag is part of $newest, which has been released on $KILN_BRANCH already; to go back, revert in a new commit"
  echo "A newer commit has been released on $KILN_BRANCH: $image:${branch_tag:-branch} stays where it is"
fi

set -- --tag "$image:$commit_tag"
[ -n "$is_old" ] || set -- "$@" --tag "$image:${branch_tag:-branch}"

# The release before is tested beside this one where its image can be had.
if [ -n "$newest" ] && [ "$newest" != "$head" ]; then
  docker pull --quiet "$image:$(printf %.12s "$newest")" >/dev/null 2>&1 || true
fi

# The image is tested first: what fails is no release. The release is recorded before anybody can pull its image: a
# database is only ever brought to releases that the ledger knows. The second build gives the same image, and pushes it.
kiln build "$directory" --branch "$KILN_BRANCH" --base "$base" --test "${KILN_POSTGRES:-postgres:18}" "$@"
with_token push --quiet origin "$ledger:$ledger" ||
  refuse "the release was not recorded: another build was first (run this again), or this job may not push to $ledger"
pushed=$(kiln build "$directory" --branch "$KILN_BRANCH" --base "$base" "$@" --push) || {
  code=$?
  printf '%s\n' "$pushed"
  exit "$code"
}
printf '%s\n' "$pushed"

# `kiln pipeline log` says there what was built. Without this the release and its image are no less valid.
with_token push --quiet --force-with-lease="$journal:$journal_before" origin "$journal:$journal" ||
  echo "note: the journal of builds was not handed over, so \`kiln pipeline log\` says \"not built\" there" >&2

# The report of the build, for `kiln pipeline show --open` there. Without it the release and its image are no less valid.
reports=${ledger%releases/*}reports/${ledger##*/}
if git rev-parse --quiet --verify "$reports" >/dev/null; then
  with_token push --quiet origin "$reports:$reports" ||
    echo "note: the report of the build was not handed over; the release and its image are complete without it" >&2
fi

if [ -n "${GITHUB_OUTPUT:-}" ]; then
  digest=$(printf '%s\n' "$pushed" | sed -n "s|.*$image:$commit_tag@\(sha256:[0-9a-f]*\).*|\1|p" | head -n 1)
  printf '%s\n' "image=$image:$commit_tag" "name=$image" "digest=$digest" >>"$GITHUB_OUTPUT"
fi
