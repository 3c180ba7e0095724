import { expect } from 'chai';
import { EXIT, EXIT_MEANINGS } from '../../pipeline/cli/terminal.ts';
import { runKilnHere } from './run-kiln.ts';

/** Of a command and of all below it, by the words that call it. */
async function helps(words: readonly string[] = []): Promise<ReadonlyMap<string, string>> {
  const { out: help } = await runKilnHere([...words, '--help']);
  const inner = itemsIn(help, 'Commands')
    .map(([name = '']) => name.split(' ')[0] as string)
    .filter((name) => name !== 'help');
  const all = await Promise.all(inner.map((name) => helps([...words, name])));
  return new Map([[['kiln', ...words].join(' '), help], ...all.flatMap((each) => [...each])]);
}

/** What a section lists, with what is said about each. */
function itemsIn(help: string, section: string): readonly (readonly string[])[] {
  const [, lines = ''] = new RegExp(`^${section}:\n((?: .*\n)+)`, 'm').exec(`${help}\n`) ?? [];
  return lines
    .split(/\n(?= {2}\S)/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s{2,}|\n\s+/));
}

describe('the help', () => {
  let all: ReadonlyMap<string, string>;

  before(async () => {
    all = await helps();
  });

  it('of `kiln compile` names every file that it writes', () => {
    const help = all.get('kiln compile')?.replace(/\s+/g, ' ');
    for (const file of ['definition.json', 'schema.sql', 'openapi.json', 'client/client.ts'])
      expect(help).to.include(file);
  });

  it('of every command has examples of this command', () => {
    const without = [...all].filter(([command, help]) => {
      const [, examples = ''] = /^Examples:\n((?: {2}\$ .*\n?)+)/m.exec(help) ?? [];
      return !examples.includes(command);
    });
    expect(without.map(([command]) => command)).to.deep.equal([]);
  });

  it('of every command explains each argument, option and command', () => {
    const unexplained = [...all].flatMap(([command, help]) =>
      ['Arguments', 'Options', 'Commands'].flatMap((section) =>
        itemsIn(help, section)
          .filter(([, ...words]) => words.join(' ').length < 8)
          .map(([name]) => `${command}: ${name}`),
      ),
    );
    expect(unexplained).to.deep.equal([]);
  });

  it('has the exit codes', () => {
    const help = all.get('kiln') ?? '';
    const codes = itemsIn(help, 'Exit codes').map((parts) => parts.join(' ').replace(/^(\d+) +/, '$1 '));
    const expected = Object.entries(EXIT_MEANINGS).map(
      ([name, meaning]) => `${EXIT[name as keyof typeof EXIT]} ${meaning}`,
    );
    expect(codes).to.deep.equal(expected);
  });
});
