/** What the blocks of one run are compiled with: one Faker, one source of chance, and what several blocks share. */

import { createHash } from 'node:crypto';
import type { Faker } from '@faker-js/faker';
import { LONGEST_PASSWORD } from '../../compiler/definition/contract/validators.ts';
import type { Definition, Field, Model, Reference } from '../../compiler/definition/definition.ts';
import { emptyScope } from '../expressions/scope.ts';
import type { HookModules } from '../hooks/context.ts';
import { hashPasswordWith, isTooLongForPassword, SALT_BYTES } from '../values/password.ts';
import { type Block, withInner } from './blocks.ts';
import type { Choices } from './candidates.ts';
import type { ColumnTools } from './column.ts';
import { candidatesOf, type Sources } from './field-candidates.ts';
import { type FieldValues, fieldValues } from './field-values.ts';
import { type Iteration, type PopulatorTools, populatorEnvironment } from './populator-environment.ts';
import { randomFrom } from './random.ts';
import { REFERENCE_TIME } from './reference-moment.ts';
import { shapesFrom } from './shapes.ts';
import { remembered, type StartingState } from './starting-state.ts';
import { isBackward, tableOrder } from './table-order.ts';
import { Uniques } from './taken-keys.ts';
import { Walks } from './walk.ts';

export interface RunOptions {
  readonly state: StartingState;
  readonly seed: number;
  readonly hooks: HookModules;
}

export type RunTools = ColumnTools & { readonly iteration: (name: string) => Iteration };

export async function toolsOf(
  definition: Definition,
  blocks: readonly Block[],
  { state, seed, hooks }: RunOptions,
  firsts: ReadonlyMap<string, number>,
): Promise<RunTools> {
  const random = randomFrom(`${seed}`);
  const faker = await seededFaker(seed);
  const iterations = new Map<string, Iteration>();
  const iteration = (name: string) => remembered(iterations, name, () => ({ current: 0, total: 0 }));
  const passwordHash = seededPasswords(seed);
  const populator: PopulatorTools = { definition, faker, random, hooks, passwordHash, iteration };
  const repeating = populatorEnvironment(populator, true);
  const distinct = populatorEnvironment(populator, false);
  const scope = emptyScope();
  const sources = sourcesOf(populator, seed, firsts);
  const all = withInner(blocks);
  const isSet = (model: Model, { name }: Field) =>
    all.some((block) => block.model === model && block.populate.values.some(({ field }) => field === name));
  const values = new Map<string, Promise<FieldValues>>();
  const walks = new Map<string, Walks>();
  return {
    scope,
    random,
    uniques: new Uniques(all, state),
    iteration,
    environment: (mayRepeat) => (mayRepeat ? repeating : distinct),
    candidates: ({ model }, field) => candidatesOf(model, field, sources),
    values: ({ model }, field, candidates, isNumbered) =>
      remembered(values, `${model.name}.${field.name} ${isNumbered}`, () =>
        fieldValues(model, field, candidates, isNumbered, {
          environment: distinct,
          state,
          random,
          scope,
          isSetElsewhere: isSet(model, field),
        }),
      ),
    targets: ({ model }, reference) => targetsOf(model, reference, definition, state),
    walks: ({ model }, { fields, walked }, members) =>
      remembered(walks, [model.name, ...fields, ...walked].join(' '), () => new Walks(members, random)),
  };
}

async function targetsOf(
  model: Model,
  { to }: Reference,
  definition: Definition,
  state: StartingState,
): Promise<Choices> {
  const target = definition.models.find(({ name }) => name === to) as Model;
  return (await state.ids(target)).choices(isBackward(tableOrder(definition), model.name, to));
}

/** What everyone's password is where the populator does not say. */
const PASSWORD = 'password';

/** `firsts` are the numbers of the first ids of this run, which no other run has had. */
function sourcesOf(
  { definition, faker, random, passwordHash }: PopulatorTools,
  seed: number,
  firsts: ReadonlyMap<string, number>,
): Sources {
  const { auth } = definition;
  const enums = new Map(definition.enums.map(({ name, values }) => [name, values.map((value) => value.name)]));
  return {
    shapes: shapesFrom(faker, random),
    random,
    enumValues: (name) => enums.get(name) ?? [],
    seedOf: (model, field) => `${seed} ${model.table}.${field.column} ${firsts.get(model.name)}`,
    isPasswordHash: (model, field) => auth?.model === model.name && auth.password?.hash === field.name,
    passwordHash: () => passwordHash(PASSWORD),
  };
}

// ── Seeded faker ────────────────────────────────────────────────────────────────────────────────────────────────────

// Faker, loaded only when a populator runs. Each run has one of its own, so that two of them do not disturb each other.

type Options = ConstructorParameters<typeof Faker>[0];

export async function seededFaker(seed: number): Promise<Faker> {
  // The locale alone loads in a tenth of the time of all of them.
  const { faker } = await import('@faker-js/faker/locale/en');
  const Own = faker.constructor as new (options: Options) => Faker;
  const own = new Own({ locale: faker.rawDefinitions, seed });
  own.setDefaultRefDate(new Date(REFERENCE_TIME));
  return own;
}

// ── Seeded password ─────────────────────────────────────────────────────────────────────────────────────────────────

// Hashes of passwords as `values/password.ts` verifies them, with a salt that follows from the seed.

/** So many that a million users with a handful of passwords cost a handful of hashes. */
const REMEMBERED = 1024;

function seededPasswords(seed: number): (password: string) => string {
  const known = new Map<string, string>();
  return (password) => {
    const found = known.get(password);
    if (found !== undefined) return found;
    const hash = seededHash(password, seed);
    if (known.size < REMEMBERED) known.set(password, hash);
    return hash;
  };
}

function seededHash(password: string, seed: number): string {
  if (isTooLongForPassword(password)) throw new Error(`a password has at most ${LONGEST_PASSWORD} bytes`);
  const text = password.normalize('NFC');
  const salt = createHash('sha256').update(`${seed}\0${text}`).digest().subarray(0, SALT_BYTES);
  return hashPasswordWith(salt, text);
}
