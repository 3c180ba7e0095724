/**
 * What the last check of a project leaves for the next one. The models stay the same objects; those that are declared in
 * another way now are declared again, and their neighbours are linked to them again. What has read one of these is checked
 * again, and the rest stays. After a change of anything that many
 * depend on, such as a name, an enum or a validator, everything is checked again.
 */
import type * as ast from '../ast/ast.ts';
import type { Endpoint, Enum, Field, Key, Member, Model } from '../program/program.ts';
import { type Building, type Context, MOST_SETTLING } from './context.ts';
import type { Declarations } from './declarations.ts';
import { declareKeys } from './keys.ts';
import {
  type BuildingModel,
  declareMembers,
  declareModel,
  type Names,
  settleReferenceTypes,
  standInForRelations,
} from './members.ts';
import { declareRelations } from './relations.ts';
import { isSameContent } from './same-content.ts';
import { MOST_SETTLING_SHAPES } from './shapes.ts';
import { Reading, Trace } from './trace.ts';

/** A piece of work with what it has read. */
interface Work<T> {
  readonly reading: Reading;
  readonly result: T;
}

type EndpointsOf = Map<ast.EntrypointDeclaration, Work<readonly Endpoint[]> & { readonly api: string | undefined }>;

/** Up to this depth nothing can be beyond a limit, in whichever order it is settled. */
const DEEPEST = Math.min(MOST_SETTLING, MOST_SETTLING_SHAPES);

export class KeptCheck {
  readonly trace = new Trace();
  /** Of the last check. Nothing while a check runs: one that throws leaves models that are half changed. */
  #declarations: Declarations | undefined;
  /** Of the last check, while this one runs; nothing where everything is checked. */
  #before: Declarations | undefined;
  #models = new Map<string, BuildingModel>();
  #enums: ReadonlyMap<string, Enum> = new Map();
  /** Models whose declaration has reported something, which has to be reported again. */
  #noisy = new Set<string>();
  #isPartial = false;
  #changed: ReadonlySet<Model> = new Set();
  #checked = new Map<ast.ModelDeclaration, Reading>();
  #endpoints: EndpointsOf = new Map();
  /** Of all that was checked. */
  readonly #readings = new WeakMap<Model | Endpoint, Reading>();
  readonly #made = new WeakMap<Model | Endpoint, Work<unknown> & { readonly key: string }>();
  /** Of this check. */
  #nextChecked = new Map<ast.ModelDeclaration, Reading>();
  #nextEndpoints: EndpointsOf = new Map();

  /** Nothing of what there was is used again. */
  forget(): void {
    this.#declarations = undefined;
    this.#before = undefined;
    this.#models = new Map();
    this.#enums = new Map();
    this.#noisy = new Set();
    this.#checked = new Map();
    this.#endpoints = new Map();
  }

  /**
   * Whether the last check may have given something else than a check from the beginning. What is too deep is reported
   * depending on what was settled before, so it shows only when everything is checked.
   */
  get isInDoubt(): boolean {
    return this.#isPartial && this.trace.deepest > DEEPEST;
  }

  /** To be called when nothing was wrong. */
  keep(declarations: Declarations): void {
    if (this.trace.deepest > DEEPEST) {
      this.forget();
      return;
    }
    this.#declarations = declarations;
    this.#before = undefined;
    this.#checked = this.#nextChecked;
    this.#endpoints = this.#nextEndpoints;
  }

