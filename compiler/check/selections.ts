/** What a response, or the argument of a hook, takes from a record. */
import type * as ast from '../ast/ast.ts';
import { memoized } from '../definition/memo.ts';
import type { Expression, Field, Member, Model, Path, Selected } from '../program/program.ts';
import { isAny, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { sayingInputs } from './input-paths.ts';
import { reportUnknownMember, typeOfMember } from './paths.ts';
import { overRow, type Scope, withoutRow } from './scope.ts';
import { isSameItem, reportForgottenComma, spreadShape, wholeShape } from './shapes.ts';

/** The direct fields of a model, without secrets: what a response is when nothing is said. */
export function directFields(model: Model): readonly Selected[] {
  return withoutSecrets(model.fields);
}

/** Asked for by every endpoint that says nothing else. By the fields of a model, which are others when it is declared again. */
const withoutSecrets = memoized((fields: Model['fields']) => fields.filter(({ secret }) => !secret).map(fieldSelected));

function fieldSelected(field: Field): Selected {
  const { name, doc, type, span } = field;
  const value: Path = { kind: 'path', root: { kind: 'row', model: field.model }, steps: [field], type, span };
  return { kind: 'value', name, doc, value };
}

/** A selection of an entrypoint is met at each of its endpoints; one of plain names is the same at all of them. */
export function checkSelection(
  context: Context,
  selection: ast.Selection,
  model: Model,
  scope: Scope,
): readonly Selected[] {
  if (scope.position.secrets) return checkItems(context, selection, model, scope);
  const known = context.plainSelections.get(selection);
  if (known) return known;
  const items = checkItems(context, selection, model, scope);
  if (isPlain(selection)) context.plainSelections.set(selection, items);
  return items;
}

function isPlain(selection: ast.Selection): boolean {
  return selection.items.every(
    (item) => item.kind === 'spread' || (!item.value && (!item.selection || isPlain(item.selection))),
  );
}

function checkItems(context: Context, selection: ast.Selection, model: Model, scope: Scope): readonly Selected[] {
  const only = selection.items.length === 1 ? selection.items[0] : undefined;
  if (only?.kind === 'spread') return spreadShape(context, only, model);
  const over = scope.row ? scope : overRow(scope, model, scope.position);
  const taken = new Map<string, Taken>();
  for (const item of selection.items) {
    if (item.kind === 'spread') {
      for (const selected of spreadShape(context, item, model))
        take(context, taken, selected.name, { selected, span: item.shape.span, spread: item.shape.text });
    } else {
      const selected = reportForgottenComma(context, item, model)
        ? undefined
        : item.value
          ? checkAliased(context, item, item.value, over)
          : checkNamed(context, item, model, scope);
      take(context, taken, item.name.text, { selected, span: item.name.span, spread: undefined });
    }
  }
  const items: Selected[] = [];
  for (const { selected } of taken.values()) if (selected) items.push(selected);
  return items;
}

/** What has a name already. */
interface Taken {
  /** Nothing for what has been reported. */
  readonly selected: Selected | undefined;
  readonly span: Span;
  /** The shape that it comes from. */
  readonly spread: string | undefined;
}

/** The same through several shapes is there once; of what differs, neither is chosen silently. */
function take(context: Context, taken: Map<string, Taken>, name: string, item: Taken): void {
  const first = taken.get(name);
  if (!first) taken.set(name, item);
  else if (first.spread === undefined && item.spread === undefined)
    context.report('selected-twice', item.span, { name, first: first.span, isKey: false, other: undefined });
  else if (first.selected && item.selected && !isSameItem(first.selected, item.selected))
    context.report('spread-conflict', item.span, {
      name,
      shape: item.spread,
      other: first.spread,
      first: first.span,
    });
}

function checkNamed(context: Context, item: ast.Selected, model: Model, scope: Scope): Selected | undefined {
  const { name } = item;
  const member = model.members.get(name.text);
  if (!member) return reportUnknownMember(context, name, model);
  context.witness?.meant(name.span, { kind: 'member', member });
  if (member.kind === 'hook') return hookSelected(context, item, member);
  const type = typeOfMember(context, member, name.span);
  if (!type || isSecret(context, member, name, scope)) return undefined;
  const value: Path = { kind: 'path', root: { kind: 'row', model }, steps: [member], type, span: name.span };
  return selectedFrom(context, item, value, scope, member.doc);
}

function isSecret(context: Context, member: Member, name: ast.Name, scope: Scope): boolean {
  if (member.kind !== 'field' || !member.secret || scope.position.secrets) return false;
  const field = `${member.model.name}.${member.name}`;
  context.report('secret-read', name.span, { field, noun: scope.position.noun, declared: member.span });
  return true;
}

function hookSelected(context: Context, item: ast.Selected, hook: Extract<Member, { kind: 'hook' }>): Selected {
  if (item.selection)
    context.report('nothing-to-select', item.selection.span, { name: item.name.text, type: undefined });
  return { kind: 'hook', name: item.name.text, doc: item.doc ?? hook.doc, hook };
}

function checkAliased(context: Context, item: ast.Selected, value: ast.Expression, scope: Scope): Selected | undefined {
  const checked = context.checkExpression(context, value, sayingInputs(scope, value));
  if (isAny(checked.type) && checked.kind === 'literal') return undefined;
  return selectedFrom(context, item, checked, scope, undefined);
}

function selectedFrom(
  context: Context,
  item: ast.Selected,
  value: Expression,
  scope: Scope,
  memberDoc: string | undefined,
): Selected | undefined {
  const name = item.name.text;
  const doc = item.doc ?? memberDoc;
  const { base } = value.type;
  if (base.kind === 'record' && value.kind === 'path') {
    return {
      kind: 'records',
      name,
      doc,
      root: value.root,
      steps: value.steps,
      model: base.model,
      nullable: value.type.nullable,
      many: value.type.many,
      select: item.selection
        ? checkSelection(context, item.selection, base.model, withoutRow(scope))
        : directFields(base.model),
      shape: wholeShape(context, item.selection),
    };
  }
  if (item.selection && !isAny(value.type)) {
    context.report('nothing-to-select', item.selection.span, { name, type: typeName(value.type) });
  }
  return { kind: 'value', name, doc, value };
}
