import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '..');

/** From the lowest layer to the highest. A file may import from its own folder and from the folders that its folder lists. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'compiler/source': [],
  'compiler/definition/contract': [],
  'compiler/definition': ['compiler/definition/contract'],
  'compiler/definition/sql': ['compiler/definition'],
  'compiler/diagnostics/words': ['compiler/source'],
  'compiler/diagnostics/catalogue': ['compiler/source', 'compiler/diagnostics/words'],
  'compiler/diagnostics': ['compiler/source', 'compiler/diagnostics/words', 'compiler/diagnostics/catalogue'],
  'compiler/syntax': [
    'compiler/source',
    'compiler/definition',
    'compiler/diagnostics',
    'compiler/diagnostics/catalogue',
    'compiler/diagnostics/words',
  ],
  'compiler/format': ['compiler/definition/contract', 'compiler/syntax'],
  'compiler/ast': ['compiler/source', 'compiler/diagnostics', 'compiler/syntax'],
  'compiler/program': ['compiler/source', 'compiler/definition', 'compiler/definition/contract'],
  'compiler/check': [
    'compiler/source',
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/diagnostics',
    'compiler/diagnostics/words',
    'compiler/ast',
    'compiler/program',
  ],
  'compiler/define': ['compiler/program', 'compiler/definition'],
  'compiler/schema': ['compiler/definition', 'compiler/definition/sql'],
  'compiler/change': [
    'compiler/source',
    'compiler/definition',
    'compiler/diagnostics',
    'compiler/diagnostics/catalogue',
    'compiler/diagnostics/words',
    'compiler/program',
    'compiler/schema',
  ],
  'compiler/difference': [
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/schema',
    'compiler/change',
    'compiler/emit/migration',
    'compiler/emit/openapi',
    'compiler/diagnostics/words',
  ],
  'compiler/emit/openapi': ['compiler/definition'],
  'compiler/emit/client': ['compiler/definition', 'compiler/emit/openapi', 'compiler/emit/client/runtime'],
  'compiler/emit/client/runtime': ['compiler/definition/contract'],
  'compiler/emit/sql': ['compiler/definition', 'compiler/definition/sql'],
  'compiler/emit/migration': [
    'compiler/definition',
    'compiler/definition/sql',
    'compiler/schema',
    'compiler/change',
    'compiler/emit/sql',
  ],
  compiler: [
    'compiler/source',
    'compiler/definition',
    'compiler/diagnostics',
    'compiler/syntax',
    'compiler/ast',
    'compiler/program',
    'compiler/check',
    'compiler/define',
  ],
  'runtime/values': ['compiler/definition'],
  'runtime/errors': ['compiler/definition/contract'],
  'runtime/config': ['compiler/definition/contract'],
  'runtime/workers': [],
  'runtime/observe': ['runtime/workers'],
  'runtime/expressions': ['compiler/definition', 'runtime/errors', 'runtime/values'],
  'runtime/request': ['compiler/definition', 'runtime/errors', 'runtime/expressions', 'runtime/values'],
  'runtime/plan': ['compiler/definition'],
  'runtime/query': [
    'compiler/definition',
    'compiler/definition/sql',
    'runtime/errors',
    'runtime/expressions',
    'runtime/plan',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/query/connections': ['runtime/config', 'runtime/query', 'runtime/values'],
  'runtime/migrate': [
    'compiler/definition',
    'compiler/definition/sql',
    'runtime/config',
    'runtime/query',
    'runtime/query/connections',
  ],
  'runtime/hooks': ['compiler/definition', 'runtime/errors', 'runtime/values'],
  'runtime/populate': [
    'compiler/definition',
    'compiler/definition/sql',
    'runtime/config',
    'runtime/expressions',
    'runtime/files',
    'runtime/hooks',
    'runtime/query',
    'runtime/query/connections',
    'runtime/values',
  ],
  'runtime/respond': [
    'compiler/definition/contract',
    'runtime/config',
    'runtime/errors',
    'runtime/hooks',
    'runtime/observe',
    'runtime/query',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/files': [
    'compiler/definition',
    'runtime/config',
    'runtime/errors',
    'runtime/hooks',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/deliver': [
    'compiler/definition',
    'runtime/config',
    'runtime/files',
    'runtime/hooks',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/auth': [
    'compiler/definition',
    'runtime/config',
    'runtime/errors',
    'runtime/expressions',
    'runtime/query',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/endpoints': [
    'compiler/definition',
    'compiler/definition/sql',
    'runtime/auth',
    'runtime/config',
    'runtime/deliver',
    'runtime/errors',
    'runtime/expressions',
    'runtime/files',
    'runtime/hooks',
    'runtime/plan',
    'runtime/query',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/console/api': ['compiler/definition', 'runtime/errors', 'runtime/request'],
  'runtime/console/data': [
    'compiler/definition',
    'compiler/definition/sql',
    'runtime/console/api',
    'runtime/errors',
    'runtime/expressions',
    'runtime/files',
    'runtime/query',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/console/work': [
    'compiler/definition',
    'compiler/definition/sql',
    'runtime/console/api',
    'runtime/console/data',
    'runtime/errors',
    'runtime/query',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/console/live': [
    'compiler/definition',
    'runtime/console/api',
    'runtime/errors',
    'runtime/observe',
    'runtime/query',
    'runtime/request',
    'runtime/respond',
    'runtime/values',
  ],
  'runtime/console': [
    'runtime/deliver',
    'compiler/definition',
    'runtime/console/api',
    'runtime/console/data',
    'runtime/console/live',
    'runtime/console/work',
    'runtime/errors',
    'runtime/request',
  ],
  'runtime/load': ['compiler/definition', 'runtime/hooks', 'runtime/query'],
  'runtime/jobs': [
    'compiler/definition',
    'runtime/config',
    'runtime/deliver',
    'runtime/endpoints',
    'runtime/errors',
    'runtime/hooks',
    'runtime/observe',
    'runtime/query',
    'runtime/query/connections',
    'runtime/request',
    'runtime/values',
  ],
  'runtime/live': [
    'compiler/definition',
    'runtime/endpoints',
    'runtime/errors',
    'runtime/observe',
    'runtime/query',
    'runtime/query/connections',
    'runtime/request',
    'runtime/values',
  ],
  runtime: [
    'runtime/deliver',
    'compiler/definition',
    'runtime/config',
    'runtime/console',
    'runtime/console/api',
    'runtime/console/data',
    'runtime/console/live',
    'runtime/endpoints',
    'runtime/files',
    'runtime/hooks',
    'runtime/jobs',
    'runtime/live',
    'runtime/observe',
    'runtime/query',
    'runtime/query/connections',
    'runtime/request',
    'runtime/respond',
    'runtime/workers',
    'runtime/values',
  ],
  'runtime/commands': [
    'runtime/deliver',
    'runtime/console/live',
    'compiler/definition',
    'runtime',
    'runtime/config',
    'runtime/files',
    'runtime/jobs',
    'runtime/load',
    'runtime/migrate',
    'runtime/observe',
    'runtime/populate',
    'runtime/query',
    'runtime/workers',
    'runtime/values',
  ],
  // The browser's side of the page. It shares with the others the form of what it is sent, and its paths.
  'console/state': [
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/emit/openapi',
    'runtime/console/api',
    'runtime/console/data',
  ],
  'console/ui': ['console/state'],
  'console/models': ['console/state', 'console/ui', 'runtime/console', 'runtime/console/api'],
  'console/search': ['compiler/definition', 'compiler/emit/openapi', 'console/state', 'console/ui'],
  'console/try': [
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/emit/client',
    'compiler/emit/openapi',
    'compiler/emit/client/runtime',
    'console/state',
    'console/ui',
  ],
  'console/reference': ['compiler/emit/openapi', 'console/state', 'console/try', 'console/ui', 'runtime/console/api'],
  'console/data': [
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/emit/openapi',
    'console/state',
    'console/ui',
    'runtime/console/data',
  ],
  'console/live': ['console/state', 'console/ui', 'runtime/console/live'],
  'console/work': ['console/data', 'console/state', 'console/ui', 'runtime/console/work'],
  'console/mail': ['console/data', 'console/state', 'console/ui', 'runtime/deliver'],
  'console/app': [
    'console/mail',
    'console/data',
    'console/live',
    'console/models',
    'console/reference',
    'console/search',
    'console/state',
    'console/ui',
    'console/work',
  ],
  console: ['console/app', 'console/state'],
  files: ['compiler/source'],
  'language-server/project': [
    'files',
    'compiler',
    'compiler/ast',
    'compiler/check',
    'compiler/definition',
    'compiler/diagnostics',
    'compiler/program',
    'compiler/source',
    'compiler/syntax',
  ],
  'language-server/features': [
    'language-server/project',
    'compiler',
    'compiler/ast',
    'compiler/check',
    'compiler/define',
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/diagnostics',
    'compiler/difference',
    'compiler/format',
    'compiler/program',
    'compiler/source',
    'compiler/syntax',
    'compiler/diagnostics/words',
  ],
  'language-server': ['language-server/features', 'language-server/project', 'compiler/syntax'],
  'pipeline/git': [
    'files',
    'compiler/definition',
    'compiler/source',
    'compiler/diagnostics',
    'compiler/diagnostics/words',
  ],
  'pipeline/ledger': ['pipeline/git', 'compiler/definition'],
  'pipeline/hooks': ['files', 'compiler/definition', 'runtime/hooks'],
  'pipeline/clients': ['files', 'compiler/definition', 'compiler/emit/client', 'compiler/emit/openapi'],
  'pipeline/database': [
    'files',
    'compiler/definition',
    'compiler/definition/sql',
    'compiler/emit/sql',
    'compiler/schema',
    'runtime/config',
    'runtime/migrate',
    'runtime/query',
  ],
  'pipeline/new': ['files'],
  'pipeline/image': [],
  'pipeline/library': [
    'runtime/deliver',
    'compiler',
    'compiler/definition',
    'compiler/diagnostics',
    'compiler/emit/openapi',
    'compiler/source',
    'compiler/syntax',
    'runtime',
    'runtime/config',
    'runtime/files',
    'runtime/hooks',
    'runtime/values',
  ],
  'pipeline/dev': [
    'pipeline/database',
    'pipeline/difference',
    'pipeline/hooks',
    'files',
    'compiler/change',
    'compiler/definition',
    'compiler/definition/sql',
    'compiler/diagnostics',
    'compiler/emit/client',
    'compiler/emit/migration',
    'compiler/emit/sql',
    'compiler/source',
    'runtime',
    'runtime/console/api',
    'runtime/console/live',
    'runtime/hooks',
    'runtime/migrate',
    'runtime/query',
    'compiler/schema',
    'runtime/values',
  ],
  'pipeline/bake': [
    'pipeline/smoke',
    'pipeline/difference',
    'files',
    'pipeline/git',
    'pipeline/hooks',
    'pipeline/image',
    'pipeline/ledger',
    'compiler',
    'compiler/change',
    'compiler/define',
    'compiler/definition',
    'compiler/diagnostics',
    'compiler/difference',
    'compiler/emit/migration',
    'compiler/emit/openapi',
    'compiler/emit/sql',
    'compiler/program',
    'compiler/source',
    'compiler/syntax',
    'compiler/diagnostics/words',
    'compiler/schema',
    'runtime/query',
  ],
  'pipeline/difference': [
    'files',
    'compiler/source',
    'compiler/change',
    'compiler/define',
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/difference',
    'compiler/program',
    'compiler/diagnostics/words',
    'pipeline/git',
    'pipeline/ledger',
    'runtime/plan',
    'runtime/query',
  ],
  'pipeline/page': [
    'compiler/definition',
    'compiler/difference',
    'compiler/diagnostics/words',
    'console/models',
    'runtime/console',
    'runtime/console/api',
    'pipeline/bake',
    'pipeline/difference',
    'pipeline/smoke',
  ],
  'pipeline/smoke': [
    'files',
    'pipeline/image',
    'compiler/definition',
    'compiler/definition/contract',
    'compiler/definition/sql',
    'compiler/difference',
    'compiler/diagnostics/words',
    'runtime/query',
  ],
  'pipeline/push': [
    'pipeline/bake',
    'pipeline/difference',
    'pipeline/page',
    'files',
    'pipeline/git',
    'pipeline/image',
    'pipeline/ledger',
    'pipeline/smoke',
    'compiler/definition',
    'compiler/difference',
    'compiler/diagnostics/words',
  ],
  'pipeline/verify': [
    'pipeline/smoke',
    'pipeline/bake',
    'pipeline/git',
    'pipeline/image',
    'pipeline/ledger',
    'compiler/diagnostics/words',
  ],
  'pipeline/serve': [
    'compiler/definition',
    'compiler/difference',
    'pipeline/bake',
    'pipeline/difference',
    'pipeline/git',
    'pipeline/ledger',
    'pipeline/page',
    'pipeline/push',
  ],
  'pipeline/cli': [
    'runtime/deliver',
    'pipeline/verify',
    'pipeline/serve',
    'pipeline/difference',
    'pipeline/page',
    'compiler/difference',
    'pipeline/bake',
    'pipeline/clients',
    'pipeline/database',
    'pipeline/dev',
    'files',
    'pipeline/git',
    'pipeline/hooks',
    'pipeline/image',
    'pipeline/ledger',
    'pipeline/library',
    'language-server',
    'pipeline/new',
    'pipeline/push',
    'pipeline/smoke',
    'runtime/migrate',
    'runtime/populate',
    'runtime',
    'runtime/config',
    'runtime/console/api',
    'runtime/console/data',
    'runtime/console/live',
    'runtime/hooks',
    'runtime/query',
    'compiler',
    'compiler/change',
    'compiler/source',
    'compiler/definition',
    'compiler/diagnostics',
    'compiler/diagnostics/words',
    'compiler/emit/client',
    'compiler/emit/openapi',
    'compiler/emit/sql',
    'compiler/format',
    'compiler/schema',
    'compiler/syntax',
    'runtime/values',
  ],
};

/** The one file of the compiler that may read from the disk. */
const LOADER = 'compiler/syntax/load-grammar.ts';
const TOP_FOLDERS = ['compiler', 'runtime', 'console', 'files', 'language-server', 'pipeline'];

