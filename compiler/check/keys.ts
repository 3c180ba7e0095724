/** `unique { a, b }` and `index { a, b desc }`: over fields and references of one model. */
import type * as ast from '../ast/ast.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import type { Field, Key, Model } from '../program/program.ts';
import type { BuildingModel, Names } from './members.ts';

export function declareKeys(names: Names, model: BuildingModel, declaration: ast.ModelDeclaration): void {
  for (const written of declaration.members) {
    if (written.kind !== 'unique' && written.kind !== 'index') continue;
    const key = keyOf(names, model, written);
    if (key) model.keys.push(key);
  }
}

function keyOf(names: Names, model: Model, written: ast.KeyDeclaration): Key | undefined {
  const seen = new Map<string, ast.Name>();
  const parts = written.parts.map((part) => {
    const { name, direction } = part;
    const field = keyField(names, model, name, written.kind);
    // A reference and its key are two names of one column.
    const column = field?.name ?? name.text;
    const first = seen.get(column);
    if (first) reportPartTwice(names, name, first);
    else seen.set(column, name);
    if (direction && written.kind === 'unique') names.report('direction-in-unique', direction.span, {});
    return field && { field, descending: direction?.order === 'desc' };
  });
  checkPartCount(names, written, seen.size);
  const sound = parts.filter((part) => part !== undefined);
  return sound.length === parts.length ? { kind: written.kind, parts: sound, span: written.span } : undefined;
}

function reportPartTwice({ report }: Names, name: ast.Name, first: ast.Name): void {
  const other = first.text === name.text ? undefined : first.text;
  report('selected-twice', name.span, { name: name.text, first: first.span, isKey: true, other });
}

/** What an index of Postgres can be over. */
const MOST_PARTS = 32;

function checkPartCount({ report }: Names, { kind, parts, span }: ast.KeyDeclaration, distinct: number): void {
  if (parts.length < 2) report('key-over-one', span, { kind, count: parts.length });
  const further = parts[MOST_PARTS];
  if (further && distinct > MOST_PARTS)
    report('key-over-many', further.span, { kind, count: distinct, most: MOST_PARTS });
}

export function keyField(
  { report, witness }: Pick<Names, 'report' | 'witness'>,
  model: Model,
  name: ast.Name,
  kind: 'unique' | 'index',
): Field | undefined {
  const member = model.members.get(name.text);
  if (member) witness?.meant(name.span, { kind: 'member', member });
  if (member?.kind === 'field' && member.type.many)
    return report('list-in-key', name.span, { field: `${model.name}.${name.text}`, kind });
  if (member?.kind === 'field') return member;
  if (member?.kind === 'reference') return member.field;
  const candidates = [...model.members.values()].filter(({ kind: k }) => k === 'field' || k === 'reference');
  const { text, span } = name;
  const near = member ? undefined : nearName(text, candidates);
  const others = candidates.map((candidate) => candidate.name);
  return report('unknown-key-part', span, {
    name: text,
    model: model.name,
    kind,
    found: member?.kind,
    others,
    near,
  });
}
