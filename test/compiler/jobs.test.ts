import { expect } from 'chai';
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
});
