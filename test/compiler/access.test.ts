import { join } from 'node:path';
import { expect } from 'chai';
import { type Compilation, compile } from '../../compiler/compile.ts';
import { accessMatrix } from '../../compiler/difference/access-rules.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { readSources } from '../../files/read-sources.ts';
import { compileSources } from '../../pipeline/cli/project.ts';

/**
 * Small programs, unsafe ones and safe ones, and what the checks of access say about each: nothing, or these codes. A case
 * is the part of an `api` that matters; what it has in common with the others of its group is above it.
 */
type Case = readonly [api: string, ...codes: string[]];

const CODES: ReadonlySet<string> = new Set([
  'self-granted',
  'foreign-record',
  'foreign-change',
  'true-when-signed-out',
  'null-is-null',
]);

const ACCOUNTS = 'auth { model User, login email, password hash }';
const CLOSED = 'auth { model User, login email, password hash, register off }';

const models = (own = '') => `
model Team {
  field name { type string }
  reference owner { to User }
  relation users { from User, through team }
  relation members { from Member, through team }
  relation invites { from Invite, through team }
  query admins { from members, filter { role is "admin" } }
  query mine { from members as m, filter { m.user is @auth } }
  computed joined { @auth in members.user }
}
model Member { reference team { to Team }, reference user { to User }, field role { type string, default "member" } }
model Invite { reference team { to Team }, field email { type string } }
model User {
  field email { type string, unique }
  field hash { type string, secret, internal }
  field role { type string, default "member"${own.includes('role') ? '' : ', internal'} }
  field banned { type boolean, nullable, internal }
  field karma { type integer, default 0, internal }
  field bio { type string, nullable }
  reference team { to Team, nullable${own.includes('team') ? '' : ', internal'} }
  relation memberships { from Member, through user }
  relation notes { from Note, through owner }
  computed is_admin { role is "admin" }
  computed welcome { role is not "guest" }
  computed rank { if(role is "admin", 2, 1) }
  computed reads_role { @auth.role is "admin" }
}
model Note {
  reference owner { to User, internal }
  reference team { to Team, nullable, internal }
  field slug { type string, unique }
  field text { type string, default "" }
  field open { type boolean, default false }
  relation shares { from Share, through note }
  relation comments { from Comment, through note }
  computed editable { @auth.role is "admin" }
  computed editable_twice { editable }
  computed denied { @auth.role is not "admin" }
  computed mine { owner is @auth }
  computed rank { if(@auth.role is "admin", 2, 1) }
  computed caller_role { @auth.role }
  computed same_team { team is @auth.team }
  computed not_banned { not @auth.banned }
  query role_shares { from shares as s, filter { s.level is @auth.role } }
  query my_shares { from shares as s, filter { s.user is @auth } }
  query my_share { from shares as s, filter { s.user is @auth }, first }
}
model Share { reference note { to Note }, reference user { to User }, field level { type string, default "read" } }
model Comment {
  reference note { to Note }
  reference author { to User }
  field words { type string }
  computed note_text { note.text }
}
`;

const program = (api: string, accounts = ACCOUNTS, own = '') => `${models(own)}${accounts}\napi {\n${api}\n}`;

function codesOf(source: string): readonly string[] {
  return codesIn(compile([{ path: 'main.kiln', text: source }]), source);
}

function codesIn({ diagnostics }: Compilation, source: string): readonly string[] {
  const found = diagnostics.map(({ code }) => code);
  const others = found.filter((code) => !CODES.has(code) && !HARMLESS.has(code));
  expect(others, source).to.deep.equal([]);
  return [...new Set(found.filter((code) => CODES.has(code)))].sort();
}

/** What the programs bring along because they are small. */
const HARMLESS: ReadonlySet<string> = new Set(['open-write', 'unserved-list']);

function group(title: string, cases: readonly Case[], source: (api: string) => string): void {
  describe(title, () => {
    for (const [api, ...codes] of cases)
      it(`${codes.join(', ') || 'nothing'}: ${api.replace(/\s+/g, ' ').trim()}`, () => {
        expect(codesOf(source(api))).to.deep.equal(codes);
      });
  });
}

before(() => loadGrammar());

