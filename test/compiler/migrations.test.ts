import { join } from 'node:path';
import { expect } from 'chai';
import type { Change } from '../../compiler/change/change.ts';
import { changesBetween } from '../../compiler/change/changes-between.ts';
import { problemsText } from '../../compiler/change/problem-place.ts';
import { problemsBetween } from '../../compiler/change/problems.ts';
import { analyse, compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { changeWords } from '../../compiler/diagnostics/catalogue/changes.ts';
import { migrationSql } from '../../compiler/emit/migration/migration-sql.ts';
import { migrationFrom } from '../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type CaseFile, caseFiles, type Expectation, isUpdating, updateCase } from '../support/case-file.ts';
import { databaseWithSchema } from '../support/database-with-schema.ts';
import { runSteps } from '../support/run-steps.ts';
import { expectSchemaOf } from './change/schema-after.ts';
import { definitionOf } from './emit-sql-database.ts';

/**
 * A case is a program before and after, and rows in between; what is expected are the problems or, where there are
 * none, the changes, the migration, and the rows after it has run. `refused.sql` has rows that stop the migration.
 * Where there are problems the migration still leads from one schema to the other, for those who agree to lose data.
 */
describe('migrations', () => {
  before(() => loadGrammar());
  const cases = caseFiles(join(import.meta.dirname, 'migrations'));

  for (const testCase of cases) {
    it(testCase.name, async () => {
      const seen = await whatHappens(testCase);
      if (isUpdating) updateCase(testCase, seen);
      else expect(seen).to.deep.equal(testCase.expectations);
    });
  }

  it('has a file for every problem', () => {
    const seen = cases.flatMap(({ expectations }) => expectations.flatMap(({ text }) => codesIn(text)));
    expect(Object.keys(changeWords).filter((code) => !seen.includes(code))).to.deep.equal([]);
  });
});

async function whatHappens(testCase: CaseFile): Promise<readonly Expectation[]> {
  const previous = definitionOf([sourceOf(testCase, 'before')]);
  const source = sourceOf(testCase, 'after');
  const next = definitionOf([source]);
  const problems = problemsBetween(previous, next);
  if (problems.length > 0) {
    await rowsAfter(testCase, previous, next);
    return [{ title: 'kiln says', text: refusalText(previous, source) }, ...(await refusal(testCase, previous, next))];
  }
  const { steps, says } = migrationFrom(previous, next);
  return [
    { title: 'changes', text: changesBetween(previous, next).map(changeLine).join('\n') },
    { title: 'kiln dev says', text: says.join('\n') },
    { title: 'migration', text: migrationSql(steps).trimEnd() },
    ...(await refusal(testCase, previous, next)),
    ...(await rowsAfter(testCase, previous, next)),
  ];
}

function sourceOf({ sources }: CaseFile, name: 'before' | 'after'): SourceFile {
  return sources.find(({ path }) => path === `${name}.kiln`) as SourceFile;
}

function refusalText(previous: Definition, source: SourceFile): string {
  const { program } = analyse([source]);
  const { definition } = compile([source]);
  if (!program || !definition) throw new Error('the program after has mistakes of its own');
  const problems = problemsBetween(previous, definition);
  return problemsText(problems, program, new SourceMap([source]), { colour: false }).trim();
}

function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/^error\[([\w-]+)\]/gm)].map(([, code]) => code as string);
}

/** `add-column: table "post", column "title"`: names stand for all that is behind them. */
function changeLine({ kind, ...facts }: Change): string {
  const parts = Object.entries(facts).filter(([key, value]) => value !== null && key !== 'what');
  return `${kind}: ${parts.map(([key, value]) => `${key} ${factText(value)}`).join(', ')}`;
}

function factText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(factText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { name, column, field, kind, text, value: inner = text } = value as Record<string, unknown>;
  if (name !== undefined) return JSON.stringify(name);
  if (column !== undefined) return `${factText((value as { table: unknown }).table)}.${factText(column)}`;
  return field === undefined ? (kind ? `${kind} ${JSON.stringify(inner)}` : JSON.stringify(value)) : 'by an expression';
}

async function refusal(testCase: CaseFile, previous: Definition, next: Definition): Promise<readonly Expectation[]> {
  const rows = testCase.files.get('refused.sql');
  if (rows === undefined) return [];
  const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
  await client.query(rows);
  const said = await runSteps(client, migrationFrom(previous, next).steps).then(
    () => 'nothing',
    (error: Error) => (error.cause as Error).message,
  );
  return [{ title: 'refusal', text: said }];
}

async function rowsAfter(testCase: CaseFile, previous: Definition, next: Definition): Promise<readonly Expectation[]> {
  const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
  await client.query(testCase.files.get('rows.sql') ?? '');
  await runSteps(client, migrationFrom(previous, next).steps);
  await expectSchemaOf(client, next);
  const lines: string[] = [];
  for (const { name, primaryKey } of schemaFromDefinition(next).tables) {
    const { rows } = await client.query(
      `SELECT row_to_json(r)::text AS row FROM "${name}" r ORDER BY ${primaryKey.columns}`,
    );
    lines.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return lines.length === 0 ? [] : [{ title: 'rows', text: lines.join('\n') }];
}
