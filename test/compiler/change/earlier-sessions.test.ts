import { expect } from 'chai';
import { problemsBetween } from '../../../compiler/change/problems.ts';
import { type PasswordAuth, passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { migrationFrom } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { type Application, startApplication } from '../../support/application.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';
import { expectSchemaOf } from './schema-after.ts';

const SOURCE = `
model User { field email { type string, unique }, field hash { type string, secret } }
auth { model User, login email, password hash }`;
const ADA = { email: 'ada@example.com', password: 'a long password' };

/** As an earlier Kiln has written it. */
function ofEarlierKiln(definition: Definition): Definition {
  const auth = passwordAuthOf(definition) as PasswordAuth;
  const { sessionTables: _, ...password } = auth.password;
  return { ...definition, auth: { ...auth, password } };
}

describe('the tables of sessions of an earlier Kiln', () => {
  let application: Application | undefined;
  before(() => loadGrammar());
  afterEach(() => application?.stop());

  const post = async (path: string, body: object, token = ''): Promise<[number, string]> => {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(`${application?.url}/api/auth/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return [answer.status, text === '' ? '' : (JSON.parse(text) as { token: string }).token];
  };

  it('are what the next release begins with, and it brings them up to date', async () => {
    const next = definitionOf([{ path: 'main.kiln', text: SOURCE }]);
    const previous = ofEarlierKiln(next);
    const { client, url } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
    const { rows } = await client.query(`SELECT to_regclass('kiln_login_failures') AS failures`);
    expect(rows[0].failures).to.equal(null);
    expect(problemsBetween(previous, next)).to.deep.equal([]);
    await runSteps(client, migrationFrom(previous, next).steps);
    await expectSchemaOf(client, next);
    application = await startApplication({ definition: next, databaseUrl: url });
    expect((await post('register', ADA))[0]).to.equal(201);
    expect((await post('login', ADA))[0]).to.equal(200);
  });

  it('still serve a release of that time', async () => {
    const definition = ofEarlierKiln(definitionOf([{ path: 'main.kiln', text: SOURCE }]));
    const { url } = await databaseWithSchema(schemaSql(schemaFromDefinition(definition)));
    application = await startApplication({ definition, databaseUrl: url });
    expect((await post('register', ADA))[0]).to.equal(201);
    const [status, token] = await post('login', ADA);
    expect(status).to.equal(200);
    expect((await post('login', { ...ADA, password: 'wrong' }))[0]).to.equal(401);
    expect((await post('logout', {}, token))[0]).to.equal(204);
    expect((await post('logout', {}, token))[0]).to.equal(401);
  });
});