describe('access: an example', () => {
  for (const example of ['blog', 'bookings', 'helpdesk', 'projects', 'shop'])
    it(`gives no warning: ${example}`, async () => {
      const { diagnostics } = await compileSources(readSources(join(import.meta.dirname, '../../examples', example)));
      expect(diagnostics.map(({ code }) => code)).to.deep.equal([]);
    });
});

const get = (rule: string) => `entrypoint Note as note { get endpoint { authorize { ${rule} } } }`;
const ME = 'entrypoint @auth as me { update endpoint {} }';

/** All of them read the role of the caller, most by a name that hides it. */
const BY_ROLE = [
  get('@auth.role is "admin"'),
  get('note.editable'),
  get('note.editable_twice'),
  get('not note.denied'),
  get('@auth.is_admin'),
  get('@auth.rank > 1'),
  get('note.rank is 2'),
  get('note.caller_role is "admin"'),
  get('note.owner.reads_role'),
  get('note.editable or note.owner is @auth'),
  get('if(note.editable, true, false)'),
  get('@auth is not null and (note.open or note.editable)'),
  get('exists(note.role_shares)'),
  get('count(note.role_shares) > 0'),
  get('@auth in note.role_shares.user'),
  'entrypoint Note { list endpoint { authorize { @auth is not null }, filter { editable } } }',
  'entrypoint Note { list endpoint { authorize { @auth is not null }, filter { owner is @auth or owner.reads_role } } }',
  'entrypoint Note { GET many "all" { authorize { @auth is not null }, action { query as rows { from Note as n, filter { n.editable } }, respond { body rows } } } }',
];

describe('access: a rule that reads the role of the caller', () => {
  group(
    'which the caller can set',
    BY_ROLE.map((api) => [api, 'self-granted']),
    (api) => program(`${api} ${ME}`, CLOSED, 'role'),
  );
  group(
    'which nobody can set',
    BY_ROLE.map((api) => [api]),
    (api) => program(`${api} ${ME}`, CLOSED),
  );
});

const TEAM_RULES = [
  'team is @auth.team',
  '@auth in team.users',
  '@auth.id in team.users.id',
  'team.owner is @auth or @auth in team.users',
];
const team = (rule: string) => `entrypoint Team as team { get endpoint { authorize { ${rule} } } }`;

describe('access: a rule about the team of the caller', () => {
  group(
    'which the caller can set',
    TEAM_RULES.map((rule) => [team(rule), 'self-granted']),
    (api) => program(`${api} ${ME}`, CLOSED, 'team'),
  );
  group(
    'which nobody can set',
    TEAM_RULES.map((rule) => [team(rule)]),
    (api) => program(`${api} ${ME}`, CLOSED),
  );
  group(
    'which an endpoint of users takes',
    [
      ['entrypoint User as user { update endpoint { authorize { user is @auth } } }', 'self-granted'],
      ['entrypoint User as user { update endpoint { authorize { user.id is @auth.id } } }', 'self-granted'],
      [
        'entrypoint User as user { PUT one "bio" { authorize { user is @auth }, action { update user { input { bio } } } } }',
      ],
      ['entrypoint User as user { update endpoint { authorize { @auth.role is "admin" } } }'],
      ['entrypoint User as user { update endpoint { authorize { @auth.is_admin } } }'],
      ['entrypoint @auth as me { update endpoint { action { update me { input * except { team_id } } } } }'],
    ],
    (api) => program(`${team('@auth in team.users')} ${api}`, CLOSED, 'team'),
  );
});

const TEAM = 'extra inputs { reference team { to Team } }';
const move = (action: string, inputs = TEAM) =>
  `entrypoint Member as m { POST one "move" { authorize { m.user is @auth }, ${inputs}, action { ${action} } } }`;

