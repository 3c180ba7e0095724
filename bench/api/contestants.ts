/** Who takes part: Kiln's runtime as images carry it (`npm run build`), and the hand-written servers as plain modules. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definitionText } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import type { ServerCommand } from './server.ts';

export const contestants = ['kiln', 'express-objection', 'express-pg', 'limit-node', 'limit-pipeline'] as const;
export type Contestant = (typeof contestants)[number];

/** The hand-written code that Kiln is to beat, and the limit that it is to reach. */
export const byHand = 'express-objection' satisfies Contestant;
export const limit = 'limit-node' satisfies Contestant;
/** The limit of quick statements, which share a connection. */
export const pipelined = 'limit-pipeline' satisfies Contestant;

/** R6 is about code as people write it. */
export function takesOrders(server: string): boolean {
  return server === byHand || !contestants.some((name) => name === server && name !== 'kiln');
}

const BUILT = 'dist/runtime/main.mjs';
const RUNTIME = fileURLToPath(new URL(`../../${BUILT}`, import.meta.url));

/** The runtime of another checkout, to see what a change has cost. It must be built there. */
export function runtimeOf(checkout: string): string {
  const runtime = resolve(checkout, BUILT);
  if (!existsSync(runtime)) throw new Error(`${runtime} does not exist: run \`npm ci\` in ${checkout}`);
  return runtime;
}

/** Serves as an image does: from the folder of an application, which is removed when this process ends. */
export function kilnCommand(
  name: string,
  definition: Definition,
  database: string,
  runtime: string = RUNTIME,
): ServerCommand {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const openApi = openApiFromDefinition(definition, { title: name, version: '1' });
  writeFileSync(join(folder, 'definition.json'), definitionText(definition));
  writeFileSync(join(folder, 'openapi.json'), openApiText(openApi));
  return {
    name,
    module: runtime,
    environment: {
      KILN_APP: folder,
      DATABASE_URL: database,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      SHUTDOWN_GRACE: '0',
    },
  };
}

export function peerCommand(name: Exclude<Contestant, 'kiln'>, database: string): ServerCommand {
  const module = fileURLToPath(new URL(`./peers/${name}.mjs`, import.meta.url));
  return { name, module, environment: { DATABASE_URL: database } };
}
