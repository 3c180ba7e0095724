/** From `docker start` to a server that is ready, against the same base running `node -e 0`, and one connection to Postgres. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { docker, kiln, median } from './commands.ts';
import { BASE, POSTGRES_IMAGE } from './images.ts';
import type { Project } from './project.ts';
import { removeImages } from './push.ts';

export interface Starts {
  readonly ready: number;
  readonly bareNode: number;
  readonly connection: number;
}

const NETWORK = 'kiln-bench-start';
const POSTGRES = 'kiln-bench-start-postgres';
const PASSWORD = 'kiln';

export async function measureStarts(project: Project, rounds: number): Promise<Starts> {
  const image = `kiln-bench-${project.name}:main`;
  kiln(['build', '--base', BASE], project.folder);
  docker('network', 'create', NETWORK);
  try {
    const url = await startPostgres();
    const fromInside = `postgres://postgres:${PASSWORD}@${POSTGRES}:5432/postgres`;
    docker('run', '--rm', '--network', NETWORK, '--env', `DATABASE_URL=${fromInside}`, image, 'migrate');
    const ready: number[] = [];
    const bareNode: number[] = [];
    const connection: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      ready.push(await timeToReady(image, fromInside));
      bareNode.push(timeOfBareNode());
      connection.push(await timeToConnect(url));
    }
    return { ready: median(ready), bareNode: median(bareNode), connection: median(connection) };
  } finally {
    docker('rm', '--force', '--volumes', POSTGRES);
    docker('network', 'rm', NETWORK);
    removeImages(`kiln-bench-${project.name}`);
  }
}

async function startPostgres(): Promise<string> {
  const names = ['--name', POSTGRES, '--network', NETWORK, '--publish', '127.0.0.1::5432'];
  docker('run', '--detach', ...names, '--env', `POSTGRES_PASSWORD=${PASSWORD}`, POSTGRES_IMAGE);
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${portOf(POSTGRES, 5432)}/postgres`;
  while (!(await connects(url))) await pause(100);
  return url;
}

async function connects(url: string): Promise<boolean> {
  return timeToConnect(url).then(
    () => true,
    () => false,
  );
}

async function timeToReady(image: string, databaseUrl: string): Promise<number> {
  const settings = ['--network', NETWORK, '--publish', '127.0.0.1::3000', '--env', `DATABASE_URL=${databaseUrl}`];
  const id = docker('create', ...settings, image).output.trim();
  try {
    const start = performance.now();
    docker('start', id);
    const url = `http://127.0.0.1:${portOf(id, 3000)}/readyz`;
    while ((await statusOf(url)) !== 200) await pause(2);
    return performance.now() - start;
  } finally {
    docker('rm', '--force', id);
  }
}

function timeOfBareNode(): number {
  const id = docker('create', '--network', NETWORK, '--entrypoint', 'node', BASE, '-e', '0').output.trim();
  try {
    return docker('start', '--attach', id).milliseconds;
  } finally {
    docker('rm', '--force', id);
  }
}

async function timeToConnect(url: string): Promise<number> {
  const start = performance.now();
  const client = new pg.Client(url);
  await client.connect();
  const milliseconds = performance.now() - start;
  await client.end();
  return milliseconds;
}

async function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
}

function portOf(container: string, port: number): string {
  return docker('port', container, String(port)).output.trim().split(':').at(-1) ?? '';
}
