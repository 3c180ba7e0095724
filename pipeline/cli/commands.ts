/** Command line in, exit code out. Each command is declared here and lives in a file of its own. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { kilnVersion as version } from '../bake/kiln-version.ts';
import type { Template } from '../new/templates.ts';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-code.ts';
import { Refusal } from './refusal.ts';
import { complain, errorMark } from './terminal.ts';

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

/** Mistakes on the command line have been shown by then; what is neither of these is our own failure. */
function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (!(error instanceof Refusal)) throw error;
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

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n'));
  }

  /** `load` imports the code of the command, which others need not wait for. */
  runs(load: () => Promise<Work>): this {
    return this.action(async (...words) => this.#exit(await (await load())(...(words as never[]))));
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
  addNew(program);
  addCheck(program);
  addCompile(program);
  addExplain(program);
  addAccess(program);
  addFmt(program);
  addDev(program);
  addStart(program);
  addDb(program);
  addBuild(program);
  addVerify(program);
  addMigrate(program);
  addDiff(program);
  addPipeline(program);
  addLsp(program);
  pointToHelp(program, 'kiln');
  return program
    .examples('kiln new shop --template shop', 'kiln dev blog', 'kiln check --json', 'kiln explain unknown-model')
    .addHelpText('after', exitCodes());
}

/** A mistake on the command line is answered with the help of the command that was meant. */
function pointToHelp(command: Command, name: string): void {
  command.showHelpAfterError(`Run \`${name} --help\` to see what there is.`);
  for (const inner of command.commands) pointToHelp(inner, `${name} ${inner.name()}`);
}

const EXAMPLES: readonly Template[] = ['blog', 'bookings', 'helpdesk', 'shop'];

function addNew(program: KilnCommand): void {
  program
    .command('new')
    .summary('begin an application')
    .description(
      'Writes an application that runs into a new folder: its sources and a test, and what it needs to be checked, ' +
        'built and deployed. Nothing is asked, and nothing that is there is overwritten. package.json has Kiln as a dependency: ' +
        'what KILN_PACKAGE names, such as a git URL, or this Kiln, packed into vendor/.',
    )
    .argument('<dir>', 'the folder to make; an empty one will do')
    .addOption(new Option('--template <name>', 'begin with a whole example in place of a few lines').choices(EXAMPLES))
    .examples('kiln new tasks', 'kiln new my-shop --template shop')
    .runs(async () => (await import('./new.ts')).newProject);
}

function addCheck(program: KilnCommand): void {
  program
    .command('check')
    .summary('say what is wrong with the sources')
    .description(
      'Compiles the sources and the files of hooks, and says what is wrong with them. Without `--fix`, nothing is written. Exits with 1 where there ' +
        'are errors; warnings alone are no reason.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('--json', 'print the diagnostics as JSON, with edits that a tool can apply')
    .option('--fix', 'apply the edits that the errors suggest, write the files, and report the errors that are left')
    .option('--dry-run', 'with --fix: print the changes as a diff, and write nothing')
    .option(
      '--plans',
      'also warn where no index serves a filter or an order; starts the Postgres of the project for it',
    )
    .examples(
      'kiln check',
      'kiln check blog',
      'kiln check blog/models.kiln --json',
      'kiln check --fix --dry-run',
      'kiln check --fix',
      'kiln check --plans',
    )
    .runs(async () => (await import('./check.ts')).check);
}

function addExplain(program: KilnCommand): void {
  program
    .command('explain')
    .summary('say more about a code, such as unknown-model')
    .description(
      'Says what the codes of errors and warnings mean, with an example of each and what fixes it. Without a code, lists them all.',
    )
    .argument('[codes...]', 'as they stand in the messages: unknown-model, or error[unknown-model]')
    .option('--json', 'print it as JSON')
    .examples('kiln explain', 'kiln explain unknown-model', 'kiln explain member-disappeared --json')
    .runs(async () => (await import('./explain.ts')).explain);
}

function addAccess(program: KilnCommand): void {
  program
    .command('access')
    .summary('say who may call which endpoint')
    .description(
      'Prints a line for each endpoint: whether anonymous callers may call it, whether signed-in callers may, its place in the ' +
        'sources, and the whole rule, including the rules of the entrypoints around it. Where only some records are given, their condition too.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('--rev <revision>', 'the sources of this revision, in place of those of the work tree')
    .option('--json', 'print it as JSON')
    .examples('kiln access', 'kiln access blog --rev HEAD~1', 'kiln access --json')
    .runs(async () => (await import('./access.ts')).access);
}

function addCompile(program: KilnCommand): void {
  program
    .command('compile')
    .summary('write the artifacts of the sources')
    .description(
      'Compiles the sources and writes definition.json, schema.sql, openapi.json, a TypeScript client for the API in ' +
        'client/client.ts, and the code of hooks. The clients of `generator client` go to the folders that the sources name. ' +
        'If there are errors, nothing is written.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-o, --output <folder>', 'the folder to write to, which is made where it is not there', 'build')
    .examples('kiln compile', 'kiln compile blog', 'kiln compile blog -o out/blog')
    .runs(async () => (await import('./compile.ts')).compileTo);
}

function addFmt(program: KilnCommand): void {
  program
    .command('fmt')
    .summary('bring the sources into the canonical format')
    .description('Rewrites the sources in the canonical format, and prints the names of those that changed.')
    .argument('[dir]', FOLDER, '.')
    .option('--check', 'change nothing, and exit with 1 where a source is not in the canonical format')
    .examples('kiln fmt', 'kiln fmt blog', 'kiln fmt --check')
    .runs(async () => (await import('./fmt.ts')).fmt);
}

function addStart(program: KilnCommand): void {
  program
    .command('start')
    .summary('compile and serve')
    .description(
      'Compiles the sources and serves them on the database of DATABASE_URL, or on a Postgres of its own in .kiln/postgres. ' +
        'Creates the database where there is none, and says so; makes the tables where it is empty. It does not migrate: where the ' +
        'tables do not fit, it refuses to start.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-p, --port <number>', 'where to listen, in place of PORT (default: 3000)', portFromText)
    .option('--host <name>', 'the interface to listen on, in place of HOST (default: 127.0.0.1)')
    .examples('kiln start', 'kiln start blog --port 8080', 'kiln start --host 0.0.0.0')
    .runs(async () => (await import('./start.ts')).start);
}

function addDev(program: KilnCommand): void {
  program
    .command('dev')
    .summary('serve, and follow every change of the sources')
    .description(
      'Compiles the sources, brings up the database of DATABASE_URL or a Postgres of its own in .kiln/postgres, fills it with the ' +
        'populator `Dev` where it is empty, and serves. Whenever a source changes, database and server follow; before data would be ' +
        'lost, it asks.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-p, --port <number>', 'where to listen, in place of PORT (default: 3000)', portFromText)
    .option('--host <name>', 'the interface to listen on, in place of HOST (default: 127.0.0.1)')
    .examples('kiln dev', 'kiln dev blog --port 8080', 'DATABASE_URL=postgres://me:secret@localhost/blog kiln dev')
    .runs(async () => (await import('./dev.ts')).dev);
}

function addDb(program: KilnCommand): void {
  const db = program
    .command('db')
    .summary('look after the development database')
    .description('The development database: that of DATABASE_URL, or a Postgres of its own in .kiln/postgres.')
    .examples('kiln db status', 'kiln db sync', 'kiln db reset --yes', 'psql "$(kiln db url)"');
  db.command('sync')
    .summary('bring the tables to what the sources say')
    .description(
      'Brings the tables to what the sources say, and keeps the data where the change allows it. Asks before data is lost; ' +
        'where there is no terminal to ask, nothing is changed. A `kiln dev` that runs on the database follows.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-y, --yes', 'do not ask: agree to what would be lost')
    .examples('kiln db sync', 'kiln db sync blog --yes')
    .runs(async () => (await import('./db.ts')).sync);
  db.command('reset')
    .summary('delete everything and recreate the tables')
    .description(
      'Deletes everything in the database and makes its tables again, without rows. Asks first; where there is no terminal to ask, ' +
        'nothing is deleted. A `kiln dev` that runs on the database follows.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-y, --yes', 'do not ask: agree to the loss of everything')
    .option('--populate', 'then add the records of the populator `Dev`')
    .examples('kiln db reset', 'kiln db reset --populate', 'kiln db reset --yes --populate')
    .runs(async () => (await import('./db.ts')).reset);
  db.command('populate')
    .summary('add the records of a populator')
    .description(
      'Adds the records of a populator to those that are there. The same seed gives the same records, so a second run may meet ' +
        'what is unique already: choose another seed.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('--populator <name>', 'the populator of the sources to use', 'Dev')
    .option('--seed <number>', 'the random seed: another number gives other records', wholeNumber, 1)
    .option('--scale <number>', 'how many times as many records as the populator says', positiveNumber, 1)
    .examples('kiln db populate', 'kiln db populate --populator Demo', 'kiln db populate --scale 10 --seed 2')
    .runs(async () => (await import('./db.ts')).populate);
  db.command('status')
    .summary('say which database it is, and whether it fits')
    .description(
      'Says which database it is, who brings it up to date, whether it fits the sources, and how many records of each model it has. ' +
        'Exits with 1 where it does not fit.',
    )
    .argument('[dir]', FOLDER, '.')
    .examples('kiln db status', 'kiln db status blog')
    .runs(async () => (await import('./db.ts')).status);
  db.command('url')
    .summary('print the URL of the database')
    .description(
      'Prints the URL of the database, with its password, for psql and other programs. The Postgres in .kiln/postgres has one as ' +
        'long as a `kiln dev` or `kiln start` runs it.',
    )
    .argument('[dir]', FOLDER, '.')
    .examples('psql "$(kiln db url)"', 'kiln db url blog')
    .runs(async () => (await import('./db.ts')).url);
}

function addBuild(program: KilnCommand): void {
  program
    .command('build')
    .summary('make an image of a git revision')
    .description(
      'Compiles a git revision, compares it with the release before, records it on the ledger of its branch, and makes an image of it. ' +
        'What is not committed is not part of it.',
    )
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'the commit, tag or branch to build', 'HEAD')
    .option('--branch <name>', 'whose ledger it goes to (default: the branch that is checked out)')
    .option('-t, --tag <name...>', 'what the image is called (default: <app>:<revision> and <app>:<branch>)')
    .option('--base <image>', 'the image of the runtime', process.env.KILN_BASE_IMAGE ?? 'kiln-runtime')
    .option(
      '--test [image]',
      'test the image as a push does before it gets its names, with an image of Postgres (default: postgres:18)',
    )
    .option('--push', 'push the image to the registry that its tags name')
    .option(
      '--output <file>',
      'write the image to a file in place of a Docker engine: an OCI layout that `docker load` reads too',
    )
    .option(
      '--base-archive <file>',
      'the base for --output (default: made of this Node); once for each platform',
      listed,
    )
    .option('--platform <list>', 'platforms of the image, separated by commas (default: those of the base)')
    .examples(
      'kiln build',
      'kiln build --test --rev v1.2 --tag shop:1.2',
      'kiln build --output shop.tar',
      'kiln build --platform linux/amd64,linux/arm64 --base ghcr.io/acme/kiln-runtime --push --tag ghcr.io/acme/shop:1.2',
    )
    .runs(async () => (await import('./build.ts')).build);
}

function addVerify(program: KilnCommand): void {
  program
    .command('verify')
    .summary('compare an image with its commit')
    .description(
      'Builds the commit that an image names again, on the same base and with the ledger as it was, and compares the two. Says what ' +
        'differs, file by file and label by label, and exits with 1 then. Nothing is written, and nothing of the image is run.',
    )
    .argument('<image>', 'in the Docker engine, in a registry, or a file that `kiln build --output` wrote')
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'the commit, tag or branch that it has to be (default: the one that the image names)')
    .option('--base <image>', 'the image of the runtime', process.env.KILN_BASE_IMAGE ?? 'kiln-runtime')
    .option('--base-archive <file>', 'the base as a file (default for a file: made of this Node)')
    .option('--json', 'print it as JSON')
    .examples('kiln verify blog:main', 'kiln verify ghcr.io/acme/blog@sha256:… --rev v1.2', 'kiln verify shop.tar shop')
    .runs(async () => (await import('./verify.ts')).verify);
}

function addMigrate(program: KilnCommand): void {
  program
    .command('migrate')
    .summary('bring a database to a release')
    .description(
      'Brings the database of DATABASE_URL to a release, as `docker run IMAGE migrate` does. A run that was stopped is simply run ' +
        'again. Exits with 3 where database and release do not go together, 4 where others hold locks or servers of an older release ' +
        'are connected, 5 where there is no Postgres.',
    )
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'the release to go to: the commit, tag or branch that it was built from', 'HEAD')
    .option('--branch <name>', 'whose ledger it is on (default: the branch that is checked out)')
    .option('--dry-run', 'print the SQL with its hazards, and change nothing')
    .option('--contract', 'also remove what only the release before needed, once none of its servers is connected')
    .option('--json', 'print what happens as JSON, an object a line')
    .examples('kiln migrate --dry-run', 'kiln migrate --rev v1.2', 'kiln migrate --branch main --json')
    .runs(async () => (await import('./migrate.ts')).migrate);
}

function addDiff(program: KilnCommand): void {
  program
    .command('diff')
    .summary('say what a change means for callers, data, access and cost')
    .description(
      'Compares two versions of the application: what callers notice and what would break them, what becomes of the data, who may ' +
        'do what, and what requests cost. Each side is the work tree (.), a release (@3), a git revision (v1.2), or an image of the ' +
        'Docker engine (blog:main). Each line names its place in the sources.',
    )
    .argument('[from]', 'the earlier side (default: the newest release of the branch)')
    .argument('[to]', 'the later side (default: the work tree)')
    .option('--dir <folder>', 'the folder of the project', '.')
    .option('--branch <name>', 'whose releases are meant (default: the branch that is checked out)')
    .addOption(new Option('--json', 'print it as JSON').conflicts('html'))
    .option('--html [file]', 'write it as a page (default: diff.html)')
    .option('--exit-code', 'exit with 1 where a change breaks callers, weakens access, or leaves data undecided')
    .examples('kiln diff', 'kiln diff HEAD', 'kiln diff @2 @3 --html', 'kiln diff blog:main . --exit-code')
    .runs(async () => (await import('./diff.ts')).diff);
}

function addPipeline(program: KilnCommand): void {
  const pipeline = program
    .command('pipeline')
    .summary('build on every push')
    .description('A bare repository whose pushes become releases and tested images.')
    .examples('kiln pipeline init /srv/git/blog.git', 'kiln pipeline log /srv/git/blog.git');
  pipeline
    .command('init')
    .summary('make a repository whose pushes build')
    .description('Makes a bare repository whose pushes build, or adopts one. Hooks of others are left alone.')
    .argument('<bare-repo>', 'the folder of the repository; it is made where it is not there')
    .option('--branch <name...>', 'the branches to build (default: main)')
    .option('--dir <folder>', 'where the project is in the repository (default: at its top)')
    .option('--base <image>', 'the image of the runtime (default: kiln-runtime)')
    .option('--postgres <image>', 'the image to test with (default: postgres:18)')
    .option('--push <image>', 'push tested images to a registry: the name there, without a tag')
    .option('--no-push', 'leave tested images in the Docker engine, which is the default')
    .examples(
      'kiln pipeline init /srv/git/blog.git',
      'kiln pipeline init blog.git --branch main next',
      'kiln pipeline init blog.git --push ghcr.io/acme/blog',
    )
    .runs(async () => (await import('./pipeline.ts')).init);
  pipeline
    .command('resume')
    .summary('continue interrupted builds')
    .description(
      'Builds what builds that were killed have left, and tries again what failed its test or was not pushed to its registry.',
    )
    .argument('<bare-repo>', 'the folder of the repository')
    .examples('kiln pipeline resume /srv/git/blog.git')
    .runs(async () => (await import('./pipeline.ts')).resume);
  pipeline
    .command('wait')
    .summary('wait for the image of a push')
    .description(
      'Waits until a revision that was pushed has been built and tested, and exits with 0 where its image passed, with 1 where it has none. ' +
        '`git push` itself ends with 0 as soon as the push is accepted.',
    )
    .argument('<repo>', 'the repository: a folder, a URL, or a remote of this clone')
    .argument('[revision]', 'the revision that was pushed (default: where the branch is)')
    .option('--branch <name>', 'the branch that it was pushed to', 'main')
    .option('--dir <folder>', 'where the project is in the repository (default: at its top)')
    .option('--timeout <seconds>', 'how long to wait', positiveNumber, 600)
    .examples('kiln pipeline wait origin HEAD', 'git push origin main && kiln pipeline wait origin HEAD --timeout 120')
    .runs(async () => (await import('./pipeline-wait.ts')).wait);
  pipeline
    .command('log')
    .summary('list the releases of a branch')
    .description('Lists the releases of a branch, with what they change and whether they are built.')
    .argument('[repo]', 'the folder of the repository', '.')
    .argument('[branch]', 'the branch whose releases are listed (default: the first that is built)')
    .examples('kiln pipeline log', 'kiln pipeline log /srv/git/blog.git next')
    .runs(async () => (await import('./pipeline.ts')).log);
  addReports(pipeline);
  pipeline.command('pre-receive', { hidden: true }).runs(async () => (await import('./pipeline.ts')).preReceive);
  pipeline.command('post-receive', { hidden: true }).runs(async () => (await import('./pipeline.ts')).postReceive);
}

function addReports(pipeline: KilnCommand): void {
  pipeline
    .command('show')
    .summary('print a release, or open its report')
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
    .runs(async () => (await import('./pipeline-show.ts')).show);
  pipeline
    .command('deployed')
    .summary('record or list what is live where')
    .description(
      'Records that an environment runs a release, with who says so and when. Without a release it lists what was recorded: for ' +
        'one environment all of it, without one the newest of each.',
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
    .runs(async () => (await import('./pipeline-deployed.ts')).deployed);
  pipeline
    .command('serve')
    .summary('serve a local page over all releases')
    .description(
      'Serves a page over all releases of all branches, for this machine only: their verdicts and reports, what is live where, ' +
        'what changed between any two, and a search by model or endpoint. Nothing is changed.',
    )
    .argument('[repo]', 'the folder of the repository', '.')
    .option('-p, --port <number>', 'where to listen', portFromText, 3333)
    .option('--open', 'open it in the browser')
    .examples('kiln pipeline serve', 'kiln pipeline serve /srv/git/blog.git --port 8080', 'kiln pipeline serve --open')
    .runs(async () => (await import('./pipeline-serve.ts')).serve);
}

function addLsp(program: KilnCommand): void {
  program
    .command('lsp')
    .summary('start the language server')
    .description(
      'The language server: diagnostics as you type, completion, hover, definitions, references, rename, symbols, formatting ' +
        'and quick fixes. An editor starts it and speaks the language server protocol with it over standard input and output; ' +
        'there is nothing to see for people. Each workspace folder is a project, as it is for `kiln check`.',
    )
    .option('--stdio', 'speak over standard input and output, which is the only way there is; editors say so anyway')
    .addOption(new Option('--clientProcessId <id>', 'end when this process does').hideHelp())
    .examples('kiln lsp', 'kiln lsp --stdio')
    .runs(async () => (await import('./lsp.ts')).lsp.bind(null, version));
}

/** An option that may be given several times. */
function listed(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function wholeNumber(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number.');
}

function positiveNumber(text: string): number {
  if (Number(text) > 0 && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('It is a number above 0.');
}

function portFromText(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new InvalidArgumentError('It is a number from 0 to 65535.');
}

function exitCodes(): string {
  const lines = Object.entries(EXIT_MEANINGS).map(
    ([name, meaning]) => `  ${String(EXIT[name as keyof typeof EXIT]).padEnd(3)} ${meaning}`,
  );
  return ['', 'Exit codes:', ...lines].join('\n');
}
