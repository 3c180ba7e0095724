/** Commands and variables that the documents speak of, held against those that there are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { kiln } from '../../pipeline/cli/commands.ts';
import { VARIABLES } from '../../runtime/config/variables.ts';
import { ROOT, readDocument } from '../support/document-parts.ts';
import { everyDocument } from './every-document.ts';

const DOCUMENTS = everyDocument();
const program = kiln(() => undefined);

describe('the commands that the documents speak of', () => {
  for (const document of DOCUMENTS) {
    const mentions = commandsIn(readDocument(document));
    if (mentions.length === 0) continue;
    it(`exist, with their options: ${document}`, () => {
      expect(mentions.flatMap((words) => flawsOf(words))).to.deep.equal([]);
    });
  }

  it('are all of those that there are', () => {
    const mentioned = DOCUMENTS.flatMap((document) => commandsIn(readDocument(document))).map(([first]) => first);
    const names = program
      .createHelp()
      .visibleCommands(program)
      .map((command) => command.name());
    expect(names.filter((name) => name !== 'help' && !mentioned.includes(name))).to.deep.equal([]);
  });

  it('are missed where there is no such command, part of a command or option', () => {
    expect(
      commandsIn('`kiln chekc` `kiln db fill --seed 2` `kiln fmt --chek`\n').flatMap((words) => flawsOf(words)),
    ).to.deep.equal([
      'kiln chekc: there is no `chekc`',
      'kiln db fill --seed 2: there is no `fill`',
      'kiln fmt --chek: there is no `--chek`',
    ]);
  });
});

/** In code, and at the beginning of the lines of blocks. */
function commandsIn(text: string): readonly (readonly string[])[] {
  const spans = [...text.matchAll(/(?<!`)`(?:npx )?kiln ([^`\n]+)`/g)];
  const lines = [...text.matchAll(/^(?:\$ )?(?:npx )?kiln ([a-z-][^\n]*)$/gm)];
  return [...spans, ...lines].map(([, rest = '']) => wordsOf(rest)).filter(([first]) => first !== undefined);
}

/** Up to what is not the command's own: a comment, a pipe, a second command. */
function wordsOf(text: string): readonly string[] {
  const [own = ''] = text.split(/ (?:#|\||&&|>|;) ?/);
  return own
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/^\[|\]$/g, ''));
}

function flawsOf(words: readonly string[], command: Command = program, whole = words): readonly string[] {
  const [first = '', ...rest] = words;
  if (command.commands.length === 0 || first.startsWith('-')) return optionFlaws(words, command, whole);
  const names = first.split(/\\?\|/);
  return names.flatMap((name) => {
    const next = command.commands.find((each) => each.name() === name || each.aliases().includes(name));
    if (next) return flawsOf(rest, next, whole);
    return name === 'help' || !/^[a-z]/.test(name) ? [] : [`kiln ${whole.join(' ')}: there is no \`${name}\``];
  });
}

function optionFlaws(words: readonly string[], command: Command, whole: readonly string[]): readonly string[] {
  const known = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, short }) => [long, short]);
  const options = words.map((word) => /^--?[a-z][\w-]*/.exec(word)?.[0]).filter((word) => word !== undefined);
  const missing = options.filter((option) => !known.includes(option));
  return missing.map((option) => `kiln ${whole.join(' ')}: there is no \`${option}\``);
}

/** What is read, or handed on, by its name. */
const NAME = /\b(?:KILN|DATABASE)_[A-Z]+(?:_[A-Z]+)*\b/g;

describe('the variables of the environment', () => {
  const inDocuments = new Set(DOCUMENTS.flatMap((document) => readDocument(document).match(NAME) ?? []));
  const sources = [
    'compiler',
    'runtime',
    'files',
    'language-server',
    'pipeline',
    'ci',
    'scripts',
    'test/support',
  ].flatMap(sourcesIn);
  const inSources = new Set(sources.flatMap((text) => text.match(NAME) ?? []));

  it('that the documents speak of exist', () => {
    expect([...inDocuments].filter((name) => !inSources.has(name))).to.deep.equal([]);
  });

  it('that the server reads are in the documents', () => {
    const names = Object.keys(VARIABLES);
    const shown = DOCUMENTS.map(readDocument).join('\n');
    expect(names.filter((name) => !shown.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('that the commands read are in the documents', () => {
    const read = sources.flatMap((text) =>
      [...text.matchAll(/\bprocess\.env\.([A-Z_]+)/g)].map(([, name = '']) => name),
    );
    const ours = [...new Set(read)].filter((name) => name.startsWith('KILN_') && !name.startsWith('KILN_TEST_'));
    expect(ours).to.include('KILN_BASE_IMAGE');
    expect(ours.filter((name) => !inDocuments.has(name))).to.deep.equal([]);
  });
});

function sourcesIn(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(ts|mjs|sh|yml)$/.test(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}
