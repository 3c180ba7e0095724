import { expect } from 'chai';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type Job, jobKind, readsKind } from '../../compiler/definition/work.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { hookTypes } from '../../pipeline/hooks/write-types.ts';
import { clientFrom, documentFrom } from './client/clients.ts';
import { definitionOf } from './openapi/documents.ts';

const ORDERS = `
model Order { field paid { type boolean, default false }  field sent { type boolean, default false } }
api {
  entrypoint Order as order {
    authorize { true }
    create endpoint {}
    POST one "pay" { action { update order { set paid true } } }
  }
}
`;

const WITH_JOBS = `
${ORDERS.replace('set paid true }', 'set paid true } run Send { order: order } once per order')}
job Send {
  input order { to Order }
  input note { type string, nullable }
  action {
    execute { hook { arg order order, arg note note, source send from "mail" } }
    update order { set sent true }
  }
  on failure { update order { set sent false } }
}
on create of Order as order { run Send { order: order } }
`;

describe('jobs', () => {
  before(() => loadGrammar());
  const definitions = () =>
    [ORDERS, WITH_JOBS].map((text) =>
      definitionOf([{ path: 'main.kiln', text }], (path) =>
        path === 'hooks/mail.ts' ? 'export function send() {}' : undefined,
      ),
    );

  it('change neither the document nor the client of an API', () => {
    const [plain, withJobs] = definitions().map((definition) =>
      JSON.stringify([documentFrom(definition, 'orders'), clientFrom(definition, 'orders')]),
    );
    expect(withJobs).to.contain('/pay').and.to.equal(plain);
  });

  it('may wait for a time that is out of range, which the document tells as of any calculation', () => {
    const text = WITH_JOBS.replace('once per order', 'after days(order.id)');
    const definition = definitionOf([{ path: 'main.kiln', text }], () => 'export function send() {}');
    const { responses } = documentFrom(definition, 'orders').paths['/api/order/{order_id}/pay']?.post ?? {};
    expect(responses).to.include.keys('422');
  });

  it('are not in the definition of a program without them', () => {
    const [plain] = definitions();
    expect(plain).to.not.have.any.keys('jobs', 'reactions', 'droppedJobs');
  });

  it('give their hooks a context without a request', () => {
    const [plain, withJobs] = definitions().map((definition) => hookTypes(definition));
    expect(plain).to.equal(undefined);
    expect(withJobs).to.contain("JobContext extends Omit<Context, 'request' | 'response' | 'auth'>");
    expect(withJobs).to.match(/interface SendArgs \{[^}]*order: \{[^}]*sent: boolean/);
  });

  it('are read by releases that know all values of their enums', () => {
    const job = { name: 'Paint', was: null, inputs: [{ name: 'in', type: { kind: 'enum', enum: 'Colour' } }] };
    const withValues = (...names: readonly string[]) => {
      const enums = [{ name: 'Colour', values: names.map((name) => ({ name })) }];
      const kind = jobKind(job as unknown as Job, { enums } as unknown as Definition);
      return {
        kind,
        reads: (other: string) => readsKind(job as unknown as Job, other, { enums } as unknown as Definition),
      };
    };
    const many = Array.from({ length: 400 }, (_, at) => `colour_${at}`);
    const [two, other, three, all] = [
      ['red', 'blue'],
      ['blue', 'green'],
      ['blue', 'green', 'red'],
      ['red', ...many],
    ].map((names) => withValues(...names)) as [Known, Known, Known, Known];
    type Known = ReturnType<typeof withValues>;
    expect(two.kind).to.equal('Paint(in enum(blue|red))');
    expect([two, other].map(({ kind }) => three.reads(kind))).to.deep.equal([true, true]);
    expect([other, three, all].map(({ kind }) => two.reads(kind))).to.deep.equal([false, false, false]);
    // A kind is indexed, so it is not longer than Postgres allows.
    expect(all.kind.length).to.be.below(2500);
    expect(all.reads(withValues('red', 'colour_7').kind)).to.equal(true);
    expect(withValues(...many, 'red', 'blue').reads(all.kind)).to.equal(true);
    expect(all.reads(withValues(...many, 'red', 'blue').kind)).to.equal(false);
  });
});
