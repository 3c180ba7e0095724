/**
 * One machine with Docker: Postgres, the migration that the application waits for, and the application. A port of the
 * machine belongs to one container, so a new one can take over from an old one without a gap only behind a proxy. There
 * is one in the files, for those who want it.
 */
import { databaseNameFrom } from './name-from-folder.ts';
import type { NewProject, ProjectFile } from './project-file.ts';

export function composeFiles(project: NewProject): readonly ProjectFile[] {
  return [
    { path: 'compose.yaml', text: composeText(project) },
    { path: '.env.example', text: environmentText(project) },
    { path: 'compose/haproxy.cfg', text: PROXY_TEXT },
    { path: 'compose/deploy.sh', text: deployText(project.name), isExecutable: true },
  ];
}

function composeText({ name, variables }: NewProject): string {
  const database = databaseNameFrom(name);
  return `# Everything on one machine: docker compose up
# Its settings are in .env, which git does not see; .env.example says which there are.

x-application: &application
  image: \${IMAGE:-${name}:main}
  read_only: true
  cap_drop: [ALL]
  security_opt: ['no-new-privileges:true']
  environment:
    DATABASE_URL: postgres://${database}:\${POSTGRES_PASSWORD}@postgres:5432/${database}
    LOG_LEVEL: \${LOG_LEVEL:-info}
    CORS_ORIGIN: \${CORS_ORIGIN:-}
    TRUST_PROXY: \${TRUST_PROXY:-0}
${variables.map((variable) => `    ${variable}: \${${variable}:-}\n`).join('')}\

services:
  postgres:
    # 18 or newer: older ones keep their data in another folder.
    image: \${POSTGRES_IMAGE:-postgres:18}
    environment:
      POSTGRES_USER: ${database}
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?copy .env.example to .env and set it there}
      POSTGRES_DB: ${database}
    volumes:
      - postgres:/var/lib/postgresql
    healthcheck:
      # Over TCP, which Postgres does not offer before it has made the database.
      test: [CMD, pg_isready, --host, 127.0.0.1, --username, ${database}, --dbname, ${database}]
      interval: 2s
      timeout: 5s
      retries: 30
    restart: unless-stopped

  # Runs to its end before the application is started. A second run finds nothing to do.
  migrate:
    <<: *application
    command: [migrate]
    depends_on:
      postgres:
        condition: service_healthy
    healthcheck:
      disable: true
    restart: 'no'

  app:
    <<: *application
    ports:
      - \${PORT:-3000}:3000
    depends_on:
      migrate:
        condition: service_completed_successfully
    healthcheck:
      test: [CMD, node, /kiln/main.mjs, health]
      interval: 10s
      timeout: 5s
      start_period: 5s
    # Longer than SHUTDOWN_GRACE and SHUTDOWN_TIMEOUT together, which are 5 and 25 seconds.
    stop_grace_period: 35s
    restart: unless-stopped

  # Only with COMPOSE_PROFILES=proxy; see .env.example.
  proxy:
    profiles: [proxy]
    image: \${PROXY_IMAGE:-haproxy:3.2}
    read_only: true
    cap_drop: [ALL]
    security_opt: ['no-new-privileges:true']
    ports:
      - \${PROXY_PORT:-3000}:3000
    volumes:
      - ./compose/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro
    depends_on: [app]
    restart: unless-stopped

volumes:
  postgres:
`;
}

function environmentText({ name, variables }: NewProject): string {
  return `# Copy this file to .env, and set what is empty and needed.

# Needed. Letters and digits: it becomes part of an address.
POSTGRES_PASSWORD=

# What to run. \`kiln build\` gives an image the name of its branch.
IMAGE=${name}:main

# The port on this machine.
PORT=3000

# Without a gap between two releases: HAProxy has the port on this machine, and each container of the application has a
# free one that only this machine can reach. To have it so, remove the # of these lines, and PORT above.
# COMPOSE_PROFILES=proxy
# PROXY_PORT=3000
# PORT=127.0.0.1:
# TRUST_PROXY=1

# The web pages that may call the API from a browser, with commas between them.
CORS_ORIGIN=
${variables.length === 0 ? '' : '\n# Who signs the tokens of the users: where its keys are, and what its tokens say.\n'}\
${variables.map((variable) => `${variable}=\n`).join('')}`;
}

const PROXY_TEXT = `# In front of the application: sends requests to every container of it that is ready.
defaults
  mode http
  option forwardfor
  option redispatch
  retries 3
  timeout connect 5s
  timeout client 120s
  timeout server 120s

# The DNS of Docker knows the containers. New ones are found within a second.
resolvers docker
  nameserver docker 127.0.0.11:53
  timeout resolve 1s
  hold valid 1s

frontend http
  bind :3000
  default_backend app

backend app
  # A container that stops says 503 at once, and answers requests for 5 seconds more.
  option httpchk GET /readyz
  server-template app 4 app:3000 check inter 1s fall 1 rise 1 resolvers docker init-addr none
`;

function deployText(name: string): string {
  return `#!/bin/sh
# Brings an image to this machine: first the migration, then the application. The image of the release before is the way
# back.
#
#   compose/deploy.sh ${name}:3f2a91c
#
# Behind the proxy (see .env.example) the new container is ready before the old one stops, so no request is lost. Without
# it the port has to be free before the new container is started: nobody answers for a few seconds.
set -eu
IMAGE=\${1:?usage: compose/deploy.sh <image>}
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

# From now on, this is what \`docker compose up\` runs.
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

compose up --detach --no-deps --no-recreate --scale "app=$(($(echo "$old" | wc -l) + 1))" app
new=$(containers app | grep -vxF "$old")
tries=0
until is_ready "$new"; do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    docker logs --tail 50 "$new" >&2
    docker rm --force "$new" > /dev/null
    stop "The new container did not become ready."
  fi
  sleep 1
done
# Until the proxy has found it.
sleep 5
for container in $old; do
  docker stop --time 35 "$container" > /dev/null
  docker rm "$container" > /dev/null
done
remember
`;
}
