/** Who takes part: Kiln as one bundle, as its users run it, and the hand-written servers as plain modules. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { ServerCommand } from './server.ts';

export const contestants = ['kiln', 'express-objection', 'express-pg', 'limit-node'] as const;
export type Contestant = (typeof contestants)[number];

/** The hand-written code that Kiln is to beat, and the limit that it is to reach. */
export const byHand = 'express-objection' satisfies Contestant;
export const limit = 'limit-node' satisfies Contestant;

/** Drivers that knex asks for only where they are used. */
const unusedDrivers = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];

export interface KilnBundle {
  readonly module: string;
  /** The file of a definition. */
  write(name: string, definition: Definition): string;
}

export async function bundledKiln(): Promise<KilnBundle> {
  // Below node_modules, so that what is not bundled is found.
  const cache = fileURLToPath(new URL('../../node_modules/.cache/kiln-bench', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'api-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const module = join(folder, 'kiln-server.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./kiln-server.ts', import.meta.url))],
    outfile: module,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: unusedDrivers,
    // Packages in CommonJS ask for Node's own modules with `require`, which an ES module does not have.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return {
    module,
    write(name, definition) {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(definition));
      return file;
    },
  };
}

export function kilnCommand(name: string, module: string, definition: string, database: string): ServerCommand {
  return {
    name,
    module,
    environment: { KILN_DEFINITION: definition, DATABASE_URL: database, HOST: '127.0.0.1', LOG_LEVEL: 'info' },
  };
}

export function peerCommand(name: Exclude<Contestant, 'kiln'>, database: string): ServerCommand {
  const module = fileURLToPath(new URL(`./peers/${name}.mjs`, import.meta.url));
  return { name, module, environment: { DATABASE_URL: database } };
}
