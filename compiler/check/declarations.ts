/** Sorts the declarations by kind, and reports names that are given twice. */
import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { snakeCase } from '../program/snake-case.ts';
import type { Span } from '../source/source-file.ts';

type Report = Diagnostics['report'];

export interface Declarations {
  readonly models: readonly ast.ModelDeclaration[];
  readonly enums: readonly ast.EnumDeclaration[];
  readonly dropModels: readonly ast.DropModelDeclaration[];
  readonly validators: readonly ast.ValidatorDeclaration[];
  readonly shapes: readonly ast.ShapeDeclaration[];
  readonly apis: readonly ast.ApiDeclaration[];
  readonly auth: ast.AuthDeclaration | undefined;
  readonly runtimes: readonly ast.RuntimeDeclaration[];
  readonly populators: readonly ast.PopulatorDeclaration[];
  readonly generators: readonly ast.GeneratorDeclaration[];
  /** Whether a model or an enum is declared twice: what is said of the one need not hold for the other. */
  readonly isDoubtful: boolean;
}

export function sortDeclarations({ declarations }: ast.Ast, report: Report): Declarations {
  const ofKind = <K extends ast.Declaration['kind']>(kind: K) =>
    declarations.filter(
      (declaration): declaration is Extract<ast.Declaration, { kind: K }> => declaration.kind === kind,
    );
  const allTables = [...ofKind('model'), ...ofKind('enum')];
  const tables = firstOfEach(allTables, report);
  reportSameTable(tables, report);
  const [auth, ...moreAuths] = ofKind('auth');
  for (const more of moreAuths)
    report('declared-twice', more.span, { noun: 'auth', name: undefined, first: (auth as ast.AuthDeclaration).span });
  return {
    models: tables.filter((declaration) => declaration.kind === 'model'),
    enums: tables.filter((declaration) => declaration.kind === 'enum'),
    dropModels: ofKind('drop-model'),
    validators: firstOfEach(ofKind('validator'), report),
    shapes: firstOfEach(ofKind('shape'), report, tables),
    apis: ofKind('api'),
    auth,
    runtimes: firstOfEach(ofKind('runtime'), report),
    populators: firstOfEach(ofKind('populator'), report),
    generators: ofKind('generator'),
    isDoubtful: tables.length < allTables.length,
  };
}

type Named = ast.Declaration & { readonly name: ast.Name };
type Placed = { readonly span: Span };

/** The first by place, whatever the order in which the files came. */
function firstOfEach<T extends Named>(
  declarations: readonly T[],
  report: Report,
  taken: readonly Named[] = [],
): readonly T[] {
  const first = new Map<string, T>();
  const others = new Map(taken.map((other) => [other.name.text, other]));
  for (const declaration of [...declarations].sort(byPlace)) {
    const { text: name, span } = declaration.name;
    const earlier = others.get(name) ?? first.get(name);
    if (earlier) report('declared-twice', span, { noun: earlier.kind, name, first: earlier.name.span });
    else first.set(name, declaration);
  }
  return [...first.values()];
}

export function byPlace(a: Placed, b: Placed): number {
  if (a.span.file !== b.span.file) return a.span.file < b.span.file ? -1 : 1;
  return a.span.start - b.span.start;
}

const RESERVED_PREFIXES = ['kiln_', 'pg_'] as const;

/** Two names may differ and still give one table; and some names are Kiln's or Postgres' own. */
function reportSameTable(declarations: readonly Named[], report: Report): void {
  const tables = new Map<string, ast.Name>();
  for (const { name, kind } of declarations) {
    const table = snakeCase(name.text);
    const earlier = tables.get(table);
    if (earlier) report('same-table', name.span, { name: name.text, other: earlier.text, table, first: earlier.span });
    else tables.set(table, name);
    const prefix = RESERVED_PREFIXES.find((reserved) => table.startsWith(reserved));
    if (prefix) report('reserved-table', name.span, { name: name.text, isEnum: kind === 'enum', table, prefix });
  }
}
