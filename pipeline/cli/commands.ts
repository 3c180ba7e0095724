/** Command line in, exit code out. Each command is declared here and lives in a file of its own. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { beginningOf } from '../../runtime/populate/random.ts';
import { kilnVersion as version } from '../bake/build-names.ts';
import type { Template } from '../new/project-files.ts';
import { complain, EXIT, EXIT_MEANINGS, type ExitCode, errorMark, note, Refusal } from './terminal.ts';

const FOLDER = 'the folder of the sources, or a single .kiln file';

export async function runCommand(words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = kiln((exit) => {
    code = exit;
  });
  if (words.length === 0) {
    program.outputHelp();
    return code;
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeFor(error);
  }
}

/** Mistakes on the command line have been shown by then; what is none of these is our own failure. */
async function exitCodeFor(error: unknown): Promise<ExitCode> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (!(error instanceof Refusal)) return (await import('./build-complaint.ts')).complainOf(error);
  complain(error.message);
  return EXIT.usage;
}

type Exit = (code: ExitCode) => void;

/** It gets the arguments and the options of its command, as commander has read them. */
type Work = (...words: never[]) => ExitCode | Promise<ExitCode>;

class KilnCommand extends Command {
  readonly #exit: Exit;

  constructor(name: string | undefined, exit: Exit) {
    super(name);
    this.#exit = exit;
  }

