/**
 * `kiln start`: compiles, brings up the database and serves, all in this process, until it is told to stop. What was
 * started is stopped in the opposite order, whatever goes wrong in between.
 */
import { basename, resolve } from 'node:path';
import { once } from '../../compiler/definition/memo.ts';
import { readSources } from '../../files/read-sources.ts';
import { fixtureRefusal } from '../../runtime/console/data/fixtures.ts';
import { Mailbox } from '../../runtime/deliver/mailbox.ts';
import { mailProblems } from '../../runtime/deliver/smtp.ts';
import { catchStrayErrors } from '../../runtime/hooks/stray-errors.ts';
import type { StartedServer } from '../../runtime/serve.ts';
import { prepareTables } from '../dev/sync.ts';
import { documentOf, projectHooks } from './compiled-project.ts';
import { listening } from './listening.ts';
import { localConfig, projectEnvironment, projectSettings, type StartOptions } from './local-database.ts';
import { compileSources, reportDiagnostics, reportProblems } from './project.ts';
import { EXIT, type ExitCode, fired, print, refuse } from './terminal.ts';

export async function start(dir: string, options: StartOptions): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { definition, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  if (definition === undefined) return EXIT.errors;
  const { folder } = read;
  const result = await localConfig(options, projectEnvironment(folder));
  const served = await projectSettings(folder, definition);
  // Other programs that start this one have a channel to it too.
  const mailbox = process.env.KILN_MAILBOX ? new Mailbox() : undefined;
  const unsent = 'problems' in result || mailbox ? [] : mailProblems(definition, result.config);
  const problems = [result, served, { problems: unsent }].flatMap((part) => ('problems' in part ? part.problems : []));
  if ('problems' in result || 'problems' in served || unsent.length > 0) return refuse(...problems);
  const hooks = await projectHooks(folder, definition);
  if (hooks === undefined) return EXIT.errors;
  return listening({ folder, ...result }, async (database, stop) => {
    await prepareTables(database.url, definition);
    if (stop.aborted) return EXIT.ok;
    const { startServer } = await import('../../runtime/serve.ts');
    const config = { ...result.config, databaseUrl: database.url };
    const openApi = documentOf(folder, definition);
    const server = await startServer({ definition, hooks, ...served, config, openApi, ...(mailbox && { mailbox }) });
    print(`Serving ${basename(resolve(folder))} on ${shownUrl(server.url)}/api (database: ${database.name})`);
    const fill = async (populator: string): Promise<void> => {
      const { populate } = await import('../../runtime/populate/populate.ts');
      await populate(definition, populator, { databaseUrl: database.url, hooks, files: config.files });
    };
    if (process.send) answerTests(server, fill, mailbox);
    const thrown = new AbortController();
    catchStrayErrors(server.log, () => thrown.abort());
    await Promise.race([fired(stop), fired(thrown.signal)]);
    await server.stop();
    return thrown.signal.aborted ? EXIT.errors : EXIT.ok;
  });
}

/** A request of the tests of an application. The answer has its number. */
interface TestRequest {
  readonly id?: number;
  readonly kiln: 'work' | 'travel' | 'mails' | 'populate' | 'create' | 'find' | 'run' | 'signIn';
  readonly seconds: number;
  readonly populator: string;
  readonly model: string;
  readonly job: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly login: string;
}

/** Answers the tests over the channel to the process that has started this one. There is no other way to ask for it. */
function answerTests(
  { work, travel, fixtures }: StartedServer,
  fill: (populator: string) => Promise<unknown>,
  mailbox?: Mailbox,
): void {
  const made = once(fixtures);
  const answers: Readonly<Record<TestRequest['kiln'], (request: TestRequest) => unknown>> = {
    work,
    travel: ({ seconds }) => travel(seconds),
    mails: () => mailbox?.mails.splice(0) ?? [],
    populate: ({ populator }) => fill(populator),
    create: ({ model, values }) => made().create(model, values),
    find: ({ model, values }) => made().find(model, values),
    run: ({ job, values }) => made().run(job, values),
    signIn: ({ login }) => made().signIn(login),
  };
  process.on('message', async (request: TestRequest | null) => {
    if (request === null) return;
    const { id, kiln } = request;
    try {
      process.send?.({ id, kiln, ran: await answers[kiln](request) });
    } catch (error) {
      process.send?.({ id, kiln, error: fixtureRefusal(error) });
    }
  });
  process.channel?.unref();
}

/** An address that a browser on this machine can open. */
function shownUrl(url: string): string {
  const shown = new URL(url);
  if (['127.0.0.1', '0.0.0.0', '[::]', '[::1]'].includes(shown.hostname)) shown.hostname = 'localhost';
  return shown.href.replace(/\/(api\/?)?$/, '');
}
