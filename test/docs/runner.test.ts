/** What runs the documents must find what is wrong with them, or it would hold nothing. */
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { expectMistake } from '../support/document-compile.ts';
import { partsFromText } from '../support/document-parts.ts';
import { examplesFromParts } from '../support/document-programs.ts';
import { RunningProgram } from '../support/document-runner.ts';

const block = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n\n`;

const PROGRAM = block(
  'kiln',
  `model Cup { field size { type integer } }
api { entrypoint Cup as cup { create endpoint {}, list endpoint {} } }
populator Dev { populate Cup { repeat 2, set size 4 } }`,
);
const NEXT = 'model Mug was Cup { field size { type integer } }';

describe('a document', () => {
  before(() => loadGrammar());

  it('with a right answer is right', async () => {
    expect(await wrongIn(block('http', 'POST /api/cup\n{ "size": 4 }\n\n201\n{ "id": 1, "size": 4 }'))).to.equal('');
  });

  it('with a wrong answer is wrong', async () => {
    const wrong = await wrongIn(block('http', 'POST /api/cup\n{ "size": 4 }\n\n201\n{ "id": 1, "size": 5 }'));
    expect(wrong).to.include('body.size: expected 5, seen 4');
  });

  it('fills the tables where it says so', async () => {
    const text = '<!-- run: kiln db populate --scale 2 -->\n\n';
    const cups = [1, 2, 3, 4].map((id) => `{ "id": ${id}, "size": 4 }`);
    expect(await wrongIn(text + block('http', `GET /api/cup\n\n200\n[${cups.join(', ')}]`))).to.equal('');
  });

  it('with a wrong answer in a comment is wrong', async () => {
    const hidden = (size: number) =>
      `<!-- http:\nPOST /api/cup\n{ "size": 4 }\n\n201\n{ "id": 1, "size": ${size} }\n-->\n`;
    expect(await wrongIn(hidden(4))).to.equal('');
    expect(await wrongIn(hidden(5))).to.include('body.size: expected 5, seen 4');
  });

  it('with a wrong row of a table is wrong', async () => {
    const row = (value: string) =>
      `<!-- sql: INSERT INTO cup (size) VALUES (4) -->\n\n<!-- evaluated for: Cup as cup, 1 -->\n| example | gives |\n|---|---|\n| \`cup.size + 1\` | \`${value}\` |\n`;
    expect(await wrongIn(row('5'))).to.equal('');
    expect(await wrongIn(row('6'))).to.include('expected 6, seen 5');
  });

  it('with a validator that takes what it should refuse is wrong', async () => {
    const table = (refused: string) =>
      `<!-- validated at: Cup -->\n| validator | takes | refuses | code |\n|---|---|---|---|\n| \`min(3)\` | \`3\` | \`${refused}\` | \`min\` |\n`;
    expect(await wrongIn(table('2'))).to.equal('');
    expect(await wrongIn(table('4'))).to.include('expected 422, seen 204');
  });

  it('gives its environment to hooks, while it runs', async () => {
    const hook = block(
      'kiln more',
      'api { entrypoint Cup { GET many "glaze" { action { respond { body hook { inline "process.env.GLAZE" } } } } } }',
    );
    const text = hook + block('dotenv', 'GLAZE=blue') + block('http', 'GET /api/cup/glaze\n\n200\n"blue"');
    expect(await wrongIn(text)).to.equal('');
    expect(process.env.GLAZE).to.equal(undefined);
  });

  it('with other SQL than that of the migration is wrong', async () => {
    const shown = (sql: string) => block('kiln next', NEXT) + block('sql', sql);
    expect(await wrongIn(shown('-- …\nALTER TABLE "cup" RENAME TO "mug";\n-- …'))).to.equal('');
    expect(await wrongIn(shown('-- …\nALTER TABLE "cup" RENAME TO "pot";\n-- …'))).to.include('to include');
    expect(await wrongIn(shown('ALTER TABLE "cup" RENAME TO "mug";'))).to.include('to equal');
  });

  it('with other words than those of the compiler is wrong', () => {
    const { mistakes } = examplesFromParts(
      partsFromText(block('kiln wrong', 'model Cup { field size { type integr } }') + block('text', 'error[…]')),
    );
    expect(() => mistakes.forEach(expectMistake)).to.throw('error[unknown-type]');
  });

  it('has no blocks, comments and tables that mean nothing', () => {
    const text = `${PROGRAM}${block('yaml', 'a: 1')}${block('kiln mor', '')}${block('ts', '')}${block('text', 'x')}<!-- note -->\n\n`;
    expect(examplesFromParts(partsFromText(text)).unknown).to.deep.equal([
      '7: yaml',
      '11: kiln mor',
      '15: ts',
      '19: text',
      '23: <!-- note -->',
    ]);
    const misplaced = `${PROGRAM}<!-- evaluated for: Cup as cup, 1 -->\n\n# Heading\n`;
    expect(examplesFromParts(partsFromText(misplaced)).unknown).to.deep.equal([
      '7: <!-- evaluated for: Cup as cup, 1 -->',
    ]);
    expect(examplesFromParts(partsFromText(block('http', 'GET /\n\n200'))).unknown).to.deep.equal(['1: http']);
  });

  it('may say why a block is not checked', () => {
    const { unknown, unchecked } = examplesFromParts(
      partsFromText(`<!-- unchecked: it is a drawing -->\n\n${block('text', '→')}`),
    );
    expect({ unknown, unchecked }).to.deep.equal({ unknown: [], unchecked: ['3: it is a drawing'] });
  });
});

/** What is wrong with a document that has the program and this text; empty where nothing is. */
async function wrongIn(text: string): Promise<string> {
  const { programs, unknown } = examplesFromParts(partsFromText(`${PROGRAM}${text}`));
  expect(unknown).to.deep.equal([]);
  const [program] = programs;
  if (!program) throw new Error('there is no program');
  const running = await RunningProgram.start(program);
  try {
    for (const step of program.steps) await running.take(step);
    return '';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await running.stop();
  }
}