/** Who may become a member, where members are let in. */
const JOINS: readonly Case[] = [
  ['entrypoint Member { create endpoint { authorize { @auth is not null } } }', 'foreign-record', 'self-granted'],
  [
    'entrypoint Member { create endpoint { authorize { @auth is not null }, action { create { set user @auth } } } }',
    'self-granted',
  ],
  [
    'entrypoint Member { create endpoint { authorize { @auth is not null }, action { create { input { team_id }, set user @auth } } } }',
    'self-granted',
  ],
  [
    'entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { @auth is not null }, action { create { set user @auth } } } } }',
    'self-granted',
  ],
  [
    'entrypoint Team as t { path "x", POST one "join" { authorize { @auth is not null }, action { create Member { set user @auth, set team t } } } }',
    'self-granted',
  ],
  ['entrypoint Member as m { update endpoint { authorize { m.user is @auth } } }', 'foreign-record', 'self-granted'],
  [
    'entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { @auth is not null } } } }',
    'foreign-record',
  ],
  ['entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { t.owner is @auth } } } }'],
  [
    'entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { t.owner is @auth }, action { create { input { user_id } } } } } }',
  ],
  [
    'entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { @auth in t.members.user }, action { create { input { user_id } } } } } }',
  ],
  [
    'entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { t.owner is @auth }, action { create { input { user_id, role } } } } } }',
  ],
  [
    'entrypoint Team as t { path "x", POST one "join" { authorize { @auth is not null and t.name is "open" }, action { create Member { set user @auth, set team t } } } }',
  ],
  ['entrypoint Member { create endpoint { authorize { @auth.role is "admin" } } }'],
  ['entrypoint Member { create endpoint { authorize { @auth.is_admin } } }'],
  [
    `entrypoint Member { POST many "add" {
      authorize { @auth is not null }
      extra inputs { field which { type integer }, field who { type integer } }
      action {
        query as t { from Team as x, filter { x.id is which and x.owner is @auth }, one }
        create Member { set team t, set user_id who }
      }
    } }`,
  ],
  ['entrypoint Member as m { delete endpoint { authorize { m.team.owner is @auth } } }'],
  [move('update m { set team team }'), 'self-granted'],
  [move('update m { set team_id t }', 'extra inputs { field t { type integer } }'), 'self-granted'],
  [
    move('update m { set team coalesce(team, m.team) }', 'extra inputs { reference team { to Team, nullable } }'),
    'self-granted',
  ],
  [move('query { from Member as x, filter { x.user is @auth }, update { set team team } }'), 'self-granted'],
  [move('for x in m.user.memberships { update x { set team team } }'), 'self-granted'],
  [
    move(
      'for x in pairs { update x.mine { set team x.team } }',
      'extra inputs { list pairs { reference mine { to Member }, reference team { to Team } } }',
    ),
    'self-granted',
  ],
  [
    move(
      'query as t { from Team as x, filter { x.name is name }, one }, update m { set team t }',
      'extra inputs { field name { type string } }',
    ),
    'self-granted',
  ],
  [move('refuse "closed" when team.owner is not @auth, update m { set team team }')],
  [move('query as own { from team.members as x, filter { x.user is @auth }, one }, update m { set team team }')],
  [
    'entrypoint Member as m { update endpoint { authorize { m.user is @auth }, action { update { input { team } } } } }',
    'self-granted',
  ],
  [
    'entrypoint Member as m { update endpoint { authorize { m.user is @auth }, action { update { input { team } }, validate with key "team_id" { isEqual(team_id, m.team_id) } } } }',
  ],
  [
    'entrypoint Member as m { update endpoint { authorize { m.user is @auth }, action { update { input { role } } } } }',
  ],
  [
    'entrypoint Member as m { PUT one "role" { authorize { m.team.owner is @auth }, action { update m { input { role } } } } }',
  ],
];

describe('access: members', () => {
  for (const rule of [
    '@auth in team.members.user',
    'team in @auth.memberships.team',
    'team.joined',
    'exists(team.mine)',
  ])
    group(`let in by ${rule}`, JOINS, (api) => program(`${team(rule)} ${api}`, CLOSED));

  group(
    'with a role that a query asks for',
    [
      [
        'entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { @auth in t.members.user }, action { create { input * except { user_id }, set user @auth } } } } }',
        'self-granted',
      ],
      [
        'entrypoint Member as m { update endpoint { authorize { m.user is @auth }, action { update m { input * except { user_id, team_id } } } } }',
        'self-granted',
      ],
      [
        'entrypoint Member as m { update endpoint { authorize { m.user is @auth }, action { update m { input { role } } } } }',
        'self-granted',
      ],
      [
        'entrypoint Member as m { update endpoint { authorize { m.team.owner is @auth }, action { update m { input * except { user_id, team_id } } } } }',
      ],
      [
        'entrypoint Team as t { path "x", entrypoint members { create endpoint { authorize { @auth in t.admins.user }, action { create { input { user_id, role } } } } } }',
      ],
    ],
    (api) => program(`${team('@auth in team.admins.user')} ${api}`, CLOSED),
  );

  group(
    'by invitation',
    [
      ['entrypoint Invite { create endpoint { authorize { @auth is not null } } }', 'self-granted'],
      [
        'entrypoint Invite { create endpoint { authorize { @auth is not null }, action { create { input { team, email } } } } }',
        'self-granted',
      ],
      ['entrypoint Team as t { path "x", entrypoint invites { create endpoint { authorize { t.owner is @auth } } } }'],
    ],
    (api) => program(`${team('@auth.email in team.invites.email')} ${api}`, CLOSED),
  );
});

