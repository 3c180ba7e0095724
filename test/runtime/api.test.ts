/**
 * The API as clients see it: every file of `api/` is a program and what it answers, through both doors of the server.
 * What is expected is written by hand from the contract, so there is no way to rewrite it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { formatSource } from '../../compiler/format/format-source.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { parseText } from '../../compiler/syntax/parse-text.ts';
import { type Application, startApplication } from '../support/application.ts';
import { databaseWithSchema } from '../support/database-with-schema.ts';
import { hookModulesFromTexts } from '../support/hook-modules.ts';
import { type Exchange, type HttpCase, httpCaseFromText, httpCases } from '../support/http-case.ts';
import { filled, type Kept, mismatches } from '../support/http-match.ts';
import { sendRequest } from '../support/http-send.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { describeInBoth, isSlow } from '../support/slow.ts';
import { deepCases } from './api-deep.ts';

/** Both doors lead to the same rooms, so one of them is enough where there is little time. */
const LANES: readonly Lane[] = isSlow ? ['express'] : ['fast'];
type Lane = 'fast' | 'express';

describe('the API', () => {
  before(() => loadGrammar());

  for (const testCase of [...httpCases(join(import.meta.dirname, 'api')), ...deepCases()]) {
    describe(testCase.name, () => {
      const result = compiledOnce(testCase);
      it('is a program without errors and warnings', () => {
        expect(result().said).to.equal('');
      });
      describeLanes(testCase, result);
    });
  }

  it('takes less than 250 lines for a whole application, without a hook', () => {
    const text = readFileSync(join(import.meta.dirname, 'api/articles.http'), 'utf8');
    const [{ text: program }] = httpCaseFromText('articles', text).sources as [SourceFile];
    expect(program).to.equal(formatSource(program, parseText(program)));
    expect(program.split('\n')).to.have.length.below(250);
    expect(program).not.to.match(/\bhook \{|\binline\b|\bsource\b/);
  });
});

function describeLanes(testCase: HttpCase, result: () => Compiled): void {
  for (const lane of LANES) {
    describeInBoth(`on the ${lane} lane`, () => {
      const running = whileRunning(testCase, result, lane);
      const kept: Kept = new Map();
      for (const exchange of testCase.exchanges) it(exchange.title, () => tryExchange(exchange, running(), kept));
    });
  }
}

interface Running {
  readonly application: Application;
  readonly database: TestDatabase;
}

/** Starts the application before the tests around, and stops it after them. */
function whileRunning(testCase: HttpCase, result: () => Compiled, lane: Lane): () => Running {
  let running: Running | undefined;
  before(async () => {
    running = await start(testCase, definitionOf(result()), lane);
  });
  after(() => running?.application.stop());
  return () => running as Running;
}

async function start(testCase: HttpCase, definition: Definition, lane: Lane): Promise<Running> {
  const database = await databaseWithSchema(schemaSql(schemaFromDefinition(definition)));
  const hooks = await hookModulesFromTexts(testCase.files);
  const { environment } = testCase;
  return {
    database,
    application: await startApplication({ definition, databaseUrl: database.url, hooks, lane, environment }),
  };
}

async function tryExchange(exchange: Exchange, { application, database }: Running, kept: Kept): Promise<void> {
  if (exchange.sql) await database.client.query(filled(exchange.sql, kept));
  const seen = await sendRequest(application.url, exchange.request, kept);
  const wrong = mismatches(filledAnswer(exchange, kept), seen, kept);
  if (wrong.length > 0) throw new Error([asked(exchange), ...wrong.map(shortened)].join('\n'));
}

function asked({ request: { method, path, body } }: Exchange): string {
  return shortened(`${method} ${path} ${body?.text ?? ''}`.trim());
}

const LONGEST = 2000;

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** What was kept before may be expected again. */
function filledAnswer({ answer }: Exchange, kept: Kept): Exchange['answer'] {
  return {
    ...answer,
    headers: answer.headers.map(([name, value]) => [name, filled(value, kept)]),
    body: answer.body && { ...answer.body, text: filled(answer.body.text, kept) },
  };
}

interface Compiled {
  readonly definition: Definition | undefined;
  readonly said: string;
}

function compiledOnce({ sources, files }: HttpCase): () => Compiled {
  let result: Compiled | undefined;
  return () => {
    if (result) return result;
    const { definition, diagnostics } = compile(sources, (path) => files.get(path));
    result = { definition, said: renderText(diagnostics, new SourceMap(sources), { colour: false }) };
    return result;
  };
}

function definitionOf({ definition, said }: Compiled): Definition {
  if (!definition) throw new Error(said);
  return definition;
}
