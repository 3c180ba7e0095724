#!/bin/sh
# Deploys an image on this machine: first the migration, then the application. To roll back, deploy the previous image.
#
#   compose/deploy.sh my-app:3f2a91c
#
# Behind the proxy (see .env.example) the new container is ready before the old one stops, so no request is lost. Without
# it the port has to be free before the new container is started: nobody answers for a few seconds.
set -eu
IMAGE=${1:?usage: compose/deploy.sh <image>}
export IMAGE
cd "$(dirname "$0")/.."

if docker compose version > /dev/null 2>&1; then
  compose() { docker compose "$@"; }
else
  compose() { docker-compose "$@"; }
fi

stop() {
  echo "$1" >&2
  echo "The application was not changed: what was running still is." >&2
  exit 1
}

containers() {
  compose ps --quiet "$1" 2> /dev/null || true
}

is_ready() {
  docker exec "$1" node -e "fetch('http://127.0.0.1:3000/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
}

# How many containers the proxy sends requests to.
proxied() {
  docker exec "$1" node -e "fetch('http://proxy:3001').then((r) => r.text()).then(console.log, () => console.log(0))"
}

# From now on, this is what `docker compose up` runs.
remember() {
  grep -v '^IMAGE=' .env > .env.next || true
  echo "IMAGE=$IMAGE" >> .env.next
  cat .env.next > .env
  rm .env.next
}

compose run --rm migrate || stop "The migration failed."

old=$(containers app)
if [ -z "$old" ] || [ -z "$(containers proxy)" ]; then
  compose up --detach
  remember
  exit
fi

ready=0
for container in $old; do
  if is_ready "$container"; then ready=$((ready + 1)); fi
done
compose up --detach --no-deps --no-recreate --scale "app=$(($(echo "$old" | wc -l) + 1))" app
new=$(containers app | grep -vxF "$old")
tries=0
until is_ready "$new" && [ "$(proxied "$new")" -gt "$ready" ]; do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    docker logs --tail 50 "$new" >&2
    docker rm --force "$new" > /dev/null
    stop "The new container did not become ready, or the proxy did not find it."
  fi
  sleep 1
done
for container in $old; do
  docker stop --time 35 "$container" > /dev/null
  docker rm "$container" > /dev/null
done
remember
