import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { hookTypes, writeHookTypes } from '../../pipeline/hooks/write-types.ts';
import { addFiles, definitionIn, projectFolder } from './project-folder.ts';

const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));

const BLOG = `
auth { model User }
/// Who is told.
setting ALERTS {}
setting STATE { type Status, default "live" }
setting LEAST { type decimal, default 1 }
enum Status { draft, live }
model User {
  field email { type string, unique }
  field role { type Status }
  field key { type string, secret }
  relation posts { from Post, through author }
}
/// RECORDS of the blog, and MODELS.
model Post {
  field title { type string }
  field status { type Status }
  field price { type decimal, nullable }
  field meta { type json }
  field tags { type [string], default [] }
  field states { type [Status], nullable }
  reference author { to User }
  hook caption { arg text title, inline "text" }
  hook label {
    /// As it is printed.
    arg title title
    arg others query { from author.posts as p, filter { p.title is not "x" }, select { title, author { email } } }
    arg count query { from author.posts, count }
    arg newest query { from author.posts as q, first, select { status, price, caption } }
    source label from "posts"
  }
}
api {
  entrypoint Post as post {
    authorize { @auth is not null }
    response { title, label }
    POST one "go" {
      extra inputs { field note { type string, nullable } }
      action {
        query as drafts { from Post as d, filter { d.status is "draft" }, select { id, status } }
        execute as first { hook { arg post post, arg who @auth, arg note note, source go from "posts", returns { at: timestamp, price: decimal nullable, states: [Status] } nullable } }
        execute as second { hook { arg result first, arg prices post.author.posts.price, source go from "posts" } }
        execute { hook { arg drafts drafts, source label from "drafts", returns [decimal] } }
      }
    }
  }
}
`;
const HOOKS = {
  'hooks/posts.ts': 'export const label = () => "";\nexport const go = () => 1;\n',
  'hooks/drafts.ts': 'export const label = () => 1;\n',
};

const ARGS = `// Made by Kiln from the *.kiln files. Changes to it are lost.

/** Of \`label\` in hooks/drafts.ts. */
export interface DraftsLabelArgs {
  readonly drafts: readonly {
    readonly id: number;
    readonly status: 'draft' | 'live';
  }[];
}

/** What \`label\` in hooks/drafts.ts must return, or a promise of it. */
export type DraftsLabelResult = readonly (string | number)[];

/** Of \`go\` in hooks/posts.ts. */
export type GoArgs =
  | {
      readonly post: {
        readonly id: number;
        readonly title: string;
        readonly status: 'draft' | 'live';
        readonly price: string | null;
        readonly meta: Json;
        readonly tags: readonly string[];
        readonly states: readonly ('draft' | 'live')[] | null;
        readonly author_id: number;
      };
      readonly who: {
        readonly id: number;
        readonly email: string;
        readonly role: 'draft' | 'live';
      };
      readonly note: string | null;
    }
  | {
      readonly result: {
        readonly at: string;
        readonly price: string | null;
        readonly states: readonly ('draft' | 'live')[];
      } | null;
      readonly prices: readonly (string | null)[];
    };

/** What \`go\` in hooks/posts.ts must return, or a promise of it. */
export type GoResult = {
  readonly at: string | Date;
  readonly price?: string | number | null | undefined;
  readonly states: readonly ('draft' | 'live')[];
} | null | undefined;

/** Of \`label\` in hooks/posts.ts. */
export interface PostsLabelArgs {
  /** As it is printed. */
  readonly title: string;
  readonly others: readonly {
    readonly title: string;
    readonly author: {
      readonly email: string;
    };
  }[];
  readonly count: number;
  readonly newest: {
    readonly status: 'draft' | 'live';
    readonly price: string | null;
    readonly caption: unknown;
  } | null;
}

`;

