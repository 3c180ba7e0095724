/** A release that changes something of every kind, for the tests of pages. */
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { BuildRecord } from '../../../pipeline/bake/build-record.ts';
import type { PlacedDifference } from '../../../pipeline/difference/placed-difference.ts';
import type { ReportPageInput } from '../../../pipeline/page/report-page.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';

const BEFORE = `
model Author {
  field name { type string }
  field email { type string, unique }
  relation posts { from Post, through author }
}
model Post {
  reference author { to Author }
  field slug { type string, unique }
  field title { type string }
  field subtitle { type string, nullable }
}
model Draft { field text { type string } }
`;

const AFTER = `
model Author {
  field name { type string }
  field email { type string, unique }
  relation posts { from Post, through author }
}
model Post {
  reference author { to Author }
  field slug { type string, unique }
  field headline { type string, nullable, was title }
  field rating { type integer, default 0 }
  relation comments { from Comment, through post }
  drop subtitle
}
model Comment {
  reference post { to Post, on delete cascade }
  field body { type string }
}
drop model Draft
auth { model Author, subject email }
api {
  entrypoint Post as post {
    identify { through slug }
    list endpoint {}
    update endpoint { authorize { post.author is @auth }, action { update { input { headline } } } }
    entrypoint comments { create endpoint { authorize { @auth is not null } } }
  }
}
`;

export function sampleDefinitions(): { readonly before: Definition; readonly after: Definition } {
  const of = (text: string) => definitionOf([{ path: 'blog.kiln', text }]);
  return { before: of(BEFORE), after: of(AFTER) };
}

const post = { kind: 'model', name: 'Post' } as const;

export const DIFFERENCE: PlacedDifference = {
  api: [
    {
      says: 'GET /api/post/{slug}: the property `title` is no longer in the response',
      subject: { ...post, member: 'title' },
      endpoint: 'GET /api/post/{slug}',
      level: 'breaking',
      rule: 'response-property-removed',
      place: { file: 'blog.kiln', line: 10, column: 3 },
    },
    {
      says: 'GET /api/comment is new',
      subject: { kind: 'endpoint', id: 'comment.list' },
      endpoint: 'GET /api/comment',
      level: 'compatible',
      rule: 'endpoint-added',
      place: { file: 'blog.kiln', line: 15, column: 1 },
    },
  ],
  data: {
    steps: [
      {
        says: 'rename the column "title" of "post" to "headline"',
        subject: { ...post, member: 'headline' },
        hazards: [{ kind: 'lock', table: 'post', mode: 'ACCESS EXCLUSIVE' }],
        place: { file: 'blog.kiln', line: 10, column: 3 },
      },
      {
        says: 'fill the column "rating" of "post"',
        subject: { ...post, member: 'rating' },
        hazards: [
          { kind: 'scan', table: 'post', blocks: 'nothing' },
          { kind: 'may-fail', why: 'a row may hold a value that is out of range' },
        ],
        place: null,
      },
    ],
    later: [
      {
        says: 'drop the column "subtitle" of "post"',
        subject: post,
        hazards: [{ kind: 'data-loss', what: 'all values of "subtitle"' }],
        place: { file: 'blog.kiln', line: 13, column: 3 },
      },
    ],
  },
  access: [
    {
      says: '`DELETE /api/post/{slug}` has a weaker rule: was `post.author is @auth`, is now anyone',
      subject: { kind: 'endpoint', id: 'post.delete' },
      endpoint: 'DELETE /api/post/{slug}',
      direction: 'weaker',
      before: { who: 'condition', says: 'post.author is @auth' },
      after: { who: 'anyone', says: 'anyone' },
      place: { file: 'api.kiln', line: 4, column: 5 },
    },
    {
      says: '`POST /api/comment` is new: whoever is signed in may call it',
      subject: { kind: 'endpoint', id: 'comment.create' },
      endpoint: 'POST /api/comment',
      direction: 'new',
      before: null,
      after: { who: 'signed in', says: '@auth' },
      place: null,
    },
  ],
  cost: [
    {
      says: 'no index serves its order by `rating`',
      subject: { kind: 'endpoint', id: 'post.list' },
      endpoint: 'GET /api/post',
      kind: 'index',
      direction: 'more',
      place: { file: 'api.kiln', line: 9, column: 5 },
    },
    {
      says: 'a request sends 2 statements, not 3',
      subject: { kind: 'endpoint', id: 'post.get' },
      endpoint: 'GET /api/post/{slug}',
      kind: 'statements',
      direction: 'less',
      place: null,
    },
  ],
};

const REVISION = '4f2a9c1b7d3e5f60718293a4b5c6d7e8f9012345';

export const BUILD: BuildRecord = {
  revision: REVISION,
  outcome: 'tested',
  why: null,
  finished: '2026-03-04T10:11:12.000Z',
  image: {
    id: 'sha256:8a1f0c2d3e4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff',
    names: ['blog:4f2a9c1b7d3e', 'blog:main'],
    digests: { 'ghcr.io/acme/blog:main': `sha256:${'0123456789abcdef'.repeat(4)}` },
    layer: 66_048,
  },
  steps: [
    { name: 'compile', milliseconds: 61, detail: '4 models, 9 endpoints' },
    { name: 'compare', milliseconds: 12, detail: '3 steps of migration' },
    { name: 'layer', milliseconds: 34, detail: '65 KB' },
    { name: 'record', milliseconds: 48, detail: null },
    { name: 'bake', milliseconds: 410, detail: null },
    { name: 'postgres', milliseconds: 980, detail: null },
    { name: 'upgrade', milliseconds: 1430, detail: 'a database of 1a2b3c4d5e6f, filled with Dev' },
    { name: 'requests', milliseconds: 720, detail: '9 endpoints answered' },
    { name: 'tag', milliseconds: 39, detail: 'blog:4f2a9c1b7d3e, blog:main' },
  ],
  verdicts: [
    { of: 'access', outcome: 'passed', says: 'strangers are refused at 7 of 9 endpoints', details: [] },
    {
      of: 'plans',
      outcome: 'warned',
      says: '1 statement scans a table',
      details: ['GET /api/post: add index { rating } to Post'],
    },
    { of: 'contract', outcome: 'skipped', says: 'the contract is not guarded', details: [] },
    {
      of: 'gates',
      outcome: 'warned',
      says: 'turned on or off',
      details: ['the gate `contract` is off now'],
    },
  ],
};

export function sampleReport(): ReportPageInput {
  const { before, after } = sampleDefinitions();
  return {
    branch: 'main',
    report: {
      application: 'blog',
      revision: REVISION,
      subject: 'Comments, ratings, and a headline in place of the title',
      committed: '2026-03-04T10:10:00.000Z',
      models: after.models.length,
      endpoints: after.endpoints.length,
      database: ['rename the column "title" of "post" to "headline"'],
      since: null,
      difference: DIFFERENCE,
      breaking: ['the app of version 3 reads headlines already'],
      reviewed: ['comments are public'],
      gates: [],
    },
    definition: after,
    previous: { revision: '1a2b3c4d5e6f60718293a4b5c6d7e8f901234567', definition: before },
    build: BUILD,
  };
}
