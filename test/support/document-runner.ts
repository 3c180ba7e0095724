/** A program of a document, running: its requests are sent, its releases carried out on the database as it is by then. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Definition } from '../../compiler/definition/definition.ts';
import { migrationSql } from '../../compiler/emit/migration/migration-sql.ts';
import { releaseBetween } from '../../compiler/emit/migration/release-between.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { populate } from '../../runtime/populate/populate.ts';
import { type Application, startApplication } from './application.ts';
import { databaseWithSchema } from './database-with-schema.ts';
import { definitionOf, refusalOf } from './document-compile.ts';
import type { Block } from './document-parts.ts';
import type { DocumentProgram, Step } from './document-programs.ts';
import { expectShown } from './document-shown.ts';
import { hookModulesFromTexts } from './hook-modules.ts';
import type { Exchange } from './http-case.ts';
import { filled, type Kept, mismatches } from './http-match.ts';
import { sendRequest } from './http-send.ts';
import type { TestDatabase } from './postgres.ts';
import { runSteps } from './run-steps.ts';

/** In milliseconds. */
const TURN = 10;
const MOST_TURNS = 200;

export class RunningProgram {
  readonly #program: DocumentProgram;
  readonly #database: TestDatabase;
  readonly #hooks: HookModules;
  readonly #kept: Kept = new Map();
  readonly #log: unknown[] = [];
  readonly #leave: () => void;
  #definition: Definition;
  #application: Application | undefined;

  static async start(program: DocumentProgram): Promise<RunningProgram> {
    const definition = definitionOf(program.files);
    const database = await databaseWithSchema(schemaSql(schemaFromDefinition(definition)));
    const hooks = await hookModulesFromTexts(program.files);
    const running = new RunningProgram(program, database, hooks, definition);
    await running.#serve();
    return running;
  }

  private constructor(program: DocumentProgram, database: TestDatabase, hooks: HookModules, definition: Definition) {
    this.#program = program;
    this.#database = database;
    this.#hooks = hooks;
    this.#definition = definition;
    this.#leave = enterEnvironment(program.environment);
  }

  async #serve(): Promise<void> {
    this.#application = await startApplication({
      definition: this.#definition,
      databaseUrl: this.#database.url,
      hooks: this.#hooks,
      openApi: openApiText(openApiFromDefinition(this.#definition, { title: 'Example', version: '0' })),
      environment: this.#program.environment,
      log: (line) => void this.#log.push(JSON.parse(line)),
    });
  }

  async stop(): Promise<void> {
    await this.#stopServing();
    this.#leave();
  }

  async #stopServing(): Promise<void> {
    await this.#application?.stop();
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'exchange':
        return this.#exchange(step.exchange);
      case 'sql':
        await this.#database.client.query(step.text);
        return;
      case 'populate':
        return this.#populate(step.command);
      case 'release':
        return this.#release(step);
      case 'log':
        return this.#logged(step.text);
    }
  }

  async #exchange({ request, answer }: Exchange): Promise<void> {
    const seen = await sendRequest(this.#application?.url ?? '', request, this.#kept);
    const expected = {
      ...answer,
      headers: answer.headers.map(([name, value]) => [name, filled(value, this.#kept)] as const),
      body: answer.body && { ...answer.body, text: filled(answer.body.text, this.#kept) },
    };
    const wrong = mismatches(expected, seen, this.#kept);
    if (wrong.length > 0) throw new Error([`${request.method} ${request.path}`, ...wrong].join('\n'));
  }

  async #populate(command: string): Promise<void> {
    const [, options = ''] = /^kiln db populate(.*)$/.exec(command) ?? [];
    const option = (name: string) => new RegExp(`--${name} (\\S+)`).exec(options)?.[1];
    await populate(this.#definition, option('populator') ?? 'Dev', {
      databaseUrl: this.#database.url,
      hooks: this.#hooks,
      seed: Number(option('seed') ?? 1),
      scale: Number(option('scale') ?? 1),
    });
  }

  /** What is logged may come a moment after the answer. */
  async #logged(text: string): Promise<void> {
    const expected: unknown = JSON.parse(text);
    for (let turn = 0; turn < MOST_TURNS && !includes(this.#log.at(-1), expected); turn++) await delay(TURN);
    expect(this.#log.at(-1)).to.containSubset(expected);
  }

  /** A release that is refused changes nothing. */
  async #release({ source, shown }: Extract<Step, { kind: 'release' }>): Promise<void> {
    const next = definitionOf(new Map([['main.kiln', source]]));
    const refusal = refusalOf(this.#definition, next, source);
    if (shown?.language !== 'sql') {
      expect(refusal, 'the release is not refused').to.not.equal('');
      return expectShown(refusal, shown);
    }
    expect(refusal).to.equal('');
    const { steps, contract } = releaseBetween(this.#definition, next);
    expectSql(migrationSql(steps, contract), shown);
    await this.#stopServing();
    await runSteps(this.#database.client, [...steps, ...contract]);
    this.#definition = next;
    await this.#serve();
  }
}

/** Hooks read `process.env`, as they do in a server of their own. Gives what undoes it. */
function enterEnvironment(environment: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

function includes(seen: unknown, expected: unknown): boolean {
  try {
    expect(seen).to.containSubset(expected);
    return true;
  } catch {
    return false;
  }
}

/** Shown whole, or in parts that come in the same order. */
function expectSql(seen: string, { text }: Block): void {
  const parts = text.trim().split(/^-- …$/m);
  let from = 0;
  for (const part of parts) {
    const at = seen.indexOf(part.trim(), from);
    if (at < 0) expect(seen.slice(from)).to.include(part.trim());
    from = at + part.trim().length;
  }
  if (parts.length === 1) expect(seen.trim()).to.equal(text.trim());
}