const user = (rule: string, action: string) =>
  `entrypoint User as user { PUT one "x" { authorize { ${rule} }, extra inputs { field value { type string } }, action { ${action} } } }`;
const note = (rule: string, action: string) =>
  `entrypoint Note as note { PUT one "x" { authorize { ${rule} }, extra inputs { field value { type string } }, action { ${action} } } }`;
const SET_PASSWORD = 'update user { set hash cryptoHash(value) }';
const OF_OWNER = 'update note.owner as writer { set bio value }';
const BY_QUERY = 'query { from User as u, filter { u.email is value }, update { set bio value } }';

group(
  'access: changes of users',
  [
    [user('@auth is not null', SET_PASSWORD), 'foreign-change'],
    [user('true', SET_PASSWORD)],
    [user('@auth is not null and user.bio is not null', SET_PASSWORD), 'foreign-change'],
    [user('user is @auth or user.bio is null', SET_PASSWORD), 'foreign-change'],
    [user('not @auth.banned and @auth is not null', SET_PASSWORD), 'foreign-change'],
    [user('user is @auth', SET_PASSWORD)],
    [user('user.id is @auth.id', SET_PASSWORD)],
    [user('@auth.role is "admin"', SET_PASSWORD)],
    [user('@auth.is_admin', SET_PASSWORD)],
    [user('user is @auth or @auth.is_admin', SET_PASSWORD)],
    [user('user.team.owner is @auth', SET_PASSWORD)],
    [
      user(
        '@auth is not null',
        'validate with key "value" { isEqual(user.id, @auth.id) }, update user { set hash cryptoHash(value) }',
      ),
    ],
    [user('@auth is not null', 'update user { set email value }'), 'foreign-change'],
    [user('@auth is not null', 'update user { set bio value }')],
    [user('@auth is not null', 'update user { set karma user.karma + 1 }, respond { body value }')],
    [user('@auth is not null', 'update @auth as me { set hash cryptoHash(value) }')],
    [user('@auth is not null', 'delete user {}, respond { body value }'), 'foreign-change'],
    [user('user is @auth', 'delete user {}, respond { body value }')],
    [user('@auth.role is "admin"', 'update user { set role "admin" }, respond { body value }')],
    [
      `${get('@auth.role is "admin"')} ${user('@auth is not null', 'update user { set role "admin" }, respond { body value }')}`,
      'foreign-change',
    ],
    [note('@auth is not null', OF_OWNER), 'foreign-change'],
    [note('note.open and @auth is not null', OF_OWNER), 'foreign-change'],
    [note('@auth in note.shares.user', OF_OWNER), 'foreign-change'],
    [note('note.owner is @auth', OF_OWNER)],
    [note('note.mine', OF_OWNER)],
    [note('note.owner_id is @auth.id', OF_OWNER)],
    [note('note.owner.team.owner is @auth', OF_OWNER)],
    [note('@auth.role is "admin"', OF_OWNER)],
    [note('@auth is not null', 'delete note.owner {}, respond { body value }'), 'foreign-change'],
    [note('@auth is not null', BY_QUERY), 'foreign-change'],
    [note('@auth is not null', 'query { from User as u, filter { u.email is value }, delete }'), 'foreign-change'],
    [
      note(
        '@auth is not null',
        'query { from User as u, filter { u.email is value }, update { set karma u.karma + 1 } }',
      ),
    ],
    [note('@auth is not null', 'query { from User as u, filter { u.id is @auth.id }, update { set bio value } }')],
    [note('@auth.role is "admin"', BY_QUERY)],
    [
      note(
        '@auth is not null',
        'query as found { from User as u, filter { u.email is value }, one }, update found as f { set hash cryptoHash(value) }',
      ),
      'foreign-change',
    ],
    [
      note(
        '@auth is not null',
        'query as found { from User as u, filter { u.team.owner is @auth }, one }, update found as f { set hash cryptoHash(value) }',
      ),
    ],
    ['entrypoint User as user { update endpoint { authorize { @auth is not null } } }', 'foreign-change'],
    ['entrypoint User as user { update endpoint { authorize { user is @auth } } }'],
  ],
  (api) => program(api, CLOSED),
);

