/**
 * The models as the console's data API knows them. Names that a request brings are looked up here, and only names of the
 * definition go into statements.
 */
import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import { columnDefault } from '../../../compiler/definition/column-default.ts';
import type { Definition, Field, Model } from '../../../compiler/definition/definition.ts';
import { Catalogue } from '../../../compiler/definition/sql/catalogue.ts';
import { type Name, quotedName } from '../../../compiler/definition/sql/names.ts';
import type { Sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { EnumValues } from '../../values/kinds.ts';
import type { DataColumn, Referrers } from './data-forms.ts';

export interface KnownColumn {
  readonly field: Field;
  readonly name: Name;
  readonly sqlType: Sql;
  readonly form: DataColumn;
}

export interface KnownModel {
  /** All models of the application. */
  readonly models: DataModels;
  readonly model: Model;
  readonly table: Name;
  readonly columns: readonly KnownColumn[];
  readonly id: KnownColumn;
  /** Null where no column says which record it is. */
  readonly label: KnownColumn | null;
  /** A reference that each record has for itself: without a telling column, it is called as what it refers to. */
  readonly namesake: KnownColumn | null;
  /** References of other models, and of this one, that lead here. */
  readonly referredBy: readonly Referrer[];
}

type Referrer = Pick<Referrers, 'model' | 'column' | 'reference'>;

export class DataModels {
  readonly definition: Definition;
  readonly enumValues: EnumValues;
  readonly #catalogue: Catalogue;
  readonly #definitions: ReadonlyMap<string, Model>;
  readonly #known = new Map<string, KnownModel>();
  readonly #referrers = new Map<string, Referrer[]>();

  constructor(definition: Definition) {
    this.definition = definition;
    this.#catalogue = new Catalogue(definition);
    this.#definitions = new Map(definition.models.map((model) => [model.name, model]));
    const enums = new Map(definition.enums.map(({ name, values }) => [name, values.map((value) => value.name)]));
    this.enumValues = (name) => enums.get(name) ?? [];
    for (const { name: model, references } of definition.models)
      for (const { to, field: column, name: reference } of references)
        this.#referrersOf(to).push({ model, column, reference });
  }

  get all(): readonly KnownModel[] {
    return this.definition.models.map(({ name }) => this.model(name));
  }

  /** Throws an ApiError where the definition has no such model. */
  model(name: string): KnownModel {
    const known = this.#known.get(name) ?? this.#made(name);
    this.#known.set(name, known);
    return known;
  }

  #made(name: string): KnownModel {
    const model = this.#definitions.get(name);
    if (!model) throw new ApiError('not-found', { detail: `There is no model \`${name}\`.` });
    const columns = model.fields.map((field) => this.#column(model, field));
    return {
      models: this,
      model,
      table: quotedName(model.table),
      columns,
      id: columns.find(({ field }) => field.name === 'id') as KnownColumn,
      ...labelAmong(columns),
      referredBy: this.#referrersOf(name),
    };
  }

  #column(model: Model, field: Field): KnownColumn {
    const form = this.#form(model, field);
    return { field, name: quotedName(field.column), sqlType: this.#catalogue.sqlType(field.type), form };
  }

  #form(model: Model, field: Field): DataColumn {
    const { name, doc, type, unique } = field;
    const isPassword = passwordFieldOf(this.definition, model) === name;
    const reference = model.references.find((each) => each.field === name);
    const told = doc ?? reference?.doc;
    return {
      name,
      type: type.kind,
      ...(told && { doc: told }),
      ...(type.many && { isList: true }),
      ...(type.nullable && { isNullable: true }),
      ...((unique || name === 'id' || reference?.unique) && { isUnique: true }),
      ...((field.secret || isPassword) && { isSecret: true }),
      ...(isPassword && { isPassword: true }),
      ...((columnDefault(field) !== null || name === 'id') && { hasDefault: true }),
      ...(type.enum !== undefined && { values: this.enumValues(type.enum) }),
      ...(reference && { reference: { name: reference.name, to: reference.to } }),
    };
  }

  #referrersOf(model: string): Referrer[] {
    const found = this.#referrers.get(model) ?? [];
    this.#referrers.set(model, found);
    return found;
  }
}

/** Throws an ApiError where the model has no such column. */
export function columnOf({ model, columns }: KnownModel, name: string): KnownColumn {
  const found = columns.find(({ field }) => field.name === name);
  if (!found) throw new ApiError('malformed-request', { detail: `\`${model.name}\` has no column \`${name}\`.` });
  return found;
}

function passwordFieldOf(definition: Definition, model: Model): string | undefined {
  const auth = passwordAuthOf(definition);
  return auth?.model === model.name ? auth.password.hash : undefined;
}

/** Names that usually tell people which record it is, the best first. */
const TELLING = 'name title label display_name full_name subject email username login slug code number'.split(' ');

function labelAmong(columns: readonly KnownColumn[]): Pick<KnownModel, 'label' | 'namesake'> {
  const texts = columns.filter(({ field: { type }, form }) => type.kind === 'string' && !type.many && !form.isSecret);
  const spelled = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const telling = TELLING.map((word) => texts.find(({ field }) => spelled(field.name) === word)).find(Boolean);
  const certain = telling ?? texts.find(({ form }) => form.isUnique) ?? null;
  const namesake = columns.find(({ form }) => form.isUnique && form.reference) ?? null;
  if (certain !== null || namesake !== null) return { label: certain, namesake: certain === null ? namesake : null };
  return { label: texts[0] ?? null, namesake: null };
}
