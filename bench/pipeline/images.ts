/** The images of a measurement: Node, Kiln's runtime on it, and Postgres. */
import { spawnSync } from 'node:child_process';
import { ownBase } from '../../pipeline/image/own-node.ts';
import { docker, ROOT, run } from './commands.ts';

const NODE_IMAGE = process.env.KILN_BENCH_NODE_IMAGE || 'node:24-slim';
export const POSTGRES_IMAGE = process.env.KILN_TEST_POSTGRES_IMAGE || 'postgres:18';
export const BASE = 'kiln-bench-base';
const OWN_NODE = 'kiln-bench-node';

/** Where the engine has no image of Node and can pull none, one is made of this machine's Node. */
export async function makeBase(): Promise<string> {
  const node = hasImage(NODE_IMAGE) || canPull(NODE_IMAGE) ? NODE_IMAGE : await importOwnNode();
  docker('build', '--quiet', '--tag', BASE, '--target', 'runtime', '--build-arg', `NODE_IMAGE=${node}`, ROOT);
  return node;
}

export function removeBase(): void {
  spawnSync('docker', ['image', 'rm', '--force', BASE, OWN_NODE], { stdio: 'ignore' });
}

function hasImage(name: string): boolean {
  return spawnSync('docker', ['image', 'inspect', name], { stdio: 'ignore' }).status === 0;
}

function canPull(name: string): boolean {
  return spawnSync('docker', ['pull', '--quiet', name], { stdio: 'ignore' }).status === 0;
}

async function importOwnNode(): Promise<string> {
  const { layers } = await ownBase(`${ROOT}/dist/runtime`);
  run('docker', ['import', '--change', 'ENV PATH=/usr/local/bin:/usr/bin:/bin', '-', OWN_NODE], {
    input: layers[0]?.tar ?? '',
  });
  return OWN_NODE;
}