const DEFINITION = 'compiler/definition';
const CONTRACT = 'compiler/definition/contract';

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s*'([^']+)'/g;

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Gives the same for the same text, and reaches nothing. */
const DIGESTS = 'node:crypto';

describe('layers', () => {
  const files = TOP_FOLDERS.flatMap(sourceFiles);
  const imports = files.flatMap(importsOf);
  const ours = imports.filter(({ to }) => isOurs(to));

  it('has files to look at', () => {
    expect(files).to.have.length.greaterThan(40);
  });

  it('imports only from layers below', () => {
    const upward = ours.filter(({ from, to }) => !mayImport(dirname(from), dirname(to)));
    expect(upward.map(({ from, to }) => `${from} → ${to}`).join('\n')).to.equal('');
  });

  it('imports downwards in the drawing of docs/architecture.md', () => {
    const layers = drawnLayers();
    const upward = ours.filter(({ from, to }) => {
      const [above, below] = [drawnFolder(from, layers), drawnFolder(to, layers)];
      return above !== below && Number(layers.get(above)) >= Number(layers.get(below));
    });
    expect(layers.size).to.be.greaterThan(40);
    expect(upward.map(({ from, to }) => `${from} → ${to}`).join('\n')).to.equal('');
  });

  it('has no import cycles', () => {
    expect(cycles(ours)).to.deep.equal([]);
  });

  it('has no cycles between folders', () => {
    const between = ours.map(({ from, to }) => ({ from: dirname(from), to: dirname(to) }));
    expect(cycles(between.filter(({ from, to }) => from !== to))).to.deep.equal([]);
  });

  it('has no cycles between folders with all that is below them', () => {
    expect(cycles(ours.map(betweenSiblings))).to.deep.equal([]);
  });

  it('keeps the compiler away from the disk, the network and the process', () => {
    const effects = imports.filter(
      ({ from, to }) => from.startsWith('compiler/') && from !== LOADER && to.startsWith('node:') && to !== DIGESTS,
    );
    expect(effects.map(({ from, to }) => `${from} → ${to}`)).to.deep.equal([]);
  });

  it('has no folder whose name says nothing', () => {
    const vague = files.filter((file) => /(^|\/)(utils?|common|helpers?|misc)(\/|\.ts$)/.test(file));
    expect(vague).to.deep.equal([]);
  });
});

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file));
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map((match) => {
    const target = (match[1] ?? match[2] ?? match[3]) as string;
    const to = target.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), target)) : target;
    return { from: file, to };
  });
}

