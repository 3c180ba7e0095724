#!/bin/sh
# Makes the images that the tests run Postgres, HAProxy and pgbouncer in, where a Docker engine answers but no registry can be
# reached: a Debian by debootstrap, and on it what the Dockerfiles here say. Needs root, debootstrap and a Debian mirror.
#
#   test/support/images/build.sh
#   KILN_TEST_POSTGRES=docker KILN_TEST_POSTGRES_IMAGE=kiln-test-postgres KILN_TEST_PROXY_IMAGE=kiln-test-haproxy npm test
set -eu
here=$(dirname "$(realpath "$0")")
suite=${DEBIAN_SUITE:-trixie}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
base=kiln-test-debian:$suite

if ! docker image inspect "$base" > /dev/null 2>&1; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  debootstrap --variant=minbase "$suite" "$root" "$mirror"
  tar --directory "$root" --create . | docker import - "$base"
fi
for image in postgres haproxy pgbouncer; do
  docker build --network "${BUILD_NETWORK:-default}" --build-arg "BASE=$base" --tag "kiln-test-$image" "$here/$image"
done
