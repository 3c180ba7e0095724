import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { type Client, createClient } from '../../compiler/client/golden/projects.ts';
import { contractIn } from './contract-in.ts';
import { type Live, startExample } from './live.ts';

const PASSWORD = 'a long password';

describe('client of the projects', () => {
  let live: Live;
  let ada: Client;
  let max: Client;
  let gus: Client;
  let sam: Client;

  before(async () => {
    await loadGrammar();
    live = await startExample('projects', contractIn('projects'));
    [ada, max, gus, sam] = (await Promise.all(['ada', 'max', 'gus', 'sam'].map(signedIn))) as [
      Client,
      Client,
      Client,
      Client,
    ];
    await ada.teams.create({ slug: 'crew', name: 'Crew' });
    const { members, labels, projects } = ada.teams('crew');
    await members.create({ user_email: 'max@example.com' });
    await members.create({ user_email: 'gus@example.com', role: 'guest' });
    for (const name of ['bug', 'idea']) await labels.create({ name });
    for (const key of ['WEB', 'APP']) await projects.create({ key, name: key, hourly_rate: '80', budget: '100' });
  });

  after(() => live.stop());

  async function signedIn(name: string): Promise<Client> {
    const client = createClient({ baseUrl: live.url });
    const account = { email: `${name}@example.com`, password: PASSWORD };
    await client.auth.register({ name, ...account });
    await client.auth.login(account, { keepToken: true });
    return client;
  }

  const tasksOf = (client: Client, key = 'WEB') => client.teams('crew').projects(key).tasks;

  it('shows a team to its members alone', async () => {
    expect(await sam.teams.list()).to.deep.equal([]);
    expect(await sam.teams('crew').get.result()).to.include({ ok: false, code: 'not-found' });
    expect(await tasksOf(sam).list.result()).to.include({ ok: false, code: 'not-found' });
    expect(await gus.teams.list()).to.deep.equal([{ slug: 'crew', name: 'Crew' }]);
  });

  it('lets each role do its part', async () => {
    const roles = [ada, max, gus];
    const created = await Promise.all(roles.map((client) => tasksOf(client).create.result({ title: 'Paint' })));
    expect(created.map(({ status }) => status)).to.deep.equal([201, 201, 403]);
    const renamed = await Promise.all(roles.map((client) => client.teams('crew').update.result({ name: 'Crew' })));
    expect(renamed.map(({ status }) => status)).to.deep.equal([200, 403, 403]);
  });

  it('gives tasks to members, and not to guests or strangers', async () => {
    const { id } = await tasksOf(max).create({ title: 'Sweep' });
    const { assignee } = tasksOf(max)(id);
    expect((await assignee({ user_email: 'max@example.com' })).assignee?.name).to.equal('max');
    for (const user_email of ['gus@example.com', 'sam@example.com'])
      expect(await assignee.result({ user_email })).to.include({ ok: false, code: 'not-a-worker', status: 422 });
    expect((await assignee({ user_email: null })).assignee).to.equal(null);
  });

  it('moves all of the tasks or none', async () => {
    const tasks = tasksOf(max);
    const [first, second] = [await tasks.create({ title: 'First' }), await tasks.create({ title: 'Second' })];
    const other = await tasksOf(max, 'APP').create({ title: 'Of another project' });
    const moved = (id: number, position: number) => ({ task_id: id, status: 'doing', position }) as const;
    await tasks.move({ moves: [moved(first.id, 2), moved(second.id, 1)] });
    const { data } = await tasks.list({ status: 'doing' });
    expect(data.map(({ title }) => title)).to.deep.equal(['Second', 'First']);
    const refused = await tasks.move.result({ moves: [moved(first.id, 9), moved(other.id, 1)] });
    expect(refused).to.include({ ok: false, code: 'other-project' });
    expect((await tasks(first.id).get()).position).to.equal(2);
  });

  it('replaces the labels of a task', async () => {
    const { id } = await tasksOf(max).create({ title: 'Label' });
    const { labels } = tasksOf(max)(id);
    expect((await labels({ names: ['idea', 'bug'] })).labels.map(({ name }) => name)).to.have.members(['bug', 'idea']);
    expect((await labels({ names: ['bug'] })).labels).to.have.length(1);
    expect(await labels.result({ names: ['bug', 'none'] })).to.include({ ok: false, code: 'unknown-label' });
  });

  it('refuses a change of a version that is no longer there', async () => {
    const { id } = await tasksOf(max).create({ title: 'Old' });
    const task = tasksOf(max)(id);
    const { headers } = await task.get.result();
    const version = { headers: { 'if-match': headers?.get('etag') ?? '' } };
    expect((await task.update({ title: 'New' }, version)).title).to.equal('New');
    expect(await task.update.result({ title: 'Newer' }, version)).to.include({ ok: false, code: 'changed-meanwhile' });
  });

  it('is told where its own version is still the one that is there', async () => {
    const { id } = await tasksOf(max).create({ title: 'Old' });
    const task = tasksOf(max)(id);
    const { headers } = await task.get.result();
    const known = { headers: { 'if-none-match': headers?.get('etag') ?? '' } };
    expect(await task.get.result(known)).to.include({ ok: false, code: 'not-modified', status: 304 });
    await task.update({ title: 'New' });
    expect(await task.get(known)).to.include({ title: 'New' });
  });

  it('counts hours and money exactly', async () => {
    const app = ada.teams('crew').projects('APP');
    await app.tasks.create({ title: 'Plan', hours: '1.25' });
    expect(await app.get()).to.include({ hours: '1.25', hourly_rate: '80.00', over_budget: false });
    await app.tasks.create({ title: 'Build', hours: '0.1' });
    expect(await app.get()).to.include({ hours: '1.35', over_budget: true });
  });

  it('hides what is deleted, and brings it back', async () => {
    const crew = ada.teams('crew');
    await crew.projects.create({ key: 'OLD', name: 'Old' });
    await tasksOf(ada, 'OLD').create({ title: 'Kept' });
    await crew.projects('OLD').delete();
    expect(await tasksOf(ada, 'OLD').list.result()).to.include({ ok: false, code: 'not-found' });
    expect((await crew.trash.list()).map(({ key }) => key)).to.deep.equal(['OLD']);
    expect(await max.teams('crew').trash.list.result()).to.include({ ok: false, code: 'forbidden' });
    await crew.trash('OLD').restore();
    expect((await tasksOf(ada, 'OLD').list()).data.map(({ title }) => title)).to.deep.equal(['Kept']);
  });

  it('keeps the last administrator', async () => {
    const { members } = ada.teams('crew');
    const own = (await members.list()).find(({ role }) => role === 'admin');
    const email = own?.user.email ?? '';
    expect(await members(email).delete.result()).to.include({ ok: false, code: 'last-admin', status: 409 });
  });

  it('announces the state of a project, and lets authors remove their comments', async () => {
    expect(await max.teams('crew').projects('WEB').announce.result()).to.include({ ok: true, status: 202 });
    const { id } = await tasksOf(max).create({ title: 'Talk' });
    const written = await tasksOf(gus)(id).comments.create({ text: 'Why?' });
    expect(await tasksOf(max)(id).comments(written.id).delete.result()).to.include({ code: 'forbidden' });
    await tasksOf(gus)(id).comments(written.id).delete();
    expect((await tasksOf(max)(id).comments.list()).data).to.deep.equal([]);
  });
});
