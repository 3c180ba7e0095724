/** All declarations; those of authentication, runtimes, populators and generators are here. */
import { input, set } from './actions.ts';
import { api } from './api.ts';
import { dropModel, enumOf, model, rule, setting, shape, validator } from './models.ts';
import type { Name, Node } from './nodes.ts';
import type { Read } from './parts.ts';
import * as read from './parts.ts';
import { dropJob, job, mail, reaction, schedule, webhook } from './work.ts';

const register = read.node(
  {
    off: (_, { children }) => children.some(({ type }) => type === 'off'),
    inputs: read.members({ input }),
  },
  undefined,
  'open',
);

export type AuthDeclaration = ReturnType<typeof auth>;
const auth = read.node({ kind: read.is('auth'), register: read.property('auth_register', register) }, 'auth', 'open');

export type RuntimeDeclaration = ReturnType<typeof runtime>;
const runtime = read.node({ kind: read.is('runtime'), name: read.name() }, 'runtime', 'open');

export type GeneratorDeclaration = ReturnType<typeof generator>;
const generator = read.node(
  {
    kind: read.is('generator'),
    generator: read.words<'client' | 'apidocs'>('kind'),
    kindSpan: read.child('kind', read.SPAN),
  },
  'generator',
);

// ── Populators ──────────────────────────────────────────────────────────────────────────────────────────────────────

const range = read.ofRule('repeat_range', read.node({}, 'repeat_range', 'open'));
const count = read.optional('count', (reader, node) => reader.wholeNumber(node));

export type Repeat = ReturnType<typeof repeat>;
const repeat = (...at: Parameters<typeof range>) => ({
  ...range(...at),
  ...read.node({ alias: read.ALIAS, count })(...at),
});

export interface Populate extends Node {
  readonly resource: Name;
  readonly alias?: Name | undefined;
  readonly repeat?: Repeat | undefined;
  readonly sets: readonly ReturnType<typeof set>[];
  readonly populates: readonly Populate[];
}

const populate: Read<Populate> = read.node({
  resource: read.name('resource'),
  alias: read.ALIAS,
  repeat: read.property('repeat', repeat),
  sets: read.members({ set }),
  populates: read.members({ populate: (...at): Populate => populate(...at) }),
});

export type PopulatorDeclaration = ReturnType<typeof populator>;
const populator = read.declared(
  { kind: read.is('populator'), populates: read.members({ populate }) },
  undefined,
  'open',
);

// ── All of them ─────────────────────────────────────────────────────────────────────────────────────────────────────

export type Declaration = ReturnType<typeof declarations>[number];
export const declarations = read.documented({
  model,
  enum: enumOf,
  validator,
  shape,
  rule,
  setting,
  job,
  reaction,
  schedule,
  mail,
  webhook,
  api,
  populator,
  auth: read.undocumented(auth),
  runtime: read.undocumented(runtime),
  generator: read.undocumented(generator),
  drop_job: dropJob,
  drop_model: dropModel,
});
