import { expect } from 'chai';
import type { Subject } from '../../../compiler/difference/difference.ts';
import {
  apiLines,
  callerLines,
  differenceLines,
  differenceMarkdown,
} from '../../../pipeline/difference/difference-text.ts';
import type { PlacedDifference } from '../../../pipeline/difference/placed-difference.ts';
import { differenceParts } from '../../../pipeline/page/difference-page.ts';

const PLAIN = { colour: false };
const ABOUT: Subject = { kind: 'model', name: 'Post' };
const AT = { subject: ABOUT, place: { file: 'blog.kiln', line: 4, column: 3 } };
const NONE: PlacedDifference = { api: [], data: { steps: [], later: [] }, access: [], cost: [] };

const FULL: PlacedDifference = {
  api: [
    { ...AT, level: 'breaking', rule: 'endpoint-removed', endpoint: 'GET /api/posts', says: 'was removed' },
    { ...AT, level: 'compatible', rule: 'endpoint-added', endpoint: 'GET /api/articles', says: 'is new', place: null },
    { ...AT, level: 'compatible', rule: 'enum', endpoint: null, says: 'a sentence of its own' },
  ],
  data: {
    steps: [
      {
        ...AT,
        says: 'rename the table "post" to "article"',
        hazards: [
          { kind: 'lock', table: 'post', mode: 'ACCESS EXCLUSIVE' },
          { kind: 'lock', table: 'tag', mode: 'ROW EXCLUSIVE' },
        ],
      },
    ],
    later: [{ ...AT, says: 'drop the column "x"', hazards: [{ kind: 'data-loss', what: 'the column "x"' }] }],
  },
  access: [
    {
      ...AT,
      endpoint: 'GET /api/drafts',
      direction: 'weaker',
      says: 'anyone may call GET /api/drafts, before only who is signed in',
      before: { who: 'signed in', says: '@auth' },
      after: { who: 'anyone', says: 'anyone' },
    },
    { ...AT, endpoint: 'GET /x', direction: 'removed', says: 'is gone', before: null, after: null },
  ],
  cost: [
    { ...AT, endpoint: 'GET /api/articles', kind: 'statements', direction: 'more', says: '3 statements, before 2' },
  ],
};

const SETTINGS: PlacedDifference = {
  ...NONE,
  settings: [
    { ...AT, level: 'required', says: '`KEY` is new and must be set: it has no default' },
    { ...AT, level: 'optional', says: '`MOST` has the default `30` now', place: null },
  ],
};

describe('changed settings', () => {
  it('are a part of their own, told to those who push where one must be set', () => {
    const required = 'required  `KEY` is new and must be set: it has no default  blog.kiln:4';
    expect(differenceLines(SETTINGS, PLAIN).slice(-5)).to.deep.equal([
      'Settings',
      `  ${required}`,
      '  optional  `MOST` has the default `30` now',
      '',
      'Settings: 1 required, 1 optional',
    ]);
    expect(callerLines(SETTINGS, 9, PLAIN)).to.deep.equal([required]);
    expect(differenceMarkdown(SETTINGS, '')).to.include(
      `### What must be set before servers start\n\n\`\`\`text\n  ${required}\n`,
    );
  });
});

const WORK: PlacedDifference = {
  ...NONE,
  work: [
    { ...AT, change: 'new', says: 'the job `Send` is new: exactly once' },
    { ...AT, change: 'removed', says: '`on create of Order as order` runs `Send`', place: null },
  ],
};

describe('changed work', () => {
  it('is a part of its own, in text and on a page', () => {
    expect(differenceLines(WORK, PLAIN).slice(-5)).to.deep.equal([
      'Work',
      '  new      the job `Send` is new: exactly once  blog.kiln:4',
      '  removed  `on create of Order as order` runs `Send`',
      '',
      'Work: 1 new, 1 removed',
    ]);
    expect(differenceParts(WORK).text).to.include('<h3>Work</h3>').and.to.include('<code>Send</code>');
  });
});

