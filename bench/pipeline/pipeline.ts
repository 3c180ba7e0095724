/**
 * What a push costs: `npm run bench:pipeline`. Needs a Docker engine. From a commit to an image, against the same API by hand
 * and `docker build` in the same run; from a push to a tested image, step by step; sizes; and the start of a container.
 * `-- --only builds` measures one part: `builds`, `pushes`, `sizes` or `starts`.
 */
import { parseArgs } from 'node:util';
import { factor, table, tenths, whole } from '../api/table.ts';
import { type Builds, measureBuilds } from './build.ts';
import { BASE, makeBase, removeBase } from './images.ts';
import { blogProject, manyModels, type Project } from './project.ts';
import { measurePushes, type Pushes } from './push.ts';
import { type Sizes, sizesOf } from './sizes.ts';
import { measureStarts, type Starts } from './start.ts';

const ROUNDS = 5;
const MANY = Number(process.env.KILN_BENCH_MODELS || 1000);

const PARTS = {
  builds: async () => reportOfBuilds(await using(blogProject(), (project) => measureBuilds(project, ROUNDS))),
  pushes: async () =>
    reportOfPushes(
      await using(blogProject(), (project) => measurePushes(project, ROUNDS)),
      await using(manyModels(MANY), (project) => measurePushes(project, 1)),
    ),
  sizes: async () => reportOfSizes(await using(blogProject(), sizesOf), await using(manyModels(100), sizesOf)),
  starts: async () => reportOfStarts(await using(blogProject(), (project) => measureStarts(project, ROUNDS))),
};

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
const parts = Object.entries(PARTS).filter(([name]) => only === undefined || name === only);
if (parts.length === 0) throw new Error(`--only is one of ${Object.keys(PARTS).join(', ')}`);

const node = await makeBase();
try {
  note(`base: ${BASE} on ${node}`);
  for (const [, report] of parts) print(await report());
} finally {
  removeBase();
}

async function using<T>(project: Project, measure: (project: Project) => T | Promise<T>): Promise<T> {
  try {
    note(`measuring ${project.name} …`);
    return await measure(project);
  } finally {
    project.remove();
  }
}

function reportOfBuilds({ kiln, plain, buildKit, buildKitFresh, kilnAgain, buildKitAgain }: Builds): string {
  const row = (name: string, time: number, ofKiln: number) => [name, whole(time), factor(time / ofKiln)];
  const rows = [
    row('one line changed: kiln build', kiln, kiln),
    row('docker build, the classic builder', plain, kiln),
    row('docker build, BuildKit, warm cache', buildKit, kiln),
    row('docker build, BuildKit, no cache', buildKitFresh, kiln),
    row('nothing changed: kiln build', kilnAgain, kilnAgain),
    row('docker build, BuildKit, warm cache', buildKitAgain, kilnAgain),
  ];
  return `From a commit to an image\n${table(['', 'median ms', 'of kiln'], rows)}`;
}

function reportOfPushes(blog: Pushes, many: Pushes): string {
  const names = [...new Set([...blog.steps.keys(), ...many.steps.keys()])];
  const rows = [
    ...names.map((name) => [name, ...[blog, many].map(({ steps }) => whole(steps.get(name) ?? Number.NaN))]),
    ['push to image', whole(blog.untested), whole(many.untested)],
    ['push to tested image', whole(blog.tested), whole(many.tested)],
    ['the first push, to tested image', whole(blog.first), whole(many.first)],
  ];
  return `Push, median ms\n${table(['', 'blog', `${MANY} models`], rows)}`;
}

function reportOfSizes(blog: Sizes, hundred: Sizes): string {
  const rows = [
    ['over the Node image, blog', tenths(blog.overNode / 1000), '3,000'],
    ["the application's layer, 100 models", tenths(hundred.application / 1000), '256'],
  ];
  return `Compressed\n${table(['', 'KB', 'limit'], rows)}`;
}

function reportOfStarts({ ready, bareNode, connection }: Starts): string {
  const limit = 2 * bareNode + connection;
  const rows = [
    ['container to ready', whole(ready), factor(ready / limit)],
    ['container of `node -e 0`', whole(bareNode), ''],
    ['one connection to Postgres', whole(connection), ''],
    ['limit: 2 x node + connection', whole(limit), factor(1)],
  ];
  return `Start\n${table(['', 'median ms', 'of the limit'], rows)}`;
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

function print(report: string): void {
  process.stdout.write(`${report}\n`);
}