const keep = (key: string, rest: string) =>
  `entrypoint Note as note { create endpoint { authorize { @auth is not null }, action { create or keep by { ${key} } { input { slug, text }, set owner @auth } } ${rest} } }`;
const comment = (action: string, response: string) =>
  `entrypoint Comment as comment { response { ${response} }, create endpoint { authorize { @auth is not null }, action { ${action} } } }`;
const CREATE = 'create { input { words, note_id }, set author @auth }';
const OWN_NOTES = get('note.owner is @auth');

group(
  'access: what the response of a write shows',
  [
    [`${OWN_NOTES} ${keep('slug', '')}`, 'foreign-record'],
    [`${get('note.mine')} ${keep('slug', '')}`, 'foreign-record'],
    [`${OWN_NOTES} ${keep('slug', ', response { text }')}`, 'foreign-record'],
    [`${OWN_NOTES} ${keep('slug', ', response { id, slug }')}`],
    [`${get('@auth is not null')} ${keep('slug', '')}`],
    [`entrypoint Note as n { path "all", list endpoint {} } ${keep('slug', '')}`],
    [`${OWN_NOTES} ${comment(CREATE, 'words, note { text }')}`, 'foreign-record'],
    [`${OWN_NOTES} ${comment(CREATE, 'words, note')}`, 'foreign-record'],
    [`${OWN_NOTES} ${comment(CREATE, 'words, note_text')}`, 'foreign-record'],
    [`${OWN_NOTES} ${comment(CREATE, 'words, shown: note.text')}`, 'foreign-record'],
    [`${get('note.mine')} ${comment(CREATE, 'words, note { text }')}`, 'foreign-record'],
    [`${get('@auth in note.shares.user')} ${comment(CREATE, 'words, note { text }')}`, 'foreign-record'],
    [
      `entrypoint Note { list endpoint { authorize { @auth is not null }, filter { owner is @auth } } } ${comment(CREATE, 'words, note { text }')}`,
      'foreign-record',
    ],
    [`${OWN_NOTES} ${comment(CREATE, 'words, note_id')}`],
    [`${OWN_NOTES} ${comment(CREATE, 'words, note { id }')}`],
    [`${get('true')} ${comment(CREATE, 'words, note { text }')}`],
    [`${get('@auth is not null')} ${comment(CREATE, 'words, note { text }')}`],
    [
      `${OWN_NOTES} ${comment('create { input { words, note_id }, set author @auth }, query as n { from Note as x, filter { x.id is note_id and x.owner is @auth }, one }', 'words, note { text }')}`,
    ],
    [
      `entrypoint Note as note { get endpoint { authorize { note.owner is @auth } }, entrypoint comments { response { words, note { text } }, create endpoint { authorize { @auth is not null }, action { create { set author @auth } } } } }`,
      'foreign-record',
    ],
    [
      `entrypoint Note as note { authorize { note.owner is @auth }, get endpoint {}, entrypoint comments { response { words, note { text } }, create endpoint { action { create { set author @auth } } } } }`,
    ],
  ],
  (api) => program(api, CLOSED),
);

const WITH_NOTE = 'words, note { text }';

group(
  'access: what is checked behind a write',
  [
    `refuse "foreign" when made.note.owner is not @auth { key note_id }`,
    `refuse "foreign" when made.note_id < 3 { key note_id }`,
    `validate with key "note_id" { isEqual(made.note.owner_id, @auth.id) }`,
    `query as n { from Note as x, filter { x.id is made.note_id and x.owner is @auth }, one }`,
    `query as n { from Note as x, filter { x.id is made.note_id and x.owner is @auth }, count }`,
    `query as n { from made.note.shares as x, filter { x.user is @auth }, one }`,
  ].map(
    (check) =>
      [
        `${OWN_NOTES} ${comment(`create as made { input { words, note_id }, set author @auth }, ${check}`, WITH_NOTE)}`,
      ] as const,
  ),
  (api) => program(api, CLOSED),
);

