/** Selections: the values of a record in a response or in the argument of a hook. */

import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import { directFields } from '../program/parts.ts';
import type { Expression, Member, Model, Path, Selected, Shape } from '../program/program.ts';
import { isAny, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { type Building, type Context, memberNamed, reportSecret, type Shapes } from './context.ts';
import { orFile } from './files.ts';
import { sayingInputs } from './input-paths.ts';
import { modelNamed } from './members.ts';
import { settledType } from './paths.ts';
import { overRow, POSITIONS, rowScope, type Scope, withoutRow } from './scope.ts';
import { keyOf, pathKey } from './shown-values.ts';

export function checkSelection(
  context: Context,
  selection: ast.Selection,
  model: Model,
  scope: Scope,
): readonly Selected[] {
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
  return [...taken.values()].flatMap(({ selected }) => selected ?? []);
}

/** An item that has taken a name. */
interface Taken {
  /** The item; undefined if it has been reported. */
  readonly selected: Selected | undefined;
  readonly span: Span;
  /** The shape that it comes from. */
  readonly spread: string | undefined;
}

/**
 * Adds an item. An item behind a shape replaces the one that the shape selects. Other conflicts are reported, so that
 * neither item is chosen silently.
 */
function take(context: Context, taken: Map<string, Taken>, name: string, item: Taken): void {
  const first = taken.get(name);
  const isOverride = first?.spread !== undefined && item.spread === undefined;
  if (!first || isOverride) taken.set(name, item);
  else if (first.spread === undefined && item.spread === undefined)
    context.report('selected-twice', item.span, { name, first: first.span, isKey: false, other: undefined });
  else if (first.selected && item.selected && !isSameItem(first.selected, item.selected))
    context.report('spread-conflict', item.span, { name, shape: item.spread, other: first.spread, first: first.span });
}

function checkNamed(context: Context, item: ast.Selected, model: Model, scope: Scope): Selected | undefined {
  const { name } = item;
  const member = memberNamed(context, name, model);
  if (!member) return undefined;
  if (member.kind === 'hook') return hookSelected(context, item, member);
  const type = settledType(context, member, name.span);
  if (!type) return undefined;
  if (member.kind === 'field' && member.secret && !scope.position.secrets)
    return reportSecret(context, member, name.span, scope.position.noun);
  const value: Path = { kind: 'path', root: { kind: 'row', model }, steps: [member], type, span: name.span };
  return selectedFrom(context, item, value, scope, member.doc);
}

function hookSelected(context: Context, item: ast.Selected, hook: Extract<Member, { kind: 'hook' }>): Selected {
  if (item.selection)
    context.report('nothing-to-select', item.selection.span, { name: item.name.text, type: undefined });
  return { kind: 'hook', name: item.name.text, doc: item.doc ?? hook.doc, hook };
}

function checkAliased(context: Context, item: ast.Selected, value: ast.Expression, scope: Scope): Selected | undefined {
  const checked = context.checkExpression(context, value, sayingInputs(scope, value), orFile(value));
  if (isAny(checked.type) && checked.kind === 'literal') return undefined;
  return selectedFrom(context, item, checked, scope, null);
}

function selectedFrom(
  context: Context,
  item: ast.Selected,
  value: Expression,
  scope: Scope,
  memberDoc: string | null,
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
  if (item.selection && !isAny(value.type))
    context.report('nothing-to-select', item.selection.span, { name, type: typeName(value.type) });
  return { kind: 'value', name, doc, value };
}

// ── Shapes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// Shapes: selections with a name. The scope of a shape does not depend on its uses, so each is checked once, when it is
// first used: shapes and hooks of models may use each other in any order.

type Names = Pick<Context, 'models' | 'witness'> & { readonly report: Diagnostics['report'] };

export function declareShapes(declarations: readonly ast.ShapeDeclaration[], names: Names): Shapes {
  const byName = new Map<string, Shape | undefined>();
  const unsettled = new Map<Shape, ast.Selection>();
  for (const { name, doc, model: of, selection } of declarations) {
    if (!/^[A-Z]/.test(name.text)) names.report('shape-name', name.span, { name: name.text });
    const model = modelNamed(names, of, name.text);
    const shape = model && { name: name.text, doc, model, select: [], span: name.span };
    byName.set(name.text, shape);
    if (shape) unsettled.set(shape, selection);
  }
  return { byName, unsettled, settling: new Set(), used: new Set() };
}

/** Checks all shapes, also those that nothing uses. */
export function checkShapes(context: Context): readonly Shape[] {
  const shapes = [...context.shapes.byName.values()].filter((shape) => shape !== undefined);
  for (const shape of shapes) settleShape(context, shape, shape.span);
  return shapes;
}

/** The shape that is the whole selection, if it is nothing else. */
export function wholeShape(context: Context, selection: ast.Selection | undefined): Shape | undefined {
  const [only, ...others] = selection?.items ?? [];
  return only?.kind === 'spread' && others.length === 0 ? context.shapes.byName.get(only.shape.text) : undefined;
}

/** The items of a shape; none if it cannot be used here, which has been reported. */
function spreadShape(context: Context, { shape: name }: ast.Spread, model: Model): readonly Selected[] {
  const { byName, used } = context.shapes;
  const shape = byName.get(name.text);
  if (!shape) {
    if (!byName.has(name.text)) reportUnknownShape(context, name, model);
    return [];
  }
  used.add(shape);
  context.witness?.meant(name.span, { kind: 'shape', shape });
  if (shape.model !== model) {
    const facts = { shape: shape.name, of: shape.model.name, model: model.name, declared: shape.span };
    context.report('shape-of-other-model', name.span, facts);
    return [];
  }
  return settleShape(context, shape, name.span) ? shape.select : [];
}

/** Reports an unknown shape. Shapes of the model are suggested first, because others do not fit. */
function reportUnknownShape(context: Context, name: ast.Name, model: Model): void {
  const known = [...context.shapes.byName.values()].filter((shape) => shape !== undefined);
  const fitting = known.filter((shape) => shape.model === model);
  const near = nearName(name.text, fitting) ?? nearName(name.text, known);
  context.report('unknown-shape', name.span, { name: name.text, model: model.name, near, comma: undefined });
}

/** `{ slug Title }`: behind a name, a name with a capital letter is taken for a shape. */
function reportForgottenComma(context: Context, item: ast.Selected, model: Model): boolean {
  const [only] = item.selection?.items ?? [];
  const isBare = only?.kind === 'spread' && only.shape.span.start === item.selection?.span.start;
  if (!isBare || context.shapes.byName.has(only.shape.text) || !model.members.has(only.shape.text)) return false;
  const { end } = item.value?.span ?? item.name.span;
  const comma = { ...item.name.span, start: end, end };
  const { text: name, span } = only.shape;
  context.report('unknown-shape', span, { name, model: model.name, near: undefined, comma });
  return true;
}

/** The deepest nesting of shapes. Nobody writes more, and no stack overflows. */
const MOST_SETTLING_SHAPES = 100;
/** Each use is written out in the statement, so a few shapes that use each other twice could be of any size. */
const LARGEST_SHAPE = 5000;

/** Settles a shape. False if it contains itself. */
function settleShape(context: Context, shape: Shape, from: Span): boolean {
  const { settling, unsettled } = context.shapes;
  if (settling.has(shape)) {
    const all = [...settling].map(({ name }) => name);
    const chain = all.slice(all.indexOf(shape.name) + 1);
    context.report('shape-in-itself', from, { name: shape.name, chain, declared: shape.span });
    return false;
  }
  const selection = unsettled.get(shape);
  if (!selection) return true;
  if (settling.size === MOST_SETTLING_SHAPES) {
    context.report('shape-too-large', from, { name: shape.name, size: undefined, most: MOST_SETTLING_SHAPES });
    return false;
  }
  unsettled.delete(shape);
  settling.add(shape);
  const select = checkSelection(context, selection, shape.model, rowScope(POSITIONS.shape, shape.model));
  settling.delete(shape);
  const size = sizeOf(select);
  const isTooLarge = size > LARGEST_SHAPE;
  if (isTooLarge) context.report('shape-too-large', shape.span, { name: shape.name, size, most: LARGEST_SHAPE });
  (shape as Building<Shape>).select = isTooLarge ? [] : select;
  return true;
}

function sizeOf(select: readonly Selected[]): number {
  return select.reduce((sum, item) => sum + 1 + (item.kind === 'records' ? sizeOf(item.select) : 0), 0);
}

/** Whether two items of one name give the same, wherever they come from. */
function isSameItem(a: Selected, b: Selected): boolean {
  return a === b || itemKey(a) === itemKey(b);
}

function itemKey(item: Selected): string {
  const { name, doc } = item;
  if (item.kind === 'hook') return JSON.stringify([name, doc, item.hook.name]);
  if (item.kind === 'value') return JSON.stringify([name, doc, keyOf(item.value)]);
  const { root, steps } = item;
  return JSON.stringify([name, doc, pathKey({ root, steps }), item.select.map(itemKey)]);
}
