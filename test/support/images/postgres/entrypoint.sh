#!/bin/sh
# Makes the cluster, then hands over to Postgres. Arguments that begin with a dash are for Postgres.
set -eu
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s\n' "${POSTGRES_PASSWORD:?must be set}" > "$password"
  # shellcheck disable=SC2086 # several words, as in the official image
  initdb --username="$user" --pwfile="$password" --auth=scram-sha-256 ${POSTGRES_INITDB_ARGS:-} > /dev/null
  rm "$password"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  if [ "$database" != postgres ]; then
    printf 'CREATE DATABASE "%s"\n' "$database" | postgres --single -j postgres > /dev/null
  fi
fi

case ${1:-} in
  -*) set -- postgres "$@" ;;
esac
if [ "${1:-}" = postgres ]; then
  shift
  set -- postgres -c 'listen_addresses=*' "$@"
fi
exec "$@"
