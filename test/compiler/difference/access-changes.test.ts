import { expect } from 'chai';
import { compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { accessChanges } from '../../../compiler/difference/access-changes.ts';
import { accessRules } from '../../../compiler/difference/access-rules.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';

const MODELS = `
enum Role { member, editor, admin }
auth { model User, login email, password hash }
model User {
  field email { type string, unique }
  field hash { type string, secret }
  field role { type Role, default "member", internal }
  field banned { type boolean, nullable, internal }
  field karma { type integer, default 0, internal }
  relation notes { from Note, through owner }
  relation shares { from Share, through user }
  relation desk { from Desk, through user }
}
model Desk { reference user { to User, unique }, field level { type integer, default 0 } }
model Note {
  reference owner { to User }
  reference editor { to User, nullable }
  field text { type string, default "" }
  field open { type boolean, default false }
  relation shares { from Share, through note }
  query large { from shares as share, filter { share.level > 3 } }
  computed share_count { count(shares) }
  computed is_shared { share_count > 0 }
  computed is_mine { owner is @auth }
  query mine { from shares as share, filter { share.user is @auth } }
}
model Share { reference note { to Note }, reference user { to User }, field level { type integer, default 0 } }
`;

const compiled = new Map<string, Definition>();

/** Compiled once: many changes begin with the same rules. */
function definitionOf(source: string): Definition {
  const definition = compiled.get(source) ?? compiledFrom(source);
  compiled.set(source, definition);
  return definition;
}

function compiledFrom(source: string): Definition {
  const { definition, diagnostics } = compile([{ path: 'notes.kiln', text: source }]);
  if (!definition) throw new Error(JSON.stringify(diagnostics.map(({ code }) => code)));
  return definition;
}

const withRule = (rule: string, models = MODELS) =>
  definitionOf(`${models}\napi { entrypoint Note as note { get endpoint { ${rule && `authorize { ${rule} }`} } } }`);

const withList = (filter: string) =>
  definitionOf(`${MODELS}\napi { entrypoint Note as note { list endpoint { ${filter && `filter { ${filter} }`} } } }`);

function directions(before: Definition, after: Definition): readonly string[] {
  return accessChanges(before, after).map(({ direction }) => direction);
}

before(() => loadGrammar());

/** Each is written as it is printed; where it is printed otherwise, that comes second. */
const RULES: readonly (readonly [written: string, printed?: string])[] = [
  ['@auth is not null'],
  ['@auth is null'],
  ['note.owner is @auth'],
  ['note.owner_id is @auth.id', 'note.owner is @auth'],
  ['note.owner is not @auth'],
  ['@auth is not null and note.owner is @auth', 'note.owner is @auth'],
  ['@auth is not null and @auth.desk is null'],
  ['@auth.desk is not null'],
  ['@auth.desk.level > 3'],
  ['@auth.role is "admin"'],
  ['@request.header("X-Key") is "k"', '@request.header("x-key") is "k"'],
  ['@auth.role in ["admin", "editor"]'],
  ['@auth.role not in ["admin", "editor"]'],
  ['@auth in note.shares.user'],
  ['@auth.id in note.shares.user_id', '@auth in note.shares.user'],
  ['@auth in [note.owner, note.editor]'],
  ['note.owner in [@auth, note.editor]', 'note.owner in [note.editor] or note.owner in [@auth]'],
  ['note.editor is null or note.editor is @auth'],
  ['(note.open or note.is_shared) and not @auth.banned'],
  ['not (note.open and note.is_shared)'],
  ['note.open is true and note.text is not ""'],
  ['count(note.shares) > 3 and exists(@auth.notes)'],
  ['count(@auth.notes) + 1 < (2 + @auth.karma) * 3 - -1'],
  ['10 - (4 - 3) is 9 and 2 + 3 * 4 is 14'],
  ['length(note.text) > 3 and lower(note.text) is "it\\"s"'],
  ['now() - days(3) < now()', 'now() + days(-3) < now()'],
  ['if(note.open, "a", "b") is "a" and coalesce(note.editor.karma, 0) > 3'],
  ['hook { arg text note.text, inline "text.length > 3" }'],
];

describe('a rule, printed', () => {
  for (const [written, printed = written] of RULES)
    it(`reads ${printed}`, () => {
      const definition = withRule(written);
      const [rule] = accessRules(definition).filter(({ id }) => id === 'note.get');
      expect(rule?.access.says).to.equal(rule?.access.who === 'signed in' ? '@auth is not null' : printed);
      expect(directions(definition, withRule(rule?.access.says as string))).to.deep.equal([]);
    });
});

/** From the first to the second, and then back. */
const CHANGES: readonly (readonly [before: string, after: string, direction: 'weaker' | 'other' | 'same'])[] = [
  ['note.owner is @auth', '', 'weaker'],
  ['note.owner is @auth', 'note.is_mine', 'same'],
  ['note.is_mine and note.open', 'note.owner is @auth', 'weaker'],
  ['note.is_mine', '@auth is not null', 'weaker'],
  ['exists(note.mine)', '@auth is not null', 'weaker'],
  ['note.owner is @auth', 'true', 'weaker'],
  ['false', 'note.owner is @auth', 'weaker'],
  ['@auth is not null', '', 'weaker'],
  ['note.owner is @auth', '@auth is not null', 'weaker'],
  ['note.owner is @auth and note.open', 'note.owner is @auth', 'weaker'],
  ['note.owner is @auth', 'note.owner is @auth or @auth.role is "admin"', 'weaker'],
  ['@auth.role is "admin"', '@auth.role in ["editor", "admin"]', 'weaker'],
  ['@auth.desk is not null', '@auth is not null', 'weaker'],
  ['@auth.banned', '@auth is not null', 'weaker'],
  ['@auth.karma > 3', '@auth is not null', 'weaker'],
  ['note.open and note.is_shared', 'note.open or note.is_shared', 'weaker'],
  ['not (note.open or note.is_shared)', 'not note.open', 'weaker'],
  ['note.owner is @auth', 'note.editor is @auth', 'other'],
  ['@auth.karma > 3', '@auth.karma > 2', 'other'],
  ['note.open', 'not note.open', 'other'],
  ['', 'true', 'same'],
  ['note.owner is @auth', '@auth is note.owner', 'same'],
  ['note.open', 'note.open is true', 'same'],
  ['note.open and note.is_shared', 'note.is_shared and note.open', 'same'],
  ['@auth.role in ["editor", "admin"]', '@auth.role is "admin" or @auth.role is "editor"', 'same'],
  ['@auth is not null and note.owner is @auth', 'note.owner is @auth', 'same'],
];

describe('a rule that is not as it was', () => {
  for (const [first, second, direction] of CHANGES)
    it(`is ${direction}: ${first || 'none'}, then ${second || 'none'}`, () => {
      const [before, after] = [withRule(first), withRule(second)];
      const back = direction === 'weaker' ? 'stricter' : direction;
      expect(directions(before, after)).to.deep.equal(direction === 'same' ? [] : [direction]);
      expect(directions(after, before)).to.deep.equal(direction === 'same' ? [] : [back]);
    });

  it('is noticed where its words are the same but a computed value or a query is not', () => {
    const [rule, other] = ['note.is_shared', MODELS.replace('share_count > 0', 'share_count > 1')];
    expect(directions(withRule(rule), withRule(rule, other))).to.deep.equal(['other']);
    const larger = MODELS.replace('share.level > 3', 'share.level > 2');
    expect(directions(withRule('exists(note.large)'), withRule('exists(note.large)', larger))).to.deep.equal(['other']);
    const [change] = accessChanges(withRule(rule), withRule(rule, other));
    expect(change?.says).to.match(/has another rule: something that `note.is_shared` reads was changed$/);
  });

  it('is the same where a model, a field, a value or the record has another name', () => {
    const renamed = MODELS.replaceAll('to Note', 'to Memo')
      .replaceAll('from Note', 'from Memo')
      .replace('model Note {', 'model Memo was Note {')
      .replace('reference owner { to User }', 'reference holder { to User, was owner }')
      .replace('relation notes { from Memo, through owner }', 'relation notes { from Memo, through holder }')
      .replace('is_mine { owner', 'is_mine { holder')
      .replace('field role { type Role,', 'field rank { type Role, was role,')
      .replace('editor, admin', 'editor, boss was admin');
    const rule = 'note.owner is @auth or @auth.role is "admin" or count(@auth.notes) > 3';
    const api = (entrypoint: string, written: string) =>
      `api { ${entrypoint} { get endpoint { authorize { ${written} } }, POST one "pin" { authorize { ${written} } } } }`;
    const before = definitionOf(MODELS + api('entrypoint Note as note', rule));
    const now = 'memo.holder is @auth or @auth.rank is "boss" or count(@auth.notes) > 3';
    const after = definitionOf(renamed + api('entrypoint Memo as memo', now));
    expect(accessChanges(before, after)).to.deep.equal([]);
  });

  it('is another one where a field is not the one that had its name', () => {
    const other = MODELS.replace('reference editor { to User, nullable }', 'reference editor { to Desk, nullable }');
    expect(directions(withRule('note.editor is null'), withRule('note.editor is null', other))).to.deep.equal([
      'other',
    ]);
  });
});

describe('the records of a list', () => {
  it('are others where the same path gives another model', () => {
    const models = 'model Room { field name { type string } } model Payslip { field name { type string } }';
    const of = (model: string, rule = '') =>
      definitionOf(`${MODELS} ${models} api { entrypoint ${model} { path "items", ${rule} list endpoint {} } }`);
    expect(directions(of('Room'), of('Payslip'))).to.deep.equal(['other']);
    expect(directions(of('Room'), of('Payslip', 'authorize { @auth is not null },'))).to.deep.equal(['other']);
  });

  it('are more where its filter went away or lost a part, whatever the filter is about', () => {
    expect(directions(withList('owner is @auth'), withList(''))).to.deep.equal(['weaker']);
    expect(directions(withList('open'), withList(''))).to.deep.equal(['weaker']);
    expect(directions(withList('open'), withList('open and owner is @auth'))).to.deep.equal(['stricter']);
    const [change] = accessChanges(withList('owner is @auth'), withList(''));
    expect(change).to.deep.equal({
      subject: { kind: 'endpoint', id: 'note.list' },
      endpoint: 'GET /api/note',
      direction: 'weaker',
      says: '`GET /api/note` gives more records: they were `owner is @auth`, are now all',
      before: { who: 'anyone', says: 'anyone', shows: 'owner is @auth' },
      after: { who: 'anyone', says: 'anyone' },
    });
  });

  it('are more where the filter of a query in an action went away', () => {
    const all = (filter: string) =>
      definitionOf(`${MODELS}\napi { entrypoint Note { GET many "all" { authorize { @auth is not null }, action {
        query as rows { from Note as n${filter && `, filter { ${filter} }`} }
        respond { body rows }
      } } } }`);
    expect(directions(all('n.owner is @auth'), all(''))).to.deep.equal(['weaker']);
    expect(directions(all(''), all('n.is_mine'))).to.deep.equal(['stricter']);
    expect(directions(all('n.owner is @auth'), all('n.is_mine'))).to.deep.equal([]);
    const [change] = accessChanges(all('n.is_mine'), all(''));
    expect(change?.says).to.equal('`GET /api/note/all` gives more records: they were `is_mine`, are now all');
  });

  it('are the same where only what the caller chooses is not', () => {
    const list = (inside: string) =>
      definitionOf(`${MODELS}\napi { entrypoint Note as note { list endpoint { ${inside} } } }`);
    const chosen = 'extra inputs { field word { type string, default "" } }, filter { open and contains(text, word) }';
    expect(directions(list('filter { open }'), list(chosen))).to.deep.equal([]);
  });

  it('are those of the caller below `entrypoint @auth`', () => {
    const mine = definitionOf(
      `${MODELS}\napi { entrypoint @auth as me { entrypoint notes as note { list endpoint {}, get endpoint {} } } }`,
    );
    const shown = accessRules(mine)
      .filter(({ id }) => id.startsWith('me.'))
      .map(({ access }) => [access.says, access.shows]);
    expect(shown).to.deep.equal([
      ['@auth is not null', 'in @auth.notes'],
      ['@auth is not null', 'note in @auth.notes'],
    ]);
  });
});

describe('the changes of access', () => {
  const api = (inside: string, auth = 'password hash') =>
    definitionOf(`${MODELS.replace('password hash', auth)}\napi { entrypoint Note as note { ${inside} } }`);

  it('begin with what became weaker, and end with what was removed', () => {
    const before = api(
      'get endpoint { authorize { note.open } } update endpoint {} delete endpoint { authorize { note.open } } list endpoint {}',
    );
    const after = api(
      'get endpoint { authorize { note.is_shared } } update endpoint { authorize { note.open } } delete endpoint {} create endpoint {}',
    );
    expect(accessChanges(before, after).map(({ says }) => says)).to.deep.equal([
      '`DELETE /api/note/{note_id}` has a weaker rule: was `note.open`, is now anyone',
      '`GET /api/note/{note_id}` has another rule: was `note.open`, is now `note.is_shared`',
      '`POST /api/note` is new: anyone may call it',
      '`PATCH /api/note/{note_id}` has a stricter rule: was anyone, is now `note.open`',
      '`GET /api/note` was removed',
    ]);
  });

  it('have the endpoints of accounts', () => {
    const [without, with_] = [api('', 'password hash, register off'), api('')];
    expect(accessChanges(without, with_).map(({ says }) => says)).to.deep.equal([
      '`POST /api/auth/register` is new: anyone may call it',
    ]);
  });

  it('show headers and claims', () => {
    const models = MODELS.replace('login email,', 'register off, subject email, login email,');
    const [open, closed] = [withRule('@auth is not null', models), withRule('@claims.org.role is "admin"', models)];
    expect(accessRules(closed).map(({ access }) => access.says)).to.include('@claims.org.role is "admin"');
    expect(directions(open, closed)).to.deep.equal(['stricter']);
    const list = withList('text is @request.header("x-text")');
    expect(accessRules(list).map(({ access }) => access.shows)).to.include('text is @request.header("x-text")');
  });

  it('are none between a definition and itself', () => {
    const definition = api('get endpoint { authorize { note.owner is @auth } } list endpoint { filter { open } }');
    expect(accessChanges(definition, definition)).to.deep.equal([]);
  });

  it('pair endpoints by their routes, however their records are called', () => {
    const rule = (name: string) =>
      definitionOf(
        `${MODELS}\napi { entrypoint Note as ${name} { path "notes" get endpoint { authorize { ${name}.open } } } }`,
      );
    expect(accessChanges(rule('note'), rule('memo'))).to.deep.equal([]);
  });
});
