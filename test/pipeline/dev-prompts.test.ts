import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import type { ChangeProblem } from '../../compiler/change/problems.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import {
  askAboutLoss,
  type ProjectDefinition,
  projectDefinition,
  textWithWas,
} from '../../pipeline/cli/compiled-project.ts';
import { decideLoss, type Prompt, questionText, type Rename } from '../../pipeline/dev/decide-loss.ts';
import { duplicatesSentence } from '../../pipeline/dev/duplicates.ts';
import type { CompileState, LossQuestion } from '../../runtime/console/live/live-event.ts';
import { temporaryFolder } from './git/git-repository.ts';

const gone = (member: string, ...candidates: readonly string[]): ChangeProblem => ({
  code: 'member-disappeared',
  path: 'models.Post',
  facts: { model: 'Post', noun: 'field', member, candidates },
});

const REQUIRED: ChangeProblem = {
  code: 'new-required-field',
  path: 'models.Post.fields.heading',
  facts: { model: 'Post', field: 'heading', why: 'nothing' },
};

/** Somebody at a terminal, who gives these answers; after them there is nobody. */
class Somebody implements Prompt {
  readonly asked: string[] = [];
  readonly written: Rename[] = [];
  readonly #answers: string[];
  canWrite = true;

  constructor(...answers: readonly string[]) {
    this.#answers = [...answers];
  }

  async ask(question: LossQuestion): Promise<string | undefined> {
    this.asked.push(questionText(question));
    return this.#answers.shift();
  }

  placeOf({ member, model }: Rename): string | undefined {
    return member === 'unplaced' ? undefined : `app.kiln:${(member ?? model).length}`;
  }

  write(rename: Rename): boolean {
    if (this.canWrite) this.written.push(rename);
    return this.canWrite;
  }
}

describe('the question in the console', () => {
  it('stands over the problems that the terminal prints, each with its place and what keeps the rows', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'app.kiln'), 'model Post { field heading { type string } }\n');
    const project = (await projectDefinition(folder)) as ProjectDefinition;
    const told: CompileState[] = [];
    const elsewhere = { given: new Map(), tell: (state: CompileState) => void told.push(state) };
    const { write } = process.stderr;
    process.stderr.write = () => true;
    try {
      await askAboutLoss({ problems: [REQUIRED], isEverything: true }, project, AbortSignal.abort(), elsewhere);
    } finally {
      process.stderr.write = write;
    }
    const [{ problems, question }] = told as [CompileState];
    expect(question?.word).to.equal('reset');
    expect(problems.map(({ code, place }) => [code, basename(place?.file ?? ''), place?.line])).to.deep.equal([
      ['new-required-field', 'app.kiln', 1],
    ]);
    expect(problems[0]?.help).to.include('make it `nullable`');
  });
});

describe('the prompt for data that would be lost', () => {
  const column = { problems: [gone('title', 'heading', 'subtitle')], isEverything: false };

  it('offers each rename with its place, to delete, and to cancel', async () => {
    const somebody = new Somebody('c');
    expect(await decideLoss(column, somebody)).to.equal('cancelled');
    expect(somebody.asked).to.deep.equal([
      [
        '',
        'The field `Post.title` is gone. What now?',
        '  1  rename it to `heading` and keep its values: Kiln writes `was title` at app.kiln:7',
        '  2  rename it to `subtitle` and keep its values: Kiln writes `was title` at app.kiln:8',
        '  d  delete it with its values',
        '  c  cancel: nothing is changed',
        '[1/2/d/C] ',
      ].join('\n'),
    ]);
  });

  it('renames by the number of the new field', async () => {
    const somebody = new Somebody('2');
    expect(await decideLoss(column, somebody)).to.equal('sources-changed');
    expect(somebody.written).to.deep.equal([{ model: 'Post', member: 'subtitle', was: 'title' }]);
  });

  it('renames models', async () => {
    const model: ChangeProblem = {
      code: 'model-disappeared',
      path: '',
      facts: { model: 'Article', candidates: ['Post'] },
    };
    const somebody = new Somebody('1');
    expect(await decideLoss({ problems: [model], isEverything: false }, somebody)).to.equal('sources-changed');
    expect(somebody.written).to.deep.equal([{ model: 'Post', was: 'Article' }]);
  });

  it('deletes only by its letter', async () => {
    for (const [answer, decision] of Object.entries({ d: 'delete', delete: 'delete', y: 'cancelled', '': 'cancelled' }))
      expect(await decideLoss(column, new Somebody(answer)), answer).to.equal(decision);
    for (const answer of ['0', '3', '-1', 'reset'])
      expect(await decideLoss(column, new Somebody(answer)), answer).to.equal('cancelled');
  });

  it('offers no rename where there is nothing that could be the new name', async () => {
    const somebody = new Somebody('d');
    const loss = { problems: [gone('title'), gone('body', 'unplaced')], isEverything: false };
    expect(await decideLoss(loss, somebody)).to.equal('unanswered');
    expect(somebody.asked.join()).not.to.include('rename');
  });

  it('cancels where the sources have changed in the meantime', async () => {
    const somebody = new Somebody('1');
    somebody.canWrite = false;
    expect(await decideLoss(column, somebody)).to.equal('cancelled');
  });

  it('needs a word to lose everything, and asks for a rename first', async () => {
    const loss = { problems: [gone('title', 'heading'), gone('stars'), REQUIRED], isEverything: true };
    const renaming = new Somebody('1');
    expect(await decideLoss(loss, renaming)).to.equal('sources-changed');
    const somebody = new Somebody('d', 'reset');
    expect(await decideLoss(loss, somebody)).to.equal('delete');
    expect(somebody.asked[0]).to.include(
      'The field `Post.title` is gone. `Post.heading` is new and required: without a `default` or `backfill` of it, the rows that exist cannot be kept. What now?\n',
    );
    expect(somebody.asked[0]).to.include(
      '\n  d  delete it, and all rows of all tables: the next question asks for a word first\n',
    );
    expect(somebody.asked[1]).to.equal(
      '\n!! This change deletes ALL ROWS OF ALL TABLES. It cannot be undone. !!\nType "reset" to do it; anything else cancels: ',
    );
    for (const answer of ['y', 'yes', 'd', ''])
      expect(await decideLoss(loss, new Somebody('d', answer)), answer).to.equal('cancelled');
  });

  it('decides nothing where nobody answers', async () => {
    expect(await decideLoss(column, new Somebody())).to.equal('unanswered');
    expect(await decideLoss({ problems: [REQUIRED], isEverything: true }, new Somebody())).to.equal('unanswered');
  });
});

