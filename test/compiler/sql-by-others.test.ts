/**
 * SQL that others read: every statement of every migration case goes through Postgres's own parser, and whole
 * migrations through a linter that knows nothing of Kiln. What the linter may say is listed here, with the reason.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { loadModule, parseSync } from 'libpg-query';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { migrationSql } from '../../compiler/emit/migration/migration-sql.ts';
import { migrationFrom, releaseBetween } from '../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type CaseFile, caseFiles } from '../support/case-file.ts';

const CASES = resolve(import.meta.dirname, 'migrations');
const SQUAWK = resolve(import.meta.dirname, '../../node_modules/.bin/squawk');

/** Each for a reason that the linter cannot know. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'require-lock-timeout': 'the job sets it for the session',
  'require-statement-timeout': 'the job sets it for the session',
  'require-timeout-settings': 'the job sets them for the session',
  'prefer-robust-stmts': 'the ledger knows what has run',
  'ban-drop-column': 'the author wrote `drop`',
  'ban-drop-table': 'the author wrote `drop`',
  'ban-drop-not-null': 'the author wrote `nullable`',
  'renaming-column': 'the author wrote `was`',
  'renaming-table': 'the author wrote `was`',
  'require-concurrent-index-deletion': 'in the last transaction, under a short lock',
};

describe('emitted SQL', () => {
  const cases = caseFiles(CASES);
  before(async () => {
    await loadGrammar();
    await loadModule();
  });

  for (const testCase of cases) {
    it(`of the migration ${testCase.name} is SQL to Postgres's own parser`, () => {
      const { previous, next } = definitionsOf(testCase);
      expect(() => parseSync(schemaSql(schemaFromDefinition(next)))).not.to.throw();
      for (const sql of statementsOf(previous, next)) expect(() => parseSync(sql), sql).not.to.throw();
    });
  }

  it('has nothing that a linter of migrations would say, beyond what is accepted', () => {
    // What becomes of a problem is for those who agree to lose data.
    const written = cases.filter(({ name }) => !name.startsWith('problem.')).map(definitionsOf);
    const sql = written.map(({ previous, next }) => {
      const { steps, contract } = releaseBetween(previous, next);
      return migrationSql(steps, contract);
    });
    const { stdout, error } = spawnSync(SQUAWK, ['--reporter', 'json'], {
      input: sql.join('\n'),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (error) throw error;
    const said = JSON.parse(stdout) as readonly { readonly rule_name: string; readonly line: number }[];
    const rules = new Set(said.map(({ rule_name }) => rule_name));
    expect([...rules].filter((rule) => !Object.hasOwn(ACCEPTED, rule))).to.deep.equal([]);
    expect(rules.size).to.be.greaterThan(0);
  });
});

function definitionsOf({ files }: CaseFile): { previous: Definition; next: Definition } {
  return { previous: definitionIn(files, 'before.kiln'), next: definitionIn(files, 'after.kiln') };
}

function definitionIn(files: ReadonlyMap<string, string>, path: string): Definition {
  const { definition } = compile([{ path, text: files.get(path) ?? '' }]);
  if (!definition) throw new Error(`${path} does not compile`);
  return definition;
}

function statementsOf(previous: Definition, next: Definition): readonly string[] {
  const { steps, contract } = releaseBetween(previous, next);
  return [...migrationFrom(previous, next).steps, ...steps, ...contract].flatMap((step) => {
    if (step.kind === 'transaction') return step.statements.map(({ sql }) => sql);
    return step.kind === 'index' ? [step.statement.sql] : [step.statement.sql, step.pending];
  });
}
