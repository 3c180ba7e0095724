#!/bin/sh
# Makes the images that the tests run Postgres, HAProxy and pgbouncer in, where a Docker engine answers but no registry can be
# reached: a Debian by debootstrap with these programs, and on it what the Dockerfiles here say. Needs root, debootstrap and
# a Debian mirror.
#
#   test/support/images/build.sh
#   KILN_TEST_POSTGRES=docker KILN_TEST_POSTGRES_IMAGE=kiln-test-postgres KILN_TEST_PROXY_IMAGE=kiln-test-haproxy npm test
set -eu
here=$(dirname "$(realpath "$0")")
suite=${DEBIAN_SUITE:-trixie}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
base=kiln-test-programs:$suite

if ! docker image inspect "$base" > /dev/null 2>&1; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  debootstrap --variant=minbase "$suite" "$root" "$mirror"
  # Nothing has to survive a crash, no service is to be started, and the image has a cluster of its own.
  echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
  printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  mkdir -p "$root/etc/postgresql-common"
  echo 'create_main_cluster = false' > "$root/etc/postgresql-common/createcluster.conf"
  # The programs of all images at once, so that the lists of packages are fetched and read once. A folder for temporary files
  # that the caller has named is not in there.
  unset TMPDIR
  chroot "$root" apt-get update
  DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y --no-install-recommends postgresql haproxy pgbouncer
  rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*
  tar --directory "$root" --create . | docker import - "$base"
fi
for image in postgres haproxy; do
  docker build --network none --build-arg "BASE=$base" --tag "kiln-test-$image" "$here/$image"
done
docker tag "$base" kiln-test-pgbouncer
