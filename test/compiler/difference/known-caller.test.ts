import { expect } from 'chai';
import { compile } from '../../../compiler/compile.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { expectedRefusals } from '../../support/access/refusals.ts';

const MODELS = `
auth { model User, login email, password hash }
model User {
  field email { type string, unique }
  field hash { type string, secret }
  field role { type string, default "member", internal }
  field since { type date, nullable, internal }
  reference boss { to User, nullable, internal }
  relation notes { from Note, through owner }
  relation desk { from Desk, through user }
  relation staff { from User, through boss }
}
model Desk { reference user { to User, unique }, field level { type integer, default 0 } }
model Note {
  reference owner { to User }
  field text { type string, default "" }
  field open { type boolean, default false }
  relation shares { from Share, through note }
}
model Share { reference note { to Note }, reference user { to User } }
`;

const FIELDS = new Map([
  ['role', 'member'],
  ['boss_id', null],
  ['email', 'stranger@example.com'],
]);

function refusedOf(source: string): readonly string[] {
  const { definition, diagnostics } = compile([{ path: 'notes.kiln', text: MODELS + source }]);
  if (!definition) throw new Error(JSON.stringify(diagnostics.map(({ code }) => code)));
  const expected = expectedRefusals(definition, FIELDS).filter(({ endpoint }) => !endpoint.includes('/auth/'));
  return expected.map(({ caller, how }) => (how === 'hidden' ? how : caller));
}

/** Which callers a rule keeps out for sure. */
const RULES: readonly (readonly [rule: string, ...callers: readonly string[]])[] = [
  ['true'],
  ['false', 'anonymous', 'stranger'],
  ['note.open'],
  ['@auth is not null', 'anonymous'],
  ['@auth is null', 'stranger'],
  ['note.owner is @auth', 'anonymous', 'stranger'],
  ['note.owner is @auth or note.open'],
  ['note.owner is @auth and note.open', 'anonymous', 'stranger'],
  ['note.owner is not @auth'],
  ['@auth is not null and note.owner is not @auth', 'anonymous'],
  ['@auth in note.shares.user', 'anonymous', 'stranger'],
  ['@auth in [note.owner, note.owner.boss]', 'anonymous', 'stranger'],
  ['@auth.role is "admin"', 'anonymous', 'stranger'],
  ['@auth.role is "member"', 'anonymous'],
  ['@auth.role in ["admin", "editor"]', 'anonymous', 'stranger'],
  ['@auth.role not in ["admin", "editor"] and @auth is not null', 'anonymous'],
  ['@auth.since is not null', 'anonymous'],
  ['@auth.since < today()', 'anonymous'],
  ['@auth.desk is not null', 'anonymous', 'stranger'],
  ['@auth.desk.level > 3', 'anonymous', 'stranger'],
  ['@auth is not null and @auth.desk is null', 'anonymous'],
  ['@auth.boss.role is "admin"', 'anonymous', 'stranger'],
  ['exists(@auth.staff)', 'anonymous', 'stranger'],
  ['note.owner.boss is @auth', 'anonymous', 'stranger'],
  ['@auth.role is note.text', 'anonymous'],
  ['hook { inline "true" }'],
  ['hook { inline "true" } and note.owner is @auth', 'anonymous', 'stranger'],
];

describe('the callers that a rule keeps out', () => {
  before(() => loadGrammar());

  for (const [rule, ...callers] of RULES)
    it(`are ${callers.join(' and ') || 'not known'}: ${rule}`, () => {
      const source = `api { entrypoint Note as note { get endpoint { authorize { ${rule} } } } }`;
      expect(refusedOf(source)).to.deep.equal(callers);
    });

  it('do not find what belongs to another account', () => {
    const source =
      'api { entrypoint @auth as me { entrypoint notes as note { list endpoint {}, delete endpoint {} } } }';
    expect(refusedOf(source)).to.deep.equal(['anonymous', 'anonymous', 'hidden']);
  });

  it('are another account, where the record is one', () => {
    expect(refusedOf('api { entrypoint User as user { get endpoint { authorize { user is @auth } } } }')).to.deep.equal(
      ['anonymous', 'stranger'],
    );
  });

  it('are none without accounts', () => {
    const { definition } = compile([{ path: 'a.kiln', text: 'model A {} api { entrypoint A { get endpoint {} } }' }]);
    expect(definition && expectedRefusals(definition, FIELDS)).to.deep.equal([]);
  });
});
