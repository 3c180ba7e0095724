/** Command line in, exit code out. Each command is declared here and lives in a file of its own. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
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
  addCheck(program, exit);
  addCompile(program, exit);
  addFmt(program, exit);
  addStart(program, exit);
  return program.addHelpText('after', examples('kiln check', 'kiln start blog', 'kiln fmt --check'));
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

function portFromText(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new InvalidArgumentError('It is a number from 0 to 65535.');
}

function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n');
}
