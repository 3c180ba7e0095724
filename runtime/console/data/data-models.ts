/**
 * The models as the console's data API knows them. Names that a request brings are looked up here, and only names of the
 * definition go into statements.
 */
import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import type { Definition, Field, Model, Type } from '../../../compiler/definition/definition.ts';
import { hasTrait } from '../../../compiler/definition/scalars.ts';
import { Catalogue } from '../../../compiler/definition/sql/catalogue.ts';
import { type Name, quotedName } from '../../../compiler/definition/sql/names.ts';
import type { Sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { EnumValues } from '../../values/input-value.ts';
import type { DataColumn, Operator } from './data-forms.ts';

export interface KnownColumn {
  readonly field: Field;
  readonly name: Name;
  readonly sqlType: Sql;
  readonly form: DataColumn;
}

export interface KnownModel {
  readonly model: Model;
  readonly table: Name;
  readonly columns: readonly KnownColumn[];
  readonly id: KnownColumn;
  /** Null where no column says which record it is. */
  readonly label: KnownColumn | null;
  /** A reference that each record has for itself: without a telling column, it is called as what it refers to. */
  readonly namesake: KnownColumn | null;
  readonly referredBy: readonly { readonly model: string; readonly column: string; readonly reference: string }[];
}

export class DataModels {
  readonly definition: Definition;
  readonly enumValues: EnumValues;
  readonly #catalogue: Catalogue;
  readonly #definitions: ReadonlyMap<string, Model>;
  readonly #known = new Map<string, KnownModel>();
  readonly #referrers = new Map<string, { model: string; column: string; reference: string }[]>();

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
    const isSecret = field.secret || isPassword;
    const reference = model.references.find((each) => each.field === name);
    return {
      name,
      doc: doc ?? reference?.doc ?? null,
      type: type.kind,
      isList: type.many === true,
      isNullable: type.nullable === true,
      isUnique: unique || name === 'id' || reference?.unique === true,
      isSecret,
      isPassword,
      hasDefault: field.default !== null || name === 'id',
      values: type.enum === undefined ? [] : this.enumValues(type.enum),
      reference: reference ? { name: reference.name, to: reference.to } : null,
      isSortable: !isSecret && !type.many && type.kind !== 'json',
      operators: operatorsFor(type, isSecret),
    };
  }

  #referrersOf(model: string): { model: string; column: string; reference: string }[] {
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

const OF_ALL = ['null', 'not-null'] as const;

/** Whoever could compare a secret could find it out. */
function operatorsFor({ kind, many }: Type, isSecret: boolean): readonly Operator[] {
  if (isSecret) return OF_ALL;
  if (many || kind === 'json') return ['contains', ...OF_ALL];
  if (kind === 'boolean') return ['is', ...OF_ALL];
  const ordered = hasTrait(kind, 'ordered') ? (['greater', 'less'] as const) : [];
  return ['is', 'contains', ...ordered, ...OF_ALL];
}

/** Names that usually tell people which record it is, the best first. */
const TELLING = [
  'name',
  'title',
  'label',
  'display_name',
  'full_name',
  'subject',
  'email',
  'username',
  'login',
  'slug',
  'code',
  'number',
];

function labelAmong(columns: readonly KnownColumn[]): Pick<KnownModel, 'label' | 'namesake'> {
  const texts = columns.filter(({ field: { type }, form }) => type.kind === 'string' && !type.many && !form.isSecret);
  const spelled = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const telling = TELLING.map((word) => texts.find(({ field }) => spelled(field.name) === word)).find(Boolean);
  const certain = telling ?? texts.find(({ form }) => form.isUnique) ?? null;
  const namesake = columns.find(({ form }) => form.isUnique && form.reference !== null) ?? null;
  if (certain !== null || namesake !== null) return { label: certain, namesake: certain === null ? namesake : null };
  return { label: texts[0] ?? null, namesake: null };
}
