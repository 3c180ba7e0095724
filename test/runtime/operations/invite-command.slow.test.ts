/** `invite` of an image as a command: its arguments, what it says, and its exit codes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { definitionOf } from './running.ts';

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');

const SOURCE = `
enum Role { member, admin }
model User {
  field email { type string, unique, validate { isEmail() } }
  field password_hash { type string, secret }
  field role { type Role, default "member" }
  field motto { type string, default "" }
}
mail Invitation {
  input user { to User }  input token { type string }
  to user.email  subject "Welcome"  body "token.html"
}
auth { model User, login email, password password_hash, invite with Invitation }`;

describe('the command invite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-invite-'));
  let database: TestDatabase;

  before(async () => {
    buildOnce();
    database = await createDatabase();
    const definition = await definitionOf(SOURCE, {}, { 'mails/token.html': '<p>{{ token }}</p>' });
    await database.client.query(schemaSql(schemaFromDefinition(definition)));
    writeFileSync(join(folder, 'definition.json'), definitionText(definition));
    writeFileSync(join(folder, 'openapi.json'), '{}');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function invite(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, KILN_APP: folder, DATABASE_URL: database.url, ...more };
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'invite', ...args], {
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }
  const usage = 'Write `invite LOGIN --set FIELD=VALUE`, with a `--set` for each field.\n';
  const accounts = async () => (await database.client.query('SELECT email, role, motto FROM "user" ORDER BY id')).rows;

  for (const args of [
    [],
    ['--set', 'role=admin'],
    ['ada@example.com', 'role=admin'],
    ['ada@example.com', '--set'],
    ['ada@example.com', '--set', 'role'],
    ['ada@example.com', '--set', '=admin'],
    ['ada@example.com', '--role', 'admin'],
    ['ada@example.com', '--set', ''],
  ])
    it(`ends with 2 for wrong arguments: ${JSON.stringify(args)}`, async () => {
      expect(invite(args)).to.deep.equal({ status: 2, stdout: '', stderr: usage });
      expect(await accounts()).to.deep.equal([]);
    });

  it('ends with 1 and names what is wrong, and nothing is stored', async () => {
    const boss = invite(['ada@example.com', '--set', 'role=boss']);
    expect(boss).to.deep.include({ status: 1, stdout: '' });
    expect(boss.stderr).to.match(/^--set role=…: `role` must be one of .*\n$/);
    expect(invite(['ada']).stderr).to.match(/^ada: `email` .*\n$/);
    expect(invite(['ada@example.com', '--set', 'rol=admin'])).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'There is no field `rol` to set. There are role, motto.\n',
    });
    expect(invite(['ada@example.com'], { DATABASE_URL: '' })).to.deep.include({ status: 1, stdout: '' });
    expect(await accounts()).to.deep.equal([]);
  });

  it('ends with 0 for an account that is made or was invited before, and keeps `=` and blanks in values', async () => {
    const made = invite(['ada@example.com', '--set', 'role=admin', '--set=motto=a = b c']);
    expect(made).to.deep.equal({
      status: 0,
      stdout: 'Made an account for ada@example.com; its invitation is sent by the servers.\n',
      stderr: '',
    });
    expect(invite(['ada@example.com'])).to.deep.include({ status: 0, stderr: '' });
    expect(await accounts()).to.deep.equal([{ email: 'ada@example.com', role: 'admin', motto: 'a = b c' }]);
    expect((await database.client.query('SELECT FROM kiln_jobs')).rowCount).to.be.within(1, 2);
  });
});