describe('a rename that is written into the source', () => {
  before(loadGrammar);

  const CASES: readonly (readonly [before: string, after: string])[] = [
    ['model Post { field | { type string } }', 'model Post { field x { type string, was y } }'],
    ['model Post { field | { type string, } }', 'model Post { field x { type string, was y, } }'],
    [
      'model Post { field | {\n    type string // a\n  } }',
      'model Post { field x {\n    was y\n    type string // a\n  } }',
    ],
    [
      'model Post { field | { type string, validate { minLength(1) } } }',
      'model Post { field x { was y, type string, validate { minLength(1) } } }',
    ],
    ['model Post { reference |\n  { to A } }', 'model Post { reference x\n  { to A, was y } }'],
    ['model Post { field | { type string, was w } }', 'model Post { field x { type string, was y } }'],
    [
      'model Post was w {\n  field a { type string, was b }\n  reference | {\n    // was a\n    was // once\n    w, to A\n  }\n}',
      'model Post was w {\n  field a { type string, was b }\n  reference x {\n    // was a\n    was // once\n    y, to A\n  }\n}',
    ],
    [
      'model Post { field | { type string, default "was w", validate { minLength(1) }, was w }  field a { type string } }',
      'model Post { field x { type string, default "was w", validate { minLength(1) }, was y }  field a { type string } }',
    ],
  ];
  for (const [before, after] of CASES) {
    it(`makes ${JSON.stringify(after)}`, () => {
      const at = before.indexOf('|');
      const text = before.replace('|', 'x');
      expect(textWithWas(text, { end: at + 1 }, { model: 'Post', member: 'x', was: 'y' })).to.equal(after);
    });
  }

  it('is behind the name of a model', () => {
    expect(textWithWas('model Post {}', { end: 10 }, { model: 'Post', was: 'Article' })).to.equal(
      'model Post was Article {}',
    );
  });

  it('replaces the `was` of an earlier rename of a model', () => {
    const text = 'model Person was Writer {\n  field name { type string, was title }\n}\n';
    expect(textWithWas(text, { end: 12 }, { model: 'Person', was: 'Author' })).to.equal(
      text.replace('Writer', 'Author'),
    );
  });
});

describe('records that a new `unique` does not allow', () => {
  const found = { model: 'Post', members: ['title'], values: ['Hello'], records: 1200 };

  it('names the field, a value and how many records share it', () => {
    expect(duplicatesSentence(found)).to.equal(
      'cannot add `unique` to `Post.title`: 1,200 records have the same value: "Hello"',
    );
    expect(duplicatesSentence({ ...found, members: ['author', 'slug'], values: ['7', 'a'.repeat(80)] })).to.equal(
      `cannot add \`unique { author, slug }\` to \`Post\`: 1,200 records have the same value: "7", "${'a'.repeat(59)}…"`,
    );
  });

  it('shows no secret', () => {
    expect(duplicatesSentence({ ...found, values: null })).to.include('records have the same secret value');
  });
});
