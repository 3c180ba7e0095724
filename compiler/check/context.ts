import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Enum, Expression, Member, Model, Selected, Shape, Type, Validator } from '../program/program.ts';
import type { FileText, Span } from '../source/source-file.ts';
import type { Witness } from './meaning.ts';
import type { Scope } from './scope.ts';
import type { InputUse } from './unused-inputs.ts';

/** What all the checks of one program share. */
export interface Context {
  readonly report: Diagnostics['report'];
  readonly witness: Witness | undefined;
  readonly models: ReadonlyMap<string, Model>;
  readonly enums: ReadonlyMap<string, Enum>;
  readonly validators: ReadonlyMap<string, Validator>;
  readonly shapes: Shapes;
  readonly hookFolders: HookFolders;
  /** Types any expression. Kept here because the parts of an expression contain expressions. */
  readonly checkExpression: (context: Context, expression: ast.Expression, scope: Scope, expected?: Type) => Expression;
  /** Kept here because shapes are selections, and selections contain shapes. */
  readonly checkSelection: (
    context: Context,
    selection: ast.Selection,
    model: Model,
    scope: Scope,
  ) => readonly Selected[];
  /** The model behind `@auth`. */
  readonly authModel: Model | undefined;
  /** Where `@auth` is asked for though there is no `auth`; an `auth` without a model has been reported. */
  readonly asksForAuth: Span[] | undefined;
  readonly inputUse: InputUse;
  /** Finds the modules that hooks name. */
  readonly fileText: FileText;
  /** What selections of plain names come to. */
  readonly plainSelections: Map<ast.Selection, readonly Selected[]>;
  /** Computed members and queries are settled when they are first needed: they may depend on each other. */
  readonly unsettled: Map<Member, () => void>;
  readonly settling: Set<Member>;
}

/** What is known of the shapes of a program. */
export interface Shapes {
  /** Nothing for one whose model is not known, which has been reported. */
  readonly byName: ReadonlyMap<string, Shape | undefined>;
  /** Those that have not been needed yet. */
  readonly unsettled: Map<Shape, ast.Selection>;
  /** Those that are being checked, from the outside in. */
  readonly settling: Set<Shape>;
  readonly used: Set<Shape>;
}

export interface HookFolders {
  readonly byName: ReadonlyMap<string, string>;
  readonly default: string;
  /** The names of the runtimes that hooks use. */
  readonly used: Set<string>;
  /** The files that hooks name. */
  readonly files: Set<string>;
}

export type Building<T> = { -readonly [K in keyof T]: T[K] };

/** Members that need each other are settled by recursion: longer chains nobody writes, and no stack overflows. */
const MOST_SETTLING = 300;

/** False when the member depends on itself, or on too many others in a row: then its type is not known yet. */
export function settle(context: Context, member: Member, from: Span): boolean {
  if (context.settling.has(member)) {
    context.report('depends-on-itself', from, { member: memberName(member), declared: member.span });
    return false;
  }
  const work = context.unsettled.get(member);
  if (work && context.settling.size === MOST_SETTLING) {
    const [outer, ...chain] = [...context.settling].map(memberName);
    context.report('expands-too-far', from, { member: outer as string, extent: undefined, chain });
    return false;
  }
  if (work) {
    context.unsettled.delete(member);
    context.settling.add(member);
    work();
    context.settling.delete(member);
  }
  return true;
}

export function memberName(member: Member): string {
  return `${member.model.name}.${member.name}`;
}
