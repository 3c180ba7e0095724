/** What others see of webhooks: the document, the client, and what a release changes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { problemsBetween } from '../../compiler/change/problems.ts';
import { apiChanges } from '../../compiler/difference/api-changes.ts';
import { workChanges } from '../../compiler/difference/work-changes.ts';
import { jobMatrix } from '../../compiler/difference/work-rules.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { clientFrom, documentFrom, typeProblems } from './client/clients.ts';
import { definitionOf } from './openapi/documents.ts';

const MODELS = `
model Hook { field url { type string }  field secret { type string, secret }  field active { type boolean, default true } }
model Order { field total { type decimal(10, 2) }  field paid { type boolean, default false } }
shape OrderCard of Order { id, total }
api { entrypoint Order { response OrderCard  create endpoint {}  update endpoint {} } entrypoint Hook { create endpoint {} } }
`;
const CREATED = `
webhook "order.created" { on create of Order as order  to Hook as hook { url hook.url, secret hook.secret }  body { id, total } }`;
const PAID = `
/// An order was paid.
webhook "order.paid" {
  on update of Order as order when order.paid and not before.paid
  to Hook as hook { url hook.url, secret hook.secret, when hook.active }
  body OrderCard
  gone { update hook { set active false } }
}`;

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('webhooks for others', () => {
  before(() => loadGrammar());
  const compiled = (text: string) => definitionOf([{ path: 'main.kiln', text }]);

  it('take any names for their records', () => {
    const [time, body] = ['event_time', 'event_body'];
    const source = `
webhook "order.created" {
  on create of Order as ${time}
  to Hook as ${body} { url ${body}.url, secret ${body}.secret, when ${time}.paid }
  body { id }
}`;
    const inputs = (compiled(MODELS + source).jobs ?? []).map((job) => job.inputs.map(({ name }) => name));
    expect(inputs).to.have.deep.members([
      ['record_id', 'event_time'],
      ['receiver_id', 'event_body'],
    ]);
  });

  it('are in the document, with the component of a shape', () => {
    const { webhooks = {} } = documentFrom(compiled(MODELS + CREATED + PAID), 'test');
    expect(Object.keys(webhooks)).to.deep.equal(['order.created', 'order.paid']);
    const { post } = webhooks['order.paid'] ?? {};
    expect(post?.summary).to.equal('An order was paid.');
    expect(post?.parameters?.map(({ name }) => name)).to.deep.equal([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(post?.requestBody?.content['application/json']?.schema.properties).to.deep.include({
      type: { const: 'order.paid' },
      data: { $ref: '#/components/schemas/OrderCard' },
    });
  });

  it('change the contract of the document', () => {
    const [without, with_] = [MODELS, MODELS + CREATED].map(
      (text) => documentFrom(compiled(text), 'test')['x-kiln-contract'],
    );
    expect(without).to.not.equal(with_);
  });

  it('are verified by the client, which gives the event by its type', async () => {
    const { typescript } = clientFrom(compiled(MODELS + CREATED + PAID), 'test');
    const folder = mkdtempSync(join(tmpdir(), 'kiln-webhook-'));
    try {
      const file = join(folder, 'client.mts');
      writeFileSync(file, typescript);
      writeFileSync(
        join(folder, 'use.mts'),
        `import { verifyWebhook } from './client.mts';
export async function total(headers: Headers, body: string): Promise<string> {
  const event = await verifyWebhook('', headers, body);
  return event.type === 'order.paid' ? event.data.total : String(event.data.id);
}\n`,
      );
      expect(typeProblems([join(folder, 'use.mts')], 'node')).to.equal('');
      const { code } = await transform(typescript, { loader: 'ts' });
      writeFileSync(join(folder, 'client.mjs'), code);
      const { verifyWebhook } = await import(pathToFileURL(join(folder, 'client.mjs')).href);
      const body = JSON.stringify({
        type: 'order.paid',
        timestamp: '2026-01-01T00:00:00Z',
        data: { id: 1, total: '9.90' },
      });
      const signed = (at: Date, secret = SECRET) => ({
        'webhook-id': '17',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `v1,AAAA v1,%ä v1,A v2,x ${new Webhook(secret).sign('17', at, body)}`,
      });
      const now = new Date();
      expect(await verifyWebhook(SECRET, signed(now), body)).to.deep.equal(JSON.parse(body));
      expect(await verifyWebhook(SECRET, new Headers(signed(now)), body)).to.deep.equal(JSON.parse(body));
      const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
      for (const [headers, text] of [
        [signed(now), `${body} `],
        [signed(now, other), body],
        [signed(new Date(now.getTime() - 400_000)), body],
        [signed(new Date(now.getTime() + 400_000)), body],
        [{}, body],
      ]) {
        const error = await verifyWebhook(SECRET, headers, text).catch((thrown: Error) => thrown);
        expect(error, JSON.stringify(headers)).to.be.an('error');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('cost a client nothing where there are none', () => {
    expect(clientFrom(compiled(MODELS), 'test').typescript).to.not.match(/webhook/i);
  });

  it('are compared like responses', () => {
    const changes = (before: string, after: string) =>
      apiChanges(compiled(MODELS + before), compiled(MODELS + after)).map(
        ({ level, rule, says }) => `${level} ${rule}: ${says}`,
      );
    expect(changes(CREATED, '')).to.deep.equal(['breaking webhook-removed: webhook order.created is removed']);
    expect(changes('', CREATED)).to.deep.equal(['compatible webhook-added: webhook order.created is new']);
    expect(changes(CREATED, CREATED)).to.deep.equal([]);
    const [removed, ...others] = changes(CREATED, CREATED.replace('id, total', 'id'));
    expect(others).to.deep.equal([]);
    expect(removed).to.match(/^breaking property-removed: webhook order\.created: .*`total`/);
  });

  it('say what becomes of deliveries that wait, and need no `drop job`', () => {
    const [before, after] = [compiled(MODELS + CREATED), compiled(MODELS)];
    expect(problemsBetween(before, after)).to.deep.equal([]);
    expect(workChanges(before, after).map(({ says }) => says)).to.include(
      'the job `deliver order.created` is gone; jobs that wait are removed when the previous release is no longer served',
    );
  });

  it('can have other names for their records while deliveries wait, but no other records', () => {
    const renamed = CREATED.replace(
      'as hook { url hook.url, secret hook.secret }',
      'as each { url each.url, secret each.secret }',
    );
    const [before, after] = [compiled(MODELS + CREATED), compiled(MODELS + renamed)];
    expect(problemsBetween(before, after)).to.deep.equal([]);
    const fixed = compiled(
      `setting URL {}\nsetting KEY { secret }${MODELS}${CREATED.replace('Hook as hook { url hook.url, secret hook.secret }', '{ url setting(URL), secret setting(KEY) }')}`,
    );
    expect(problemsBetween(before, fixed).map(({ code }) => code)).to.deep.equal(['job-input-changed']);
  });

  it('are jobs with a guarantee in `kiln access`', () => {
    expect(
      jobMatrix(compiled(MODELS + PAID)).map(({ job, guarantee, runBy }) => [job, guarantee, ...runBy]),
    ).to.deep.equal([
      ['deliver order.paid', 'at least once', 'job webhook order.paid'],
      ['webhook order.paid', 'exactly once', 'on update of Order'],
    ]);
  });
});
