/**
 * The peer: the blog written by hand with Express and Objection, as an image of a plain `docker build` on the same base. Its
 * packages are copied in, not installed, which spares it the time of `npm ci`.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './commands.ts';
import { BASE } from './images.ts';

const PACKAGES = ['express', 'objection', 'knex', 'pg'];
const MAIN = 'express-objection.mjs';

const DOCKERFILE = `FROM ${BASE}
WORKDIR /app
COPY package.json ./
COPY node_modules node_modules
COPY *.mjs ./
ENTRYPOINT ["node", "/app/${MAIN}"]
`;

export interface ByHand {
  readonly folder: string;
  change(): void;
  remove(): void;
}

export function byHand(): ByHand {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-by-hand-'));
  const peers = join(ROOT, 'bench/api/peers');
  for (const file of readdirSync(peers)) cpSync(join(peers, file), join(folder, file));
  for (const path of packagesBehind(PACKAGES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "blog", "type": "module" }\n');
  writeFileSync(join(folder, 'Dockerfile'), DOCKERFILE);
  let changes = 0;
  return {
    folder,
    change() {
      changes += 1;
      const main = join(folder, MAIN);
      writeFileSync(main, `${readFileSync(main, 'utf8')}// change ${changes}\n`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
}

/** The folders of packages with all that they need, as the lock file has them. */
function packagesBehind(names: readonly string[]): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const path = placesFrom(from)
      .map((place) => `${place}node_modules/${name}`)
      .find((each) => each in packages);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    for (const each of Object.keys(packages[path]?.dependencies ?? {})) add(each, path);
  };
  for (const name of names) add(name, '');
  return found;
}

/** Where Node looks, from the inside out: `node_modules/a/node_modules/b/`, `node_modules/a/`, and the root. */
function placesFrom(path: string): readonly string[] {
  if (path === '') return [''];
  const outer = path.slice(0, path.lastIndexOf('node_modules/'));
  return [`${path}/`, ...placesFrom(outer === '' ? '' : outer.slice(0, -1))];
}
