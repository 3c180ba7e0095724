/** One machine with Docker: Postgres, the migration that the application waits for, and the application. */
import { databaseNameFrom } from './name-from-folder.ts';
import type { NewProject, ProjectFile } from './project-file.ts';

export function composeFiles(project: NewProject): readonly ProjectFile[] {
  return [
    { path: 'compose.yaml', text: composeText(project) },
    { path: '.env.example', text: environmentText(project) },
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
    # Longer than the 25 seconds that running requests are given.
    stop_grace_period: 30s
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

# The web pages that may call the API from a browser, with commas between them.
CORS_ORIGIN=
${variables.length === 0 ? '' : '\n# Who signs the tokens of the users: where its keys are, and what its tokens say.\n'}\
${variables.map((variable) => `${variable}=\n`).join('')}`;
}