group(
  'access: what is not checked behind a write',
  [
    `refuse "empty" when made.words is "" { key words }`,
    `query as n { from made.note.shares as x, filter { x.level is "read" }, count }, validate with key "note_id" { isEqual(n, 0) }`,
    `execute { hook { arg text made.note.text, inline "text" } }`,
  ].map(
    (check) =>
      [
        `${OWN_NOTES} ${comment(`create as made { input { words, note_id }, set author @auth }, ${check}`, WITH_NOTE)}`,
        'foreign-record',
      ] as const,
  ),
  (api) => program(api, CLOSED),
);

const BELOW = 'entrypoint note { response { text }, get endpoint {} }';
const own = (behind: string) =>
  `entrypoint Comment as mine { path "mine", authorize { mine.author is @auth }, get endpoint {}, ${behind} }`;
const ANSWER = comment(CREATE, 'id');

group(
  'access: what an entrypoint behind a reference serves',
  [
    [`${OWN_NOTES} ${own(BELOW)} ${ANSWER}`, 'foreign-record'],
    [
      `${OWN_NOTES} ${own('entrypoint note { update endpoint { action { update { input { text } } } } }')} ${ANSWER}`,
      'foreign-record',
    ],
    [
      `entrypoint Note as note { get endpoint {}, update endpoint { authorize { note.owner is @auth }, action { update { input { text } } } } } ${own('entrypoint note { update endpoint { action { update { input { text } } } } }')} ${ANSWER}`,
      'foreign-record',
    ],
    [
      `entrypoint Note as note { authorize { note.owner is @auth }, get endpoint {}, entrypoint shares { list endpoint {} } }
       entrypoint Share as s { get endpoint { authorize { s.user is @auth } } }
       ${own('entrypoint note { entrypoint shares { list endpoint {} } }')} ${ANSWER}`,
      'foreign-record',
    ],
    [
      `${OWN_NOTES} ${own(BELOW)} entrypoint Note as n { path "n", POST one "reply" { authorize { @auth is not null }, action { create Comment as made { input { words }, set note n, set author @auth } } } }`,
      'foreign-record',
    ],
    [`${OWN_NOTES} ${own('entrypoint note as n { only { n.owner is @auth }, get endpoint {} }')} ${ANSWER}`],
    [`${OWN_NOTES} ${own('entrypoint note as n { authorize { n.owner is @auth }, get endpoint {} }')} ${ANSWER}`],
    [`${OWN_NOTES} ${own('entrypoint note { authorize { mine.note.open }, get endpoint {} }')} ${ANSWER}`],
    [`${OWN_NOTES} ${own('entrypoint note { authorize { @auth.role is "admin" }, get endpoint {} }')} ${ANSWER}`],
    [`${get('true')} ${own(BELOW)} ${ANSWER}`],
    [`${own(BELOW)} ${ANSWER}`],
    [
      `${OWN_NOTES} ${own(BELOW)} ${comment(`${CREATE}, query as n { from Note as x, filter { x.id is note_id and x.owner is @auth }, one }`, 'id')}`,
    ],
  ],
  (api) => program(api, CLOSED),
);

const inTeam = (rule: string, action: string) =>
  `entrypoint Team as team { authorize { ${rule} }, entrypoint members { create endpoint { action { ${action} } } } }`;

group(
  'access: users that clients name',
  [
    [inTeam('team.owner is @auth', 'create { input { user_id } }')],
    [inTeam('@auth is not null', 'create { input { user_id } }'), 'foreign-record'],
    [inTeam('@auth is not null and team.name is "x"', 'create { input { user_id } }'), 'foreign-record'],
    [inTeam('team.owner is @auth or team.name is "x"', 'create { input { user_id } }'), 'foreign-record'],
    [inTeam('team.owner is @auth or @auth.is_admin', 'create { input { user_id } }')],
    [inTeam('team.owner is @auth', 'create { set user @auth }')],
    ['entrypoint Comment { create endpoint { authorize { @auth is not null } } }', 'foreign-record'],
    [
      'entrypoint Comment { create endpoint { authorize { @auth is not null }, action { create { set author @auth } } } }',
    ],
    [
      'entrypoint Note as note { authorize { @auth in note.shares.user }, entrypoint comments { create endpoint {} } }',
      'foreign-record',
    ],
    [
      'entrypoint Note as note { authorize { note.owner is @auth }, entrypoint comments { create endpoint {} } }',
      'foreign-record',
    ],
    [
      'entrypoint Note as note { authorize { note.owner is @auth }, entrypoint shares { create endpoint { action { create { input { user_id } } } } } }',
    ],
    ['entrypoint Team as team { update endpoint { authorize { @auth in team.members.user } } }', 'foreign-record'],
    [
      'entrypoint Team as team { update endpoint { authorize { @auth in team.members.user }, action { update { input { name } } } } }',
    ],
  ],
  (api) => program(api, CLOSED),
);