/** Uses what a hook may use, and does what it may not do where an error is expected. */
const USE = `import type { Context, DraftsLabelArgs, DraftsLabelResult, GoArgs, GoResult, PostsLabelArgs } from '../.kiln/hooks.d.ts';

export async function label({ title, others, newest, count }: PostsLabelArgs, context: Context): Promise<string> {
  const { db, log, auth, request, response } = context;
  const id: number | undefined = auth?.id;
  const role: 'draft' | 'live' | undefined = auth?.role;
  log.info({ id, role, count }, 'labelled %s', title);
  const { rows } = await db.knex.raw<{ n: number }>('SELECT count(*) AS n FROM post WHERE author_id = ?', [id]);
  const found = await db.Post.query().where({ title }).whereIn('id', [1, 2]).orderBy('id', 'desc').limit(1);
  const first = await db.Post.query().findById(1).withGraphFetched('author.posts');
  const price: string | null | undefined = first?.price;
  const status: 'draft' | 'live' | undefined = found[0]?.status;
  const key: string | undefined = first?.author?.key;
  const inner: string | undefined = first?.author?.posts?.[0]?.title;
  const made = await db.Post.query().insertAndFetch({ title, meta: { list: [1] }, author_id: 1 });
  const patched: number = await made.$query().patch({ title: db.knex.raw('upper(title)'), price: '1.50' });
  const sum = await db.Post.query().throwIfNotFound().where('price', '>', '1').joinRelated('author').count('* as n');
  const total: number = await db.Post.transaction(async (inner) => (await db.Post.query(inner).delete()) + patched);
  response.status(201).set('x-label', request.get('x') ?? '').json({ price, status, key, inner, sum, total });
  return [rows[0]?.n, newest?.status, others[0]?.author.email].join();
}

export const drafts = ({ drafts: [draft] }: DraftsLabelArgs): 'draft' | 'live' | undefined => draft?.status;
export const go = (args: GoArgs): string | null => ('post' in args ? args.post.price : (args.prices[0] ?? null));

export const states = async ({ db }: Context): Promise<'draft' | 'live' | undefined> =>
  (await db.Post.query().insert({ title: 'x', tags: ['a'], states: null, meta: {}, author_id: 1 })).states?.[0];

export const prices = (): DraftsLabelResult => ['1.50', 2];
export const gone = async (args: GoArgs): Promise<GoResult> =>
  'result' in args ? { at: new Date(), price: args.result?.price, states: args.result?.states ?? [] } : null;
// @ts-expect-error no such state
export const bad10 = (): GoResult => ({ at: new Date(), price: 1, states: ['gone'] });
// @ts-expect-error a member is missing
export const bad11 = (): GoResult => ({ at: new Date(), price: 1 });
export const told = ({ settings }: Context): readonly [string, 'draft' | 'live', string] => [
  settings.ALERTS,
  settings.STATE,
  settings.LEAST,
];
// @ts-expect-error no such setting
export const bad12 = ({ settings }: Context) => settings.NOTHING;
// @ts-expect-error a record that may be missing
export const bad1 = ({ newest }: PostsLabelArgs) => newest.status;
// @ts-expect-error nobody may be authenticated
export const bad2 = ({ auth }: Context) => auth.id;
// @ts-expect-error a secret
export const bad5 = ({ auth }: Context) => auth?.key;
// @ts-expect-error no such value
export const bad3 = ({ drafts: [draft] }: DraftsLabelArgs) => draft?.status === 'gone';
// @ts-expect-error no such model
export const bad4 = ({ db }: Context) => db.Nothing;
// @ts-expect-error no such field
export const bad6 = ({ db }: Context) => db.Post.query().insert({ titel: 'x' });
// @ts-expect-error a record that may be missing
export const bad7 = async ({ db }: Context) => (await db.Post.query().findById(1)).title;
// @ts-expect-error a decimal is a string
export const bad8 = ({ db }: Context) => db.Post.query().findById(1).patch({ price: 1.5 });
// @ts-expect-error it is fetched only where it was asked for
export const bad9 = async ({ db }: Context) => (await db.Post.query())[0]?.author.email;
`;

describe('types of hooks', () => {
  it('say what each function gets', async () => {
    const text = hookTypes(await definitionIn(projectFolder({ 'blog.kiln': BLOG, ...HOOKS }))) ?? '';
    expect(text.slice(0, text.indexOf('/** What a hook gets'))).to.equal(ARGS);
  });

  it('are checked by TypeScript with nothing else installed', async () => {
    const folder = projectFolder({ 'blog.kiln': BLOG, ...HOOKS });
    expect(writeHookTypes(folder, await definitionIn(folder))).to.equal(undefined);
    addFiles(folder, { 'hooks/use.ts': USE });
    for (const resolution of ['bundler', 'nodenext']) {
      const module = resolution === 'bundler' ? 'preserve' : 'nodenext';
      const words = ['--strict', '--noEmit', '--types', '', '--moduleResolution', resolution, '--module', module];
      const { stdout, status } = spawnSync(tsc, [...words, 'hooks/use.ts'], { cwd: folder, encoding: 'utf8' });
      expect(stdout).to.equal('');
      expect(status).to.equal(0);
    }
  });

  it('are written once, and again only after a change', async () => {
    const folder = projectFolder({ 'blog.kiln': BLOG, ...HOOKS });
    const file = join(folder, '.kiln/hooks.d.ts');
    writeHookTypes(folder, await definitionIn(folder));
    const { ino } = statSync(file);
    writeHookTypes(folder, await definitionIn(folder));
    expect(statSync(file).ino).to.equal(ino);
    addFiles(folder, { 'blog.kiln': BLOG.replace('arg title title', 'arg heading title') });
    writeHookTypes(folder, await definitionIn(folder));
    expect(readFileSync(file, 'utf8')).to.include('readonly heading: string;');
  });

  it('are not written where there are no hooks', async () => {
    const folder = projectFolder({ 'a.kiln': 'model A { field n { type integer } }' });
    writeHookTypes(folder, await definitionIn(folder));
    expect(existsSync(join(folder, '.kiln'))).to.equal(false);
  });
});