  override createCommand(name?: string): KilnCommand {
    return new KilnCommand(name, this.#exit);
  }

  subcommand(name: string, summary: string): KilnCommand {
    return this.command(name).summary(summary);
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n'));
  }

  /** `load` imports the code of the command, which others need not wait for. Gives the command above it, for the next one. */
  runs(load: () => Promise<Work>): KilnCommand {
    this.action(async (...words) => this.#exit(await (await load())(...(words as never[]))));
    return this.parent as KilnCommand;
  }
}

export function kiln(exit: Exit): Command {
  const program = new KilnCommand('kiln', exit)
    .description('Push a description, get a container: compiles *.kiln files into a backend.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureOutput({ outputError: (message, write) => write(message.replace(/^error:/, errorMark())) })
    .exitOverride();
  addLocal(program);
  addDb(program);
  addReleases(program);
  addPipeline(program);
  addEditors(program);
  pointToHelp(program, 'kiln');
  return program
    .examples('kiln new shop --template shop', 'kiln dev blog', 'kiln check --json', 'kiln explain unknown-model')
    .addHelpText('after', exitCodes());
}

/** A mistake on the command line is answered with the help of the command that was meant. */
function pointToHelp(command: Command, name: string): void {
  command.showHelpAfterError(`Run \`${name} --help\` for the usage.`);
  for (const inner of command.commands) pointToHelp(inner, `${name} ${inner.name()}`);
}

const EXAMPLES: readonly Template[] = ['blog', 'bookings', 'helpdesk', 'projects', 'shop'];

/** Adds the commands that work on the sources alone, and those that serve them. */
function addLocal(program: KilnCommand): void {
  program
    .subcommand('new', 'create an application')
    .description(
      'Writes a working application into a new folder: its sources, a test, and the files to check, build and deploy it. ' +
        'It asks no questions and overwrites nothing. package.json has Kiln as a dependency: ' +
        'this version, or what KILN_PACKAGE names, such as a git URL. A clone of Kiln packs itself into vendor/.',
    )
    .argument('<dir>', 'the folder to create; it may exist if it is empty')
    .addOption(
      new Option('--template <name>', 'start from a complete example instead of a small starter').choices(EXAMPLES),
    )
    .examples('kiln new tasks', 'kiln new my-shop --template shop')
    .runs(async () => (await import('./new.ts')).newProject)
    .subcommand('check', 'report errors in the sources')
    .description(
      'Compiles the sources and the files of hooks, and reports errors and warnings. If the project has TypeScript in its node_modules, the ' +
        'types of hooks are checked too. Without `--fix`, no source is written. Exits with 1 if there are errors; warnings alone do not ' +
        'change the exit code.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('--json', 'print the diagnostics as JSON, with edits that a tool can apply')
    .option('--fix', 'apply the edits that the errors suggest, write the files, and report the errors that are left')
    .option('--dry-run', 'with --fix: print the changes as a diff, and write nothing')
    .option('--plans', 'also warn about filters and orders without an index')
    .examples(
      'kiln check',
      'kiln check blog',
      'kiln check blog/models.kiln --json',
      'kiln check --fix --dry-run',
      'kiln check --fix',
      'kiln check --plans',
    )
    .runs(async () => (await import('./check.ts')).check)
    .subcommand('compile', 'write the artifacts of the sources')
    .description(
      'Compiles the sources and writes definition.json, schema.sql, openapi.json, a TypeScript client for the API in ' +
        'client/client.ts, and the code of hooks. The clients of `generator client` go to the folders that the sources name. ' +
        'Nothing is written if there are errors.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-o, --output <folder>', 'the folder to write to; it is created if it does not exist', 'build')
    .examples('kiln compile', 'kiln compile blog', 'kiln compile blog -o out/blog')
    .runs(async () => (await import('./compile.ts')).compileTo)
    .subcommand('explain', 'explain the code of an error, such as unknown-model')
    .description(
      'Explains codes of errors and warnings, each with an example and its fix. Without a code, lists all of them.',
    )
    .argument('[codes...]', 'as in the messages: unknown-model, or error[unknown-model]')
    .option('--json', 'print it as JSON')
    .examples('kiln explain', 'kiln explain unknown-model', 'kiln explain member-disappeared --json')
    .runs(async () => (await import('./explain.ts')).explain)
    .subcommand('access', 'show who may call which endpoint')
    .description(
      'Prints one line per endpoint: whether anonymous callers may call it, whether signed-in callers may, its place in the ' +
        'sources, and the whole rule, including the rules of the entrypoints around it. If it returns only some records, also their condition.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('--rev <revision>', 'use the sources of this revision instead of the work tree')
    .option('--json', 'print it as JSON')
    .examples('kiln access', 'kiln access blog --rev HEAD~1', 'kiln access --json')
    .runs(async () => (await import('./access.ts')).access)
    .subcommand('fmt', 'format the sources')
    .description('Rewrites the sources in the canonical format, and prints the names of changed files.')
    .argument('[dir]', FOLDER, '.')
    .option('--check', 'change nothing, and exit with 1 if a source is not in the canonical format')
    .examples('kiln fmt', 'kiln fmt blog', 'kiln fmt --check')
    .runs(async () => (await import('./fmt.ts')).fmt)
    .subcommand('dev', 'serve, and update after every change of the sources')
    .description(
      'Compiles the sources, prepares the database of DATABASE_URL or its own Postgres in .kiln/postgres, fills it with the ' +
        'populator `Dev` if it is empty, and serves. When a source changes, it updates the database and the server. It asks ' +
        'before data would be lost.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-p, --port <number>', 'the port to listen on, instead of PORT (default: 3000)', portFromText)
    .option('--host <name>', 'the interface to listen on, instead of HOST (default: 127.0.0.1)')
    .option('--clock <day>', 'the day that `now()` is the beginning of in populators (default: today)', dayFromText)
    .examples('kiln dev', 'kiln dev blog --port 8080', 'DATABASE_URL=postgres://me:secret@localhost/blog kiln dev')
    .runs(async () => (await import('./dev.ts')).dev)
    .subcommand('start', 'compile and serve')
    .description(
      'Compiles the sources and serves them on the database of DATABASE_URL, or on its own Postgres in .kiln/postgres. ' +
        'Creates the database if it does not exist, and its tables if it is empty. It does not migrate: if the tables do not ' +
        'match the sources, it does not start.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-p, --port <number>', 'the port to listen on, instead of PORT (default: 3000)', portFromText)
    .option('--host <name>', 'the interface to listen on, instead of HOST (default: 127.0.0.1)')
    .examples('kiln start', 'kiln start blog --port 8080', 'kiln start --host 0.0.0.0')
    .runs(async () => (await import('./start.ts')).start);
}

function addDb(program: KilnCommand): void {
  program
    .subcommand('db', 'manage the development database')
    .description("The development database: that of DATABASE_URL, or Kiln's own Postgres in .kiln/postgres.")
    .examples('kiln db status', 'kiln db sync', 'kiln db reset --yes', 'psql "$(kiln db url)"')
    .subcommand('sync', 'update the tables to match the sources')
    .description(
      'Updates the tables to match the sources, and keeps the data if the change allows it. Asks before data is lost; ' +
        'without a terminal, such a change is rejected. A running `kiln dev` follows.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-y, --yes', 'do not ask: accept the loss of data')
    .examples('kiln db sync', 'kiln db sync blog --yes')
    .runs(async () => (await import('./db.ts')).sync)
    .subcommand('reset', 'delete everything and recreate the tables')
    .description(
      'Deletes everything in the database and creates its tables again, without rows. Asks first; without a terminal, ' +
        'nothing is deleted. A running `kiln dev` follows.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-y, --yes', 'do not ask: accept the loss of everything')
    .option('--populate', 'then add the records of the populator `Dev`')
    .option('--clock <day>', 'the day that `now()` is the beginning of in populators (default: today)', dayFromText)
    .examples('kiln db reset', 'kiln db reset --populate', 'kiln db reset --yes --populate')
    .runs(async () => (await import('./db.ts')).reset)
    .subcommand('populate', 'add the records of a populator')
    .description(
      'Adds the records of a populator to the existing ones. The same seed gives the same records, so unique values may ' +
        'already exist in a second run: choose another seed.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('--populator <name>', 'the populator of the sources to use', 'Dev')
    .option('--seed <number>', 'the random seed: another number gives other records', wholeNumber, 1)
    .option('--scale <number>', 'multiplies the number of records', positiveNumber, 1)
    .option('--clock <day>', 'the day that `now()` is the beginning of in populators (default: today)', dayFromText)
    .examples('kiln db populate', 'kiln db populate --populator Demo', 'kiln db populate --scale 10 --seed 2')
    .runs(async () => (await import('./db.ts')).populate)
    .subcommand('invite', 'make an account and send its invitation')
    .description(
      'Makes an account without a password and sends its invitation, as the command `invite` of an image does. A `kiln dev` that runs, ' +
        'or the next one, keeps the mail in the view Mail of the console.',
    )
    .argument('<login>', 'the login of the account, most often an e-mail address')
    .argument('[dir]', FOLDER, '.')
    .option('--set <field=value>', 'set a field of the account; once for each field', fieldValue, {})
    .examples('kiln db invite ada@example.com --set role=admin')
    .runs(async () => (await import('./db.ts')).invite)
    .subcommand('status', 'show which database it is, and whether it matches')
    .description(
      'Shows which database it is, what keeps it up to date, whether it matches the sources, and how many records of each model it has. ' +
        'Exits with 1 if it does not match.',
    )
    .argument('[dir]', FOLDER, '.')
    .examples('kiln db status', 'kiln db status blog')
    .runs(async () => (await import('./db.ts')).status)
    .subcommand('url', 'print the URL of the database')
    .description(
      'Prints the URL of the database, with its password, for psql and other programs. The Postgres in .kiln/postgres has one ' +
        'while a `kiln dev` or `kiln start` runs it.',
    )
    .argument('[dir]', FOLDER, '.')
    .examples('psql "$(kiln db url)"', 'kiln db url blog')
    .runs(async () => (await import('./db.ts')).url);
}

/** Adds the commands that make, compare and deploy releases. */
function addReleases(program: KilnCommand): void {
  program
    .subcommand('build', 'build an image of a git revision')
    .description(
      'Compiles a git revision, compares it with the previous release, records it on the ledger of its branch, and builds an image of it. ' +
        'Uncommitted changes are not included.',
    )
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'the commit, tag or branch to build', 'HEAD')
    .option('--branch <name>', 'the branch whose ledger records it (default: the branch that is checked out)')
    .option('-t, --tag <name...>', 'names of the image (default: <app>:<revision> and <app>:<branch>)')
    .option('--base <image>', 'the image of the runtime', process.env.KILN_BASE_IMAGE ?? 'kiln-runtime')
    .option(
      '--test [image]',
      'test the image like a push before it gets its tags, with this image of Postgres (default: postgres:18)',
    )
    .option('--push', 'push the image to the registry of its tags')
    .option(
      '--output <file>',
      'write the image to a file instead of a Docker engine: an OCI layout that `docker load` can read',
    )
    .option(
      '--base-archive <file>',
      'the base for --output (default: built from this Node); repeat it for each platform',
      listed,
    )
    .option('--platform <list>', 'platforms of the image, separated by commas (default: those of the base)')
    .examples(
      'kiln build',
      'kiln build --test --rev v1.2 --tag shop:1.2',
      'kiln build --output shop.tar',
      'kiln build --platform linux/amd64,linux/arm64 --base ghcr.io/acme/kiln-runtime --push --tag ghcr.io/acme/shop:1.2',
    )
    .runs(async () => (await import('./build.ts')).build)
    .subcommand('verify', 'compare an image with its commit')
    .description(
      'Builds the commit of an image again, on the same base and with the ledger of that time, and compares the two. Lists the ' +
        'differences by file and label, and exits with 1 if there are any. Nothing is written, and the image is not run.',
    )
    .argument('<image>', 'in the Docker engine, in a registry, or a file that `kiln build --output` wrote')
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'the commit, tag or branch that it must be (default: the one in its label)')
    .option('--base <image>', 'the image of the runtime', process.env.KILN_BASE_IMAGE ?? 'kiln-runtime')
    .option('--base-archive <file>', 'the base as a file (default for a file: built from this Node)')
    .option('--key <file>', 'the public key that its provenance must be signed with; builds sign with KILN_SIGNING_KEY')
    .option('--json', 'print it as JSON')
    .examples('kiln verify blog:main', 'kiln verify ghcr.io/acme/blog@sha256:… --rev v1.2', 'kiln verify shop.tar shop')
    .runs(async () => (await import('./verify.ts')).verify)
    .subcommand('migrate', 'update a database to a release')
    .description(
      'Updates the database of DATABASE_URL to a release, like `docker run IMAGE migrate`. If it was interrupted, run it again ' +
        'to continue. Exits with 3 if database and release are incompatible, 4 if other sessions hold locks or servers of an older ' +
        'release are connected, 5 if Postgres cannot be reached. If existing rows make a release fail, you can withdraw ' +
        'it: write `Withdraws: <revision>` in the message of a later commit.',
    )
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'the release: the commit, tag or branch that it was built from', 'HEAD')
    .option('--branch <name>', 'the branch whose ledger has it (default: the branch that is checked out)')
    .option('--dry-run', 'print the SQL with its hazards, and change nothing')
    .option('--contract', 'also remove what only the previous release needed, when none of its servers is connected')
    .option('--wait <time>', 'how long to wait for servers of older releases to stop, such as 10m (default: 1m)')
    .option('--json', 'print events as JSON, one object per line')
    .examples('kiln migrate --dry-run', 'kiln migrate --rev v1.2', 'kiln migrate --branch main --json')
    .runs(async () => (await import('./migrate.ts')).migrate)
    .subcommand('diff', 'show what a change means for callers, data, access and cost')
    .description(
      'Compares two versions of the application: changes for callers and which of them break clients, for data, for access ' +
        'rules, and for the cost of requests. Each side is the work tree (.), a release (@3), a git revision (v1.2), or an image of the ' +
        'Docker engine (blog:main). Each line names its place in the sources.',
    )
    .argument('[from]', 'the earlier side (default: the newest release of the branch)')
    .argument('[to]', 'the later side (default: the work tree)')
    .option('--base <branch>', 'compare with the commit where this branch left that one, as a pull request does')
    .option('--dir <folder>', 'the folder of the project', '.')
    .option('--branch <name>', 'the branch of the releases (default: the branch that is checked out)')
    .addOption(new Option('--json', 'print it as JSON').conflicts(['html', 'markdown']))
    .addOption(new Option('--markdown', 'print it as Markdown, for a pull request').conflicts('html'))
    .option('--html [file]', 'write it as a page (default: diff.html)')
    .option('--exit-code', 'exit with 1 if a change breaks callers, weakens access, or leaves data undecided')
    .examples(
      'kiln diff',
      'kiln diff HEAD',
      'kiln diff @2 @3 --html',
      'kiln diff blog:main . --exit-code',
      'kiln diff --base origin/main --markdown',
    )
    .runs(async () => (await import('./diff.ts')).diff);
}

function addPipeline(program: KilnCommand): void {
  program
    .subcommand('pipeline', 'build on every push')
    .description('A bare repository whose pushes become releases and tested images.')
    .examples('kiln pipeline init /srv/git/blog.git', 'kiln pipeline log /srv/git/blog.git')
    .subcommand('init', 'create a repository that builds every push')
    .description(
      'Creates a bare repository that builds every push, or adopts an existing one. Other hooks are not changed.',
    )
    .argument('<bare-repo>', 'the folder of the repository; it is created if it does not exist')
    .option('--branch <name...>', 'the branches to build (default: main)')
    .option('--dir <folder>', 'the folder of the project in the repository (default: its top)')
    .option('--base <image>', 'the image of the runtime (default: kiln-runtime)')
    .option('--postgres <image>', 'the image to test with (default: postgres:18)')
    .option('--push <image>', 'push tested images to a registry: the name there, without a tag')
    .option('--no-push', 'keep tested images in the Docker engine only, the default')
    .examples(
      'kiln pipeline init /srv/git/blog.git',
      'kiln pipeline init blog.git --branch main next',
      'kiln pipeline init blog.git --push ghcr.io/acme/blog',
    )
    .runs(async () => (await import('./pipeline.ts')).init)
    .subcommand('resume', 'continue interrupted builds')
    .description(
      'Finishes builds that were killed, and retries those that failed their test or were not pushed to their registry.',
    )
    .argument('<bare-repo>', 'the folder of the repository')
    .examples('kiln pipeline resume /srv/git/blog.git')
    .runs(async () => (await import('./pipeline.ts')).resume)
    .subcommand('wait', 'wait for the image of a push')
    .description(
      'Waits until a revision that was pushed has been built and tested, and exits with 0 if its image passed its test, otherwise with 1. ' +
        '`git push` itself exits with 0 as soon as the push is accepted.',
    )
    .argument('<repo>', 'the repository: a folder, a URL, or a remote of this clone')
    .argument('[revision]', 'the revision that was pushed (default: the tip of the branch)')
    .option('--branch <name>', 'the branch that it was pushed to', 'main')
    .option('--dir <folder>', 'the folder of the project in the repository (default: its top)')
    .option('--timeout <seconds>', 'how long to wait', positiveNumber, 600)
    .examples('kiln pipeline wait origin HEAD', 'git push origin main && kiln pipeline wait origin HEAD --timeout 120')
    .runs(async () => (await import('./pipeline-wait.ts')).wait)
    .subcommand('log', 'list the releases of a branch')
    .description('Lists the releases of a branch, with what they change and whether they are built.')
    .argument('[repo]', 'the folder of the repository', '.')
    .argument('[branch]', 'the branch whose releases are listed (default: the first that is built)')
    .examples('kiln pipeline log', 'kiln pipeline log /srv/git/blog.git next')
    .runs(async () => (await import('./pipeline.ts')).log)
    .subcommand('show', 'print a release, or open its report')
    .description(
      'Prints a release: how the API differs, and the SQL with its hazards. Its report has more: the verdicts of its test, the ' +
        'whole difference, the models with what changed, and the steps of its build.',
    )
    .argument('<rev>', 'the revision that was released')
    .argument('[repo]', 'the folder of the repository', '.')
    .option('--open', 'open the report in the browser, and print where it is')
    .option('--html <file>', 'write the report to a file: one page that needs nothing else')
    .examples(
      'kiln pipeline show HEAD',
      'kiln pipeline show v1.2 /srv/git/blog.git --open',
      'kiln pipeline show HEAD --html report.html',
    )
    .runs(async () => (await import('./pipeline-reports.ts')).show)
    .subcommand('deployed', 'record or list which release runs in which environment')
    .description(
      'Records that an environment runs a release, with the person and the time. Without a release it lists the records: all of one ' +
        'environment, or the newest of each.',
    )
    .argument('[env]', 'the environment, such as production')
    .argument('[release]', 'the revision that was released')
    .option('--repo <folder>', 'the folder of the repository', '.')
    .option('--by <name>', 'who deployed it (default: the user of the CI job, of git or of this machine)')
    .examples(
      'kiln pipeline deployed production v1.2',
      'kiln pipeline deployed staging main --repo /srv/git/blog.git',
      'kiln pipeline deployed production',
      'kiln pipeline deployed',
    )
    .runs(async () => (await import('./pipeline-reports.ts')).deployed)
    .subcommand('serve', 'serve a local page of all releases')
    .description(
      'Serves a page of all releases of all branches, for this machine only: their verdicts and reports, where they are live, ' +
        'the changes between any two, and a search by model or endpoint. It changes nothing.',
    )
    .argument('[repo]', 'the folder of the repository', '.')
    .option('-p, --port <number>', 'the port to listen on', portFromText, 3333)
    .option('--open', 'open it in the browser')
    .examples('kiln pipeline serve', 'kiln pipeline serve /srv/git/blog.git --port 8080', 'kiln pipeline serve --open')
    .runs(async () => (await import('./pipeline-reports.ts')).serve)
    .command('pre-receive', { hidden: true })
    .runs(async () => (await import('./pipeline.ts')).preReceive)
    .command('post-receive', { hidden: true })
    .runs(async () => (await import('./pipeline.ts')).postReceive);
}

function addEditors(program: KilnCommand): void {
  program
    .subcommand('lsp', 'start the language server')
    .description(
      'The language server: diagnostics as you type, completion, hover, definitions, references, rename, symbols, formatting ' +
        'and quick fixes. An editor starts it and uses the Language Server Protocol over standard input and output. ' +
        'It is not meant for the terminal. Each workspace folder is a project, as for `kiln check`.',
    )
    .option('--stdio', 'use standard input and output; this is the default, and editors send it anyway')
    .addOption(new Option('--clientProcessId <id>', 'end when this process does').hideHelp())
    .examples('kiln lsp', 'kiln lsp --stdio')
    .runs(async () => lsp);
}

/** The process stays for as long as the editor does, and ends as the protocol says. Nothing else is written to its streams. */
async function lsp(): Promise<ExitCode> {
  if (process.stdin.isTTY)
    note('This is a language server. It waits for messages of an editor on standard input. Press Ctrl-C to stop it.');
  try {
    const { serve } = await import('../../language-server/server.ts');
    await serve(version);
  } catch (error) {
    throw new Refusal(`the language server cannot start: ${error instanceof Error ? error.message : error}`);
  }
  return EXIT.ok;
}

/** An option that may be given several times. */
function listed(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function wholeNumber(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function positiveNumber(text: string): number {
  if (Number(text) > 0 && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('It must be a number above 0.');
}

function dayFromText(text: string): string {
  if (beginningOf(text) !== undefined) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-01-01.');
}

function fieldValue(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  throw new InvalidArgumentError('It must be the name of a field and its value, such as role=admin.');
}

function portFromText(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

function exitCodes(): string {
  const lines = Object.entries(EXIT_MEANINGS).map(
    ([name, meaning]) => `  ${String(EXIT[name as keyof typeof EXIT]).padEnd(3)} ${meaning}`,
  );
  return ['', 'Exit codes:', ...lines].join('\n');
}
