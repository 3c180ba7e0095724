/** All declarations; those of authentication, runtimes, populators and generators are here. */
import { input, set } from './actions.ts';
import { api } from './api.ts';
import { dropModel, enumOf, model, rule, setting, shape, validator } from './models.ts';
import type { Name, Node } from './nodes.ts';
import {
  ALIAS,
  child,
  declared,
  documented,
  is,
  members,
  name,
  node,
  ofRule,
  optional,
  property,
  type Read,
  SPAN,
  undocumented,
  words,
} from './parts.ts';
import { dropJob, job, mail, reaction, schedule, webhook } from './work.ts';

const register = node(
  {
    off: (_, { children }) => children.some(({ type }) => type === 'off'),
    inputs: members({ input }),
  },
  undefined,
  'open',
);

export type AuthDeclaration = ReturnType<typeof auth>;
const auth = node({ kind: is('auth'), register: property('auth_register', register) }, 'auth', 'open');

export type RuntimeDeclaration = ReturnType<typeof runtime>;
const runtime = node({ kind: is('runtime'), name: name() }, 'runtime', 'open');

export type GeneratorDeclaration = ReturnType<typeof generator>;
const generator = node(
  { kind: is('generator'), generator: words<'client' | 'apidocs'>('kind'), kindSpan: child('kind', SPAN) },
  'generator',
);

// ── Populators ──────────────────────────────────────────────────────────────────────────────────────────────────────

const range = ofRule('repeat_range', node({}, 'repeat_range', 'open'));
const count = optional('count', (reader, node) => reader.wholeNumber(node));

export type Repeat = ReturnType<typeof repeat>;
const repeat = (...at: Parameters<typeof range>) => ({ ...range(...at), ...node({ alias: ALIAS, count })(...at) });

export interface Populate extends Node {
  readonly resource: Name;
  readonly alias?: Name | undefined;
  readonly repeat?: Repeat | undefined;
  readonly sets: readonly ReturnType<typeof set>[];
  readonly populates: readonly Populate[];
}

const populate: Read<Populate> = node({
  resource: name('resource'),
  alias: ALIAS,
  repeat: property('repeat', repeat),
  sets: members({ set }),
  populates: members({ populate: populateFrom }),
});

function populateFrom(...at: Parameters<Read<Populate>>): Populate {
  return populate(...at);
}

export type PopulatorDeclaration = ReturnType<typeof populator>;
const populator = declared({ kind: is('populator'), populates: members({ populate }) }, undefined, 'open');

// ── All of them ─────────────────────────────────────────────────────────────────────────────────────────────────────

export type Declaration = ReturnType<typeof declarations>[number];
export const declarations = documented({
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
  auth: undocumented(auth),
  runtime: undocumented(runtime),
  generator: undocumented(generator),
  drop_job: dropJob,
  drop_model: dropModel,
});
