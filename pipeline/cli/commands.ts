/** Command line in, exit code out. Each command is declared here and lives in a file of its own. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Template } from '../new/templates.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Refusal } from './refusal.ts';
import { complain, errorMark } from './terminal.ts';

// Put there by scripts/build.mjs.
declare const KILN_VERSION: string | undefined;
const version = typeof KILN_VERSION === 'undefined' ? 'development' : KILN_VERSION;

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

function kiln(exit: Exit): Command {
  const program = new Command('kiln')
    .description('Push a description, get a container: compiles *.kiln files into a backend.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureOutput({ outputError: (message, write) => write(message.replace(/^error:/, errorMark())) })
    .showHelpAfterError('Run `kiln --help` to see what there is.')
    .exitOverride();
  addNew(program, exit);
  addCheck(program, exit);
  addCompile(program, exit);
  addFmt(program, exit);
  addDev(program, exit);
  addStart(program, exit);
  addDb(program, exit);
  addBuild(program, exit);
  addMigrate(program, exit);
  addPipeline(program, exit);
  return program.addHelpText('after', examples('kiln check', 'kiln start blog', 'kiln fmt --check'));
}

const EXAMPLES: readonly Template[] = ['blog', 'helpdesk', 'shop'];

function addNew(program: Command, exit: Exit): void {
  program
    .command('new')
    .summary('begin an application')
    .description(
      'Writes an application that runs into a new folder: its sources and a test, and what it needs to be checked, ' +
        'built and deployed. Nothing is asked, and nothing that is there is overwritten.',
    )
    .argument('<dir>', 'the folder to make; an empty one will do')
    .addOption(new Option('--template <name>', 'begin with a whole example in place of a few lines').choices(EXAMPLES))
    .addHelpText('after', examples('kiln new tasks', 'kiln new my-shop --template shop'))
    .action(async (dir: string, options: { template?: Template }) => {
      const { newProject } = await import('./new.ts');
      exit(newProject(dir, options.template ?? 'starter'));
    });
}

function addCheck(program: Command, exit: Exit): void {
  program
    .command('check')
    .summary('say what is wrong with the sources')
    .description('Compiles the sources and says what is wrong with them. Nothing is written.')
    .argument('[dir]', FOLDER, '.')
    .option('--json', 'print the diagnostics as JSON, with edits that a tool can apply')
    .addHelpText('after', examples('kiln check', 'kiln check blog', 'kiln check blog/models.kiln --json'))
    .action(async (dir: string, options: { json?: boolean }) => {
      const { check } = await import('./check.ts');
      exit(await check(dir, { json: options.json ?? false }));
    });
}

function addCompile(program: Command, exit: Exit): void {
  program
    .command('compile')
    .summary('write the artifacts of the sources')
    .description('Compiles the sources and writes what comes of them. Nothing is written where there are errors.')
    .argument('[dir]', FOLDER, '.')
    .option('-o, --output <folder>', 'where to write', 'build')
    .addHelpText('after', examples('kiln compile', 'kiln compile blog', 'kiln compile blog -o out/blog'))
    .action(async (dir: string, options: { output: string }) => {
      const { compileTo } = await import('./compile.ts');
      exit(await compileTo(dir, options.output));
    });
}

function addFmt(program: Command, exit: Exit): void {
  program
    .command('fmt')
    .summary('bring the sources into the canonical format')
    .description('Rewrites the sources in the canonical format, and prints the names of those that changed.')
    .argument('[dir]', FOLDER, '.')
    .option('--check', 'change nothing, and exit with 1 where a source is not in the canonical format')
    .addHelpText('after', examples('kiln fmt', 'kiln fmt blog', 'kiln fmt --check'))
    .action(async (dir: string, options: { check?: boolean }) => {
      const { fmt } = await import('./fmt.ts');
      exit(await fmt(dir, { check: options.check ?? false }));
    });
}

function addStart(program: Command, exit: Exit): void {
  program
    .command('start')
    .summary('compile and serve')
    .description(
      'Compiles the sources and serves them on the database of DATABASE_URL, or on a Postgres of its own in .kiln/postgres. ' +
        'Creates the database where there is none, and the tables where it is empty.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-p, --port <number>', 'where to listen, in place of PORT (default: 3000)', portFromText)
    .option('--host <name>', 'the interface to listen on, in place of HOST (default: 127.0.0.1)')
    .addHelpText('after', examples('kiln start', 'kiln start blog --port 8080', 'kiln start --host 0.0.0.0'))
    .action(async (dir: string, options: { port?: number; host?: string }) => {
      const { start } = await import('./start.ts');
      exit(await start(dir, options));
    });
}

function addDev(program: Command, exit: Exit): void {
  program
    .command('dev')
    .summary('serve, and follow every change of the sources')
    .description(
      'Compiles the sources, brings up the database of DATABASE_URL or a Postgres of its own in .kiln/postgres, fills it with the ' +
        'populator `Dev` where it is empty, and serves. Whenever a source changes, database and server follow.',
    )
    .argument('[dir]', FOLDER, '.')
    .option('-p, --port <number>', 'where to listen, in place of PORT (default: 3000)', portFromText)
    .option('--host <name>', 'the interface to listen on, in place of HOST (default: 127.0.0.1)')
    .addHelpText('after', examples('kiln dev', 'kiln dev blog --port 8080'))
    .action(async (dir: string, options: { port?: number; host?: string }) => {
      const { dev } = await import('./dev.ts');
      exit(await dev(dir, options));
    });
}

function addDb(program: Command, exit: Exit): void {
  const db = program
    .command('db')
    .summary('look after the development database')
    .description('The development database: that of DATABASE_URL, or a Postgres of its own in .kiln/postgres.');
  db.command('sync')
    .description('Brings the tables to what the sources say. Asks before data is lost.')
    .argument('[dir]', FOLDER, '.')
    .option('-y, --yes', 'agree to what would be lost')
    .action(async (dir: string, { yes = false }: { yes?: boolean }) =>
      exit(await (await import('./db.ts')).sync(dir, { yes })),
    );
  db.command('reset')
    .description('Deletes everything in the database and makes its tables anew.')
    .argument('[dir]', FOLDER, '.')
    .option('-y, --yes', 'do not ask')
    .action(async (dir: string, { yes = false }: { yes?: boolean }) =>
      exit(await (await import('./db.ts')).reset(dir, { yes })),
    );
  db.command('populate')
    .description('Adds the records of a populator. The same seed gives the same records.')
    .argument('[dir]', FOLDER, '.')
    .option('--populator <name>', 'which one', 'Dev')
    .option('--seed <number>', 'for other records of the same kind', wholeNumber, 1)
    .option('--scale <number>', 'how many times as many', positiveNumber, 1)
    .addHelpText('after', examples('kiln db populate', 'kiln db populate --scale 10 --seed 2'))
    .action(async (dir: string, options: { populator: string; seed: number; scale: number }) =>
      exit(await (await import('./db.ts')).populate(dir, options)),
    );
  db.command('status')
    .description('Says which database it is, whether it fits the sources, and how many records it has.')
    .argument('[dir]', FOLDER, '.')
    .action(async (dir: string) => exit(await (await import('./db.ts')).status(dir)));
}

interface BuildWords {
  readonly rev: string;
  readonly tag?: string[];
  readonly base: string;
  readonly push?: boolean;
}

function addBuild(program: Command, exit: Exit): void {
  program
    .command('build')
    .summary('make an image of a git revision')
    .description(
      'Compiles a git revision, compares it with the release before, records it on the ledger of its branch, and makes an image of it. ' +
        'What is not committed is not part of it.',
    )
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'what to build', 'HEAD')
    .option('--branch <name>', 'whose ledger it goes to (default: the branch that is checked out)')
    .option('-t, --tag <name...>', 'what the image is called (default: <app>:<revision> and <app>:<branch>)')
    .option('--base <image>', 'the image of the runtime', process.env.KILN_BASE_IMAGE ?? 'kiln-runtime')
    .option('--push', 'push the image to the registry that its tags name')
    .option('--output <file>', 'write the image to a file in place of a Docker engine, as an OCI layout')
    .option('--base-archive <file>', 'the base for --output (default: made of this Node)')
    .addHelpText(
      'after',
      examples('kiln build', 'kiln build --rev v1.2 --tag shop:1.2', 'kiln build --output shop.tar'),
    )
    .action(async (dir: string, { tag = [], push = false, ...options }: BuildWords) => {
      const { build } = await import('./build.ts');
      exit(await build(dir, { ...options, tag, push }));
    });
}

function addMigrate(program: Command, exit: Exit): void {
  program
    .command('migrate')
    .summary('bring a database to a release')
    .description('Brings the database of DATABASE_URL to a release, as `docker run IMAGE migrate` does.')
    .argument('[dir]', 'a folder of the repository', '.')
    .option('--rev <revision>', 'which release', 'HEAD')
    .option('--branch <name>', 'whose ledger it is on (default: the branch that is checked out)')
    .option('--dry-run', 'print the SQL with its hazards, and change nothing')
    .option('--json', 'print what happens as JSON, an object a line')
    .addHelpText('after', examples('kiln migrate --dry-run', 'kiln migrate --rev v1.2'))
    .action(async (dir: string, options: { rev: string; branch?: string; dryRun?: boolean; json?: boolean }) => {
      const { migrate } = await import('./migrate.ts');
      const { dryRun = false, json = false } = options;
      exit(await migrate(dir, { ...options, dryRun, json }));
    });
}

function addPipeline(program: Command, exit: Exit): void {
  const pipeline = program
    .command('pipeline')
    .summary('build on every push')
    .description('A bare repository whose pushes become releases and tested images.');
  pipeline
    .command('init')
    .description('Makes a bare repository whose pushes build, or adopts one. Hooks of others are left alone.')
    .argument('<bare-repo>', 'its folder')
    .option('--branch <name...>', 'the branches to build (default: main)')
    .option('--base <image>', 'the image of the runtime (default: kiln-runtime)')
    .option('--postgres <image>', 'the image to test with (default: postgres:18)')
    .addHelpText(
      'after',
      examples('kiln pipeline init /srv/git/blog.git', 'kiln pipeline init blog.git --branch main next'),
    )
    .action(async (folder: string, options: { branch?: string[]; base?: string; postgres?: string }) =>
      exit(await (await import('./pipeline.ts')).init(folder, options)),
    );
  pipeline
    .command('resume')
    .description('Builds what builds that were killed have left, and tries again what failed its test.')
    .argument('<bare-repo>', 'its folder')
    .action(async (folder: string) => exit(await (await import('./pipeline.ts')).resume(folder)));
  pipeline
    .command('log')
    .description('Lists the releases of a branch, with what they change and whether they are built.')
    .argument('[repo]', 'its folder', '.')
    .argument('[branch]', 'which one (default: the first that is built)')
    .action(async (folder: string, branch?: string) => exit(await (await import('./pipeline.ts')).log(folder, branch)));
  pipeline
    .command('show')
    .description('Prints a release: how the API differs, and the SQL with its hazards.')
    .argument('<rev>', 'the revision that was released')
    .argument('[repo]', 'the folder of the repository', '.')
    .action(async (rev: string, folder: string) => exit(await (await import('./pipeline.ts')).show(rev, folder)));
  pipeline
    .command('pre-receive', { hidden: true })
    .action(async () => exit(await (await import('./pipeline.ts')).preReceive()));
  pipeline
    .command('post-receive', { hidden: true })
    .action(async () => exit(await (await import('./pipeline.ts')).postReceive()));
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

function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n');
}