function isOurs(path: string): boolean {
  return TOP_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

/** The folders of the drawing, each with the number of its line. What is no folder stands for the top folder itself. */
function drawnLayers(): ReadonlyMap<string, number> {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const [, drawing = ''] = /## The layers.*?```\n(.*?)```/s.exec(text) ?? [];
  const layers = new Map<string, number>();
  let top = '';
  for (const [line, drawn] of drawing.split('\n').entries()) {
    const [, name = top, items = ''] = /^ *(?:([\w/-]+)\/ )? *(.*)$/.exec(drawn) ?? [];
    top = name;
    for (const item of items.split(' · ').filter((part) => /^\w/.test(part))) {
      const folder = join(top, item);
      layers.set(existsSync(join(ROOT, folder)) && !/\.tsx?$/.test(item) ? folder : top, line);
    }
  }
  return layers;
}

/** A folder that is not drawn belongs to the one above it. */
function drawnFolder(path: string, layers: ReadonlyMap<string, number>): string {
  const folder = dirname(path);
  if (folder === '.') throw new Error(`\`${path}\` is in no folder of the drawing`);
  return layers.has(folder) ? folder : drawnFolder(folder, layers);
}

/** Whoever may know definitions may know the facts that are below them. */
function mayImport(from: string, to: string): boolean {
  const below = LAYERS[from] ?? [];
  return from === to || below.includes(to === CONTRACT && below.includes(DEFINITION) ? DEFINITION : to);
}

/**
 * The folders or files, in the folder that has both, through which one imports the other. An import of `compiler/change`
 * in `compiler/emit/migration` is one of `compiler/change` in `compiler/emit`.
 */
function betweenSiblings({ from, to }: Import): Import {
  const [a, b] = [from.split('/'), to.split('/')];
  const end = a.findIndex((part, index) => part !== b[index]) + 1;
  return { from: a.slice(0, end).join('/'), to: b.slice(0, end).join('/') };
}

/** Each cycle once, as the files or folders on it. */
function cycles(imports: readonly Import[]): readonly string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of imports) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of targets.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return found;
}