/** What `kiln access` says of a caller who is not signed in, and whether that is a warning. */
const SIGNED_OUT: readonly (readonly [rule: string, anonymous: 'yes' | 'no' | 'condition', isWarned?: true])[] = [
  ['@auth is not null', 'no'],
  ['@auth is null', 'yes'],
  ['note.editable', 'no'],
  ['note.editable_twice', 'no'],
  ['note.mine', 'no'],
  ['note.denied', 'yes', true],
  ['not note.editable', 'yes', true],
  ['not note.denied', 'no'],
  ['note.open', 'condition'],
  ['note.open or note.mine', 'condition'],
  ['note.open and note.mine', 'no'],
  ['note.not_banned', 'yes', true],
  ['@auth is not null and note.not_banned', 'no'],
  ['@auth is null or note.not_banned', 'yes'],
  ['@auth.is_admin', 'no'],
  ['@auth.welcome', 'no'],
  ['not @auth.welcome', 'yes', true],
  ['@auth.rank > 1', 'no'],
  ['note.rank is 2', 'no'],
  ['note.owner.reads_role', 'no'],
  ['note.caller_role is "admin"', 'no'],
  ['coalesce(@auth.banned, false) is false', 'yes', true],
  ['coalesce(@auth.banned, true) is false', 'no'],
  ['not coalesce(@auth.banned, false)', 'yes', true],
  ['coalesce(@auth.karma, 0) < 5', 'yes', true],
  ['coalesce(@auth.karma, 0) > 5', 'no'],
  ['count(@auth.notes) < 3', 'yes', true],
  ['exists(note.my_shares)', 'no'],
  ['not exists(note.my_shares)', 'yes', true],
  ['count(note.my_shares) > 0', 'no'],
  ['note.my_share is not null', 'no'],
  ['note.my_share.level is "write"', 'no'],
  ['@auth in note.role_shares.user', 'no'],
  ['if(@auth.banned, false, true)', 'yes', true],
  ['if(note.open, note.mine, note.editable)', 'no'],
];

describe('access: nobody is signed in', () => {
  for (const [rule, anonymous, isWarned] of SIGNED_OUT)
    it(`${anonymous}${isWarned ? ', with a warning' : ''}: ${rule}`, () => {
      const source = program(get(rule), CLOSED);
      const compilation = compile([{ path: 'main.kiln', text: source }]);
      expect(codesIn(compilation, source)).to.deep.equal(isWarned ? ['true-when-signed-out'] : []);
      const { definition } = compilation;
      const row = definition && accessMatrix(definition).find(({ id }) => id === 'note.get');
      expect(row?.anonymous).to.equal(anonymous);
    });
});

group(
  'access: two sides that may be null',
  [
    [get('note.team is @auth.team'), 'null-is-null'],
    [get('note.team_id is @auth.team_id'), 'null-is-null'],
    [get('note.same_team'), 'null-is-null'],
    [get('note.mine or note.team is @auth.team'), 'null-is-null'],
    [
      'entrypoint Note { list endpoint { authorize { @auth is not null }, filter { team is @auth.team } } }',
      'null-is-null',
    ],
    [get('@auth.team is not null and note.team is @auth.team')],
    [get('@auth.team is not null and note.same_team')],
    [get('note.team is not null and note.team is @auth.team')],
    [get('note.team is not @auth.team and note.mine')],
    [get('note.owner is @auth')],
    ['entrypoint Team as team { get endpoint { authorize { team is @auth.team } } }'],
    ['entrypoint Note { list endpoint { authorize { @auth.team is not null }, filter { team is @auth.team } } }'],
  ],
  (api) => program(api, CLOSED),
);
