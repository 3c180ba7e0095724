#!/bin/sh
# Makes the cluster, then hands over to Postgres. Arguments that begin with a dash are for Postgres.
set -eu
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}

make_cluster() {
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" > "$password"
  # shellcheck disable=SC2086 # several words, as in the official image
  initdb --username="$user" --pwfile="$password" --auth=scram-sha-256 ${POSTGRES_INITDB_ARGS:-} > /dev/null
  rm "$password"
}

# The first user of a cluster has this number. Nobody can rename the user of their own session with ALTER ROLE.
copy_cluster() {
  cp -R /opt/cluster/. "$PGDATA"
  chmod 700 "$PGDATA"
  run "UPDATE pg_authid SET rolname = $(quoted "'" "$user") WHERE oid = 10"
  run "ALTER ROLE $(quoted '"' "$user") PASSWORD $(quoted "'" "$POSTGRES_PASSWORD")"
}

# Collects statements, one a line, which Postgres runs all at once.
run() {
  statements="$statements$1
"
}

# Quotes within the text are doubled: quoted <quote> <text>
quoted() {
  printf '%s%s%s' "$1" "$(printf '%s' "$2" | sed "s/$1/$1$1/g")" "$1"
}

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  : "${POSTGRES_PASSWORD:?must be set}"
  statements=
  case ${POSTGRES_INITDB_ARGS:-} in
    '' | --no-sync) copy_cluster ;;
    *) make_cluster ;;
  esac
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  [ "$database" = postgres ] || run "CREATE DATABASE $(quoted '"' "$database")"
  [ -z "$statements" ] || printf '%s' "$statements" | postgres --single -F postgres > /dev/null
fi

case ${1:-} in
  -*) set -- postgres "$@" ;;
esac
if [ "${1:-}" = postgres ]; then
  shift
  set -- postgres -c 'listen_addresses=*' "$@"
fi
exec "$@"
