/** What `kiln diff` and `kiln access` say of the mails of accounts. */
import { expect } from 'chai';
import { accessRules } from '../../../compiler/difference/access-rules.ts';
import { apiChanges } from '../../../compiler/difference/api-changes.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { definitionOf } from '../../runtime/operations/running.ts';

const FILES = { 'mails/token.html': '<p>{{ token }}</p>' };
const USER = 'model User { field email { type string, unique } field hash { type string, secret } }';
const PARTS = 'input user { to User }  input token { type string }  to user.email  subject "Hello"  body "token.html"';
const MAILS = ['Confirm', 'Forgotten', 'Invitation'].map((name) => `mail ${name} { ${PARTS} }`).join('\n');
const WITH = 'verify with Confirm, reset with Forgotten, invite with Invitation';

describe('the mails of accounts', () => {
  const plain = () => definitionOf(`${USER}\nauth { model User, login email, password hash }`);
  const mailed = () =>
    definitionOf(`${USER}\n${MAILS}\nauth { model User, login email, password hash, ${WITH} }`, {}, FILES);

  it('are new routes, and a registration that breaks clients', async () => {
    const changes = apiChanges(await plain(), await mailed());
    const said = changes.map(({ level, endpoint, rule }) => `${level} ${rule} ${endpoint}`).sort();
    expect(said.filter((line) => line.includes('endpoint-added'))).to.deep.equal(
      ['accept', 'forgot', 'reset', 'verify'].map((name) => `compatible endpoint-added POST /api/auth/${name}`),
    );
    expect(said.filter((line) => line.startsWith('breaking')).join()).to.include('POST /api/auth/register');
  });

  it('are for anyone', async () => {
    const rules = accessRules(await mailed()).map(({ endpoint, access }) => `${endpoint}: ${access.says}`);
    expect(rules).to.include.members([
      'POST /api/auth/accept: anyone',
      'POST /api/auth/forgot: anyone',
      'POST /api/auth/logout: @auth is not null',
    ]);
  });

  it('have tables only where an application has such mails', async () => {
    const own = async (definition: ReturnType<typeof plain>) =>
      schemaFromDefinition(await definition)
        .tables.map(({ name }) => name)
        .filter((name) => /mail|unverified/.test(name));
    expect([await own(plain()), await own(mailed())]).to.deep.equal([[], ['kiln_mail_tokens', 'kiln_unverified']]);
  });
});