describe('the Markdown of a difference', () => {
  it('has first what breaks, what is weaker and what is lost, and then all of it', () => {
    expect(differenceMarkdown(FULL, 'From a to b')).to.equal(`### Who may do more than before

\`\`\`text
  weaker  anyone may call GET /api/drafts, before only who is signed in  blog.kiln:4
\`\`\`

### What breaks callers

\`\`\`text
  breaking  GET /api/posts: was removed  blog.kiln:4
\`\`\`

### What data would be lost

\`\`\`text
  later, loss  drop the column "x" (deletes the column "x")  blog.kiln:4
\`\`\`

### All changes

\`\`\`text
From a to b

${differenceLines(FULL, PLAIN).join('\n')}
\`\`\``);
  });

  it('says that there is nothing to notice', () => {
    expect(differenceMarkdown(NONE, 'From a to b')).to.equal(
      'Nothing breaks callers, weakens access or deletes data.\n\n### All changes\n\n```text\nFrom a to b\n\nNo change\n```',
    );
  });

  it('lets no word of a source end its block', () => {
    const api = [
      { ...AT, level: 'breaking', rule: 'x', endpoint: null, says: 'the value is "````\\n# Approved"' } as const,
    ];
    expect(differenceMarkdown({ ...NONE, api }, 'From a to b')).to.match(/\n`{5}text\n.*Approved.*\n`{5}\n/);
  });
});

describe('the text of a difference', () => {
  it('says plainly that there is none', () => {
    expect(differenceLines(NONE, PLAIN)).to.deep.equal(['No change']);
  });

  it('has four parts, each line with its mark and its place, and counts at the end', () => {
    expect(differenceLines(FULL, PLAIN).join('\n')).to.equal(`API
  breaking    GET /api/posts: was removed  blog.kiln:4
  compatible  GET /api/articles: is new
  compatible  a sentence of its own  blog.kiln:4

Data
  safe         the previous release can be served beside this one
  now          rename the table "post" to "article" (locks "post")  blog.kiln:4
  later, loss  drop the column "x" (deletes the column "x")  blog.kiln:4

Access
  weaker   anyone may call GET /api/drafts, before only who is signed in  blog.kiln:4
  removed  GET /x: is gone  blog.kiln:4

Cost
  more  GET /api/articles: 3 statements, before 2  blog.kiln:4

API: 1 breaking, 2 compatible; Data: 1 now, 1 later, loss; Access: 1 weaker, 1 removed; Cost: 1 more`);
  });

  it('says what is undecided, and what can be done, in place of the steps', () => {
    const undecided = [
      { ...AT, code: 'member-disappeared', says: 'the field is gone', help: 'write `was`\nor `drop`' },
    ];
    const lines = differenceLines({ ...NONE, data: { ...NONE.data, undecided } }, PLAIN);
    expect(lines.slice(3, 8)).to.deep.equal([
      'Data',
      '  undecided  the field is gone  blog.kiln:4',
      '             write `was`',
      '             or `drop`',
      '',
    ]);
    expect(lines.at(-1)).to.equal('Data: 1 undecided');
  });

  it('has colours for what is loud, where they are wanted', () => {
    const [line] = apiLines(FULL.api, 20, { colour: true });
    expect(line).to.equal(
      '\u001b[1;31mbreaking  \u001b[0m  GET /api/posts: was removed  \u001b[2mblog.kiln:4\u001b[0m',
    );
  });

  it('has one line for what is said of several endpoints in the same words, where it breaks nobody', () => {
    const said = (level: 'breaking' | 'compatible', endpoint: string, words: string) =>
      ({ ...AT, level, rule: 'x', endpoint, says: `${endpoint}: ${words}` }) as const;
    const many = ['/a', '/b', '/c', '/d'].map((path) => said('compatible', `POST ${path}`, 'may be refused now'));
    const few = ['/a', '/b'].map((path) => said('compatible', `GET ${path}`, 'has a 404 now'));
    const alone = said('compatible', 'GET /c', 'has a 409 now');
    const breaking = ['/a', '/b'].map((path) => said('breaking', `PUT ${path}`, 'needs a token now'));
    expect(apiLines([...breaking, ...many, ...few, alone], 20, PLAIN)).to.deep.equal([
      'breaking    PUT /a: needs a token now  blog.kiln:4',
      'breaking    PUT /b: needs a token now  blog.kiln:4',
      'compatible  4 endpoints: may be refused now (POST /a, POST /b, POST /c, and 1 more)',
      'compatible  2 endpoints: has a 404 now (GET /a, GET /b)',
      'compatible  GET /c: has a 409 now  blog.kiln:4',
    ]);
  });

  it('has for a push what callers notice and rules that became weaker, so many lines at most', () => {
    expect(callerLines(FULL, 20, PLAIN)).to.have.length(4);
    expect(callerLines(FULL, 20, PLAIN)[0]).to.match(/^weaker {6}anyone may call/);
    expect(callerLines(FULL, 2, PLAIN).slice(2)).to.deep.equal(['and 2 more']);
    expect(callerLines(NONE, 20, PLAIN)).to.deep.equal([]);
  });
});
