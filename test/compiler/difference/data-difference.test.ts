import { expect } from 'chai';
import { statementsOf } from '../../../compiler/definition/migration.ts';
import { dataDifference } from '../../../compiler/difference/data-difference.ts';
import type { DataDifference, DataStep } from '../../../compiler/difference/difference.ts';
import { hazardWords } from '../../../compiler/difference/hazard-words.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../emit-sql-database.ts';

const BEFORE = `
  enum Status { draft  live }
  model Author { field name { type string } }
  model Article {
    reference author { to Author }
    field title { type string }
    field subtitle { type string, nullable }
    field status { type Status, default "draft" }
  }
  model Bookmark { reference article { to Article } }`;

const AFTER = `
  enum Status { draft  public was live }
  model Author { field name { type string, unique } }
  model Post was Article {
    reference writer { to Author, was author }
    field heading { type string, was title }
    field status { type Status, default "draft" }
    field words { type integer, backfill length(heading) }
    drop subtitle
  }
  drop model Bookmark`;

function between(before: string, after: string): DataDifference {
  const [previous, next] = [before, after].map((text) => definitionOf([{ path: 'main.kiln', text }]));
  if (!previous || !next) throw new Error('two programs are two definitions');
  return dataDifference(previous, next);
}

function subjectText({ subject }: DataStep): string {
  switch (subject.kind) {
    case 'model':
      return subject.member === undefined ? subject.name : `${subject.name}.${subject.member}`;
    case 'enum':
      return `enum ${subject.name}`;
    default:
      return subject.kind;
  }
}

function subjectsOf(steps: readonly DataStep[], says: string): readonly string[] {
  return steps.filter((step) => step.says.includes(says)).map(subjectText);
}

describe('the difference of data', () => {
  before(() => loadGrammar());

  it('has every statement of the release, in its order', () => {
    const [previous, next] = [BEFORE, AFTER].map((text) => definitionOf([{ path: 'main.kiln', text }]));
    if (!previous || !next) throw new Error('two programs are two definitions');
    const { steps, contract } = releaseBetween(previous, next);
    const { steps: now, later } = dataDifference(previous, next);
    const said = (some: typeof steps) => some.flatMap(statementsOf).map(({ says }) => says);
    expect(now.map(({ says }) => says)).to.deep.equal(said(steps));
    expect(later.map(({ says }) => says)).to.deep.equal(said(contract));
  });

  it('names the model and the member of each step, as they are called now', () => {
    const { steps, later } = between(BEFORE, AFTER);
    expect(subjectsOf(steps, 'rename the table "article"')).to.deep.equal(['Post']);
    expect(subjectsOf(steps, 'rename the column "title"')).to.deep.equal(['Post.heading']);
    expect(subjectsOf(steps, 'rename the column "author_id"')).to.deep.equal(['Post.writer']);
    expect(subjectsOf(steps, 'add the column "words"')).to.deep.equal(['Post.words']);
    expect(subjectsOf(steps, 'fill "words"')).to.deep.equal(['Post.words', 'Post.words']);
    expect(subjectsOf(steps, 'make "words"')).to.deep.equal(['Post.words']);
    expect(subjectsOf(steps, 'make the unique key')).to.deep.equal(['Author.name']);
    expect(subjectsOf(steps, 'show "article"')).to.deep.equal(['Post']);
    expect(subjectsOf(steps, 'keep the enum')).to.deep.equal(['enum Status']);
    expect(subjectsOf(steps, 'create the schema')).to.deep.equal(['application']);
    expect(subjectsOf(later, 'drop the trigger')).to.satisfy((found: readonly string[]) => found.includes('Post'));
  });

  it('names what is gone as it was', () => {
    const { steps, later } = between(BEFORE, AFTER);
    expect(subjectsOf(later, 'drop the column "subtitle"')).to.deep.equal(['Post.subtitle']);
    expect(subjectsOf(steps, 'keep the table "bookmark"')).to.deep.equal(['Bookmark']);
    expect(subjectsOf(later, 'drop the table "bookmark"')).to.deep.equal(['Bookmark']);
    const losses = later.flatMap(({ hazards }) => hazards.filter(({ kind }) => kind === 'data-loss').map(hazardWords));
    expect(losses).to.deep.equal([
      'deletes the column "subtitle" of "article" with its values',
      'deletes the table "bookmark" with its rows',
    ]);
  });

  it('says what would happen where the author has yet to say something', () => {
    const { later } = between(BEFORE, AFTER.replace('drop subtitle', '').replace('drop model Bookmark', ''));
    expect(subjectsOf(later, 'drop the table')).to.deep.equal(['Bookmark']);
  });

  it('is nothing between equal definitions', () => {
    expect(between(AFTER, AFTER)).to.deep.equal({ steps: [], later: [] });
  });
});

describe('the words about a hazard', () => {
  it('say who waits', () => {
    expect(hazardWords({ kind: 'lock', table: 'post', mode: 'ROW EXCLUSIVE' })).to.equal(
      'locks "post": reads and writes continue',
    );
    expect(hazardWords({ kind: 'lock', table: 'post', mode: 'SHARE ROW EXCLUSIVE' })).to.equal(
      'locks "post": writes wait for a moment',
    );
    expect(hazardWords({ kind: 'scan', table: 'post', blocks: 'nothing' })).to.equal('scans "post": nothing waits');
  });
});