  /** Enums of the same content are the same objects: types are compared by them. */
  enums(declarations: Declarations, declared: ReadonlyMap<string, Enum>): ReadonlyMap<string, Enum> {
    const before = this.#declarations;
    this.#declarations = undefined;
    if (before && isAlike(before, declarations)) this.#before = before;
    else this.forget();
    this.#isPartial = this.#before !== undefined;
    this.trace.deepest = 0;
    this.#nextChecked = new Map();
    this.#nextEndpoints = new Map();
    if (this.#before) {
      for (const [name, { span }] of declared) (this.#enums.get(name) as Building<Enum>).span = span;
      return this.#enums;
    }
    this.#enums = declared;
    return declared;
  }

  // ── Models ────────────────────────────────────────────────────────────────────────────────────────────────────────

  declareModels({ models }: Declarations, others: Omit<Names, 'models'>): ReadonlyMap<string, BuildingModel> {
    const before = this.#before?.models;
    const renewed = before ? this.#renewed(before, models) : models;
    for (const declaration of renewed) this.#begin(declaration);
    const names: Names = { ...others, models: this.#models };
    const changedNames = new Set(renewed.map(({ name }) => name.text));
    const linked = models.filter(
      (declaration) =>
        !changedNames.has(declaration.name.text) && neighboursOf(declaration).some((name) => changedNames.has(name)),
    );
    this.#each(renewed, (model, declaration) => declareMembers(names, model, declaration));
    for (const declaration of linked) unlink(this.#models.get(declaration.name.text) as BuildingModel, declaration);
    this.#each([...renewed, ...linked], (model) => settleReferenceTypes(model));
    this.#each([...renewed, ...linked], (model, declaration) => declareRelations(names, model, declaration));
    this.#each(renewed, (model, declaration) => declareKeys(names, model, declaration));
    this.#changed = this.#withHooks(
      new Set([...renewed, ...linked].map(({ name }) => this.#models.get(name.text) as Model)),
      models,
    );
    return this.#models;
  }

  /** Those that say something else than before. The others get their new places. */
  #renewed(
    before: readonly ast.ModelDeclaration[],
    now: readonly ast.ModelDeclaration[],
  ): readonly ast.ModelDeclaration[] {
    return now.filter((declaration, index) => {
      if (declaration === before[index] && !this.#noisy.has(declaration.name.text)) return false;
      if (this.#noisy.has(declaration.name.text) || !isSameContent(declaration, before[index])) return true;
      movePlaces(this.#models.get(declaration.name.text) as BuildingModel, declaration);
      return false;
    });
  }

  #begin(declaration: ast.ModelDeclaration): void {
    const name = declaration.name.text;
    const fresh = declareModel(declaration);
    const model = this.#models.get(name);
    this.#noisy.delete(name);
    if (!model) this.#models.set(name, traced(fresh, this.trace));
    // The same object, because others lead to it.
    else Object.assign(model, fresh);
  }

  #each(
    declarations: readonly ast.ModelDeclaration[],
    work: (model: BuildingModel, declaration: ast.ModelDeclaration) => void,
  ): void {
    for (const declaration of declarations) {
      const reading = new Reading();
      const name = declaration.name.text;
      this.trace.within(reading, () => work(this.#models.get(name) as BuildingModel, declaration));
      if (reading.hasReported) this.#noisy.add(name);
    }
  }

  /** The code of a model's hooks is seen by all that see the model. */
  #withHooks(changed: Set<Model>, declarations: readonly ast.ModelDeclaration[]): ReadonlySet<Model> {
    const withHooks = declarations.filter(hasHooks).map(({ name }) => this.#models.get(name.text) as Model);
    for (let size = -1; size !== changed.size; ) {
      size = changed.size;
      for (const model of withHooks) if (!changed.has(model) && this.#hooksRead(model, changed)) changed.add(model);
    }
    return changed;
  }

  #hooksRead(model: Model, changed: ReadonlySet<Model>): boolean {
    const hooks = [...model.members.values()].filter(({ kind }) => kind === 'hook');
    return hooks.some((hook) => [...(this.trace.readingOf(hook)?.models ?? [])].some((each) => changed.has(each)));
  }

  /** The models whose expressions have to be checked. What hooks give is known from the model on that declares them. */
  toCheck(context: Context, declarations: readonly ast.ModelDeclaration[]): readonly ast.ModelDeclaration[] {
    return declarations.filter((declaration) => {
      const reading = this.#checked.get(declaration);
      if (reading && !hasHooks(declaration) && this.#isValid(context, reading)) {
        this.#replay(context, reading);
        this.#nextChecked.set(declaration, reading);
        return false;
      }
      for (const member of context.models.get(declaration.name.text)?.members.values() ?? []) unsettle(member);
      return true;
    });
  }

  checkModel(context: Context, declaration: ast.ModelDeclaration, work: () => void): void {
    const model = context.models.get(declaration.name.text) as Model;
    const reading = new Reading();
    reading.models.add(model);
    this.trace.within(reading, work);
    this.#readings.set(model, reading);
    if (!reading.hasReported) this.#nextChecked.set(declaration, reading);
  }

  // ── Endpoints ─────────────────────────────────────────────────────────────────────────────────────────────────────

  endpointsOf(
    context: Context,
    entrypoint: ast.EntrypointDeclaration,
    api: string | undefined,
    check: () => readonly Endpoint[],
  ): readonly Endpoint[] {
    const known = this.#endpoints.get(entrypoint);
    if (known && known.api === api && this.#isValid(context, known.reading)) {
      this.#replay(context, known.reading);
      this.#nextEndpoints.set(entrypoint, known);
      return known.result;
    }
    const reading = new Reading();
    const open = openQuestions(context);
    const result = this.trace.within(reading, check);
    for (const endpoint of result) this.#readings.set(endpoint, reading);
    if (!reading.hasReported && openQuestions(context) === open)
      this.#nextEndpoints.set(entrypoint, { reading, result, api });
    return result;
  }

  #isValid({ fileText }: Context, { models, files }: Reading): boolean {
    for (const model of models) if (this.#changed.has(model)) return false;
    for (const [path, text] of files) if (fileText(path) !== text) return false;
    return true;
  }

  #replay({ shapes, hookFolders }: Context, reading: Reading): void {
    for (const name of reading.runtimes) hookFolders.used.add(name);
    for (const [path, text] of reading.files) if (text !== undefined) hookFolders.files.add(path);
    for (const name of reading.shapes) {
      const shape = shapes.byName.get(name);
      if (shape) shapes.used.add(shape);
    }
  }

  // ── What is made of the program ───────────────────────────────────────────────────────────────────────────────────

  /** What was made of a model or an endpoint is made again when that is checked again. `key` says what else it is made of. */
  made<T>(part: Model | Endpoint, key: string, make: () => T): T {
    const reading = this.#readings.get(part);
    if (!reading) return make();
    const known = this.#made.get(part);
    if (known?.reading === reading && known.key === key) return known.result as T;
    const result = this.trace.within(reading, make);
    this.#made.set(part, { reading, key, result });
    return result;
  }
}

/** Whether all but models and APIs says the same, and no name has come or gone. */
function isAlike(before: Declarations, now: Declarations): boolean {
  if (before.models.length !== now.models.length) return false;
  const { enums, validators, shapes, auth, runtimes } = before;
  return (
    before.models.every(({ name }, index) => name.text === now.models[index]?.name.text) &&
    isSameContent(
      [enums, validators, shapes, auth, runtimes],
      [now.enums, now.validators, now.shapes, now.auth, now.runtimes],
    )
  );
}

/** Counts what is reported only at the end of a check. If an entrypoint adds to it, its result is not kept. */
function openQuestions({ inputUse, asksForAuth }: Context): string {
  return `${inputUse.unread.length} ${asksForAuth?.length}`;
}

/** What it came to would be taken for what it comes to now, if that has an error. */
function unsettle(member: Member): void {
  if (member.kind === 'hook') delete (member as { call?: unknown }).call;
  if (member.kind === 'computed') delete (member as { value?: unknown }).value;
  if (member.kind === 'query') delete (member as { query?: unknown }).query;
}

function hasHooks({ members }: ast.ModelDeclaration): boolean {
  return members.some(({ kind }) => kind === 'hook');
}

/** The models whose members a model's own members lead to. */
function neighboursOf({ members }: ast.ModelDeclaration): readonly string[] {
  return members.flatMap((member) => {
    if (member.kind === 'reference') return member.to ? [member.to.text] : [];
    return member.kind === 'relation' && member.from ? [member.from.path.steps[0].text] : [];
  });
}

/**
 * What was worked out from the fields is worked out again. A relation stands in for itself again, because the reference
 * that it goes through may be gone.
 */
function unlink(model: BuildingModel, declaration: ast.ModelDeclaration): void {
  model.fields = [...model.fields];
  standInForRelations(model, declaration);
}

/** Whoever looks into the model is noted. */
function traced(model: BuildingModel, trace: Trace): BuildingModel {
  const own = { ...model };
  const look = <K extends 'members' | 'fields' | 'keys' | 'was' | 'doc' | 'drops'>(key: K) => ({
    enumerable: true,
    get: () => {
      trace.reads(model);
      return own[key];
    },
    set: (value: BuildingModel[K]) => {
      own[key] = value;
    },
  });
  return Object.defineProperties(model, {
    members: look('members'),
    fields: look('fields'),
    keys: look('keys'),
    was: look('was'),
    doc: look('doc'),
    drops: look('drops'),
  });
}

/**
 * What a model declares is the same, but stands elsewhere in its file. Those that know the place of a name, such as the
 * inputs of an endpoint, know the new one then.
 */
function movePlaces(model: BuildingModel, declaration: ast.ModelDeclaration): void {
  move(model, declaration.name);
  const id = declaration.members.find((member) => member.kind === 'field' && member.name.text === 'id');
  const own = model.members.get('id');
  if (own) move(own, id && 'name' in id ? id.name : declaration.name);
  for (const written of declaration.members) {
    if (!('name' in written) || written.kind === 'drop') continue;
    const member = model.members.get(written.name.text);
    if (member) move(member, written.name);
    if (member?.kind === 'field' && written.kind === 'field' && member.origin === 'written')
      (member as Building<Field>).typeSpan = written.type?.span;
  }
  const keys = declaration.members.filter(({ kind }) => kind === 'unique' || kind === 'index');
  for (const [index, { span }] of keys.entries()) {
    const key = model.keys[index] as Building<Key> | undefined;
    if (key) key.span = span;
  }
}

function move({ span }: Pick<Member, 'span'>, name: ast.Name): void {
  Object.assign(span, name.span);
  (name as Building<ast.Name>).span = span;
}
