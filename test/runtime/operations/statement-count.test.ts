import { expect } from 'chai';
import { pathPattern } from '../../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { configFromEnvironment } from '../../../runtime/config/config.ts';
import { createLog } from '../../../runtime/observe/log.ts';
import { planOf } from '../../../runtime/plan/endpoint-plan.ts';
import { statementCountIn } from '../../../runtime/plan/statement-count.ts';
import { type StartedServer, startServer } from '../../../runtime/serve.ts';
import { definitionOf } from '../../compiler/emit-sql-database.ts';
import { exampleDefinition } from '../../compiler/openapi/documents.ts';
import { type CountedDatabase, countedDatabase } from '../../support/counted-database.ts';
import { createDatabase } from '../../support/postgres.ts';

/** Each of them finds what those before it have made. `most` is how many statements it may take. */
type Requests = readonly [route: string, path: string, body?: object, most?: number][];

const BLOG: Requests = [
  ['POST /api/author', '/api/author', { name: 'Ada', email: 'ada@example.com' }],
  ['POST /api/post', '/api/post', { author_email: 'ada@example.com', slug: 'hello', title: 'Hello' }],
  ['POST /api/post/:post_slug/taggings', '/api/post/hello/taggings', { tag_name: 'tea' }],
  ['POST /api/post/:post_slug/publish', '/api/post/hello/publish'],
  ['POST /api/post/:post_slug/comments', '/api/post/hello/comments', { author_name: 'Bo', body: 'Yes' }],
  ['PATCH /api/post/:post_slug', '/api/post/hello', { title: 'Hello, world' }],
  ['PATCH /api/author/:author_id', '/api/author/1', { name: 'Ada L.' }],
  ['GET /api/author', '/api/author'],
  ['GET /api/author/:author_id', '/api/author/1'],
  ['GET /api/post', '/api/post'],
  ['GET /api/post/:post_slug', '/api/post/hello'],
  ['GET /api/post/:post_slug/comments', '/api/post/hello/comments'],
  ['GET /api/post/:post_slug/comments/:comment_id', '/api/post/hello/comments/1'],
  ['GET /api/tag/:tag_name', '/api/tag/tea'],
  ['GET /api/tag', '/api/tag'],
  ['DELETE /api/post/:post_slug/comments/:comment_id', '/api/post/hello/comments/1'],
  ['DELETE /api/post/:post_slug', '/api/post/hello'],
];

const HUNDRED = Array.from({ length: 100 }, (_, at) => at + 1);

/** For a list of a hundred items it is the same as for one. */
const SHOP_REQUESTS: Requests = [
  ['POST /api/product/add', '/api/product/add', { products: HUNDRED.map((n) => ({ name: `p${n}`, stock: n })) }, 1],
  // The products, the purchase, its lines and the stocks.
  ['POST /api/purchase', '/api/purchase', { lines: HUNDRED.map((n) => ({ product_id: n, quantity: 1 })) }, 4],
  ['POST /api/purchase/:purchase_id/cancel', '/api/purchase/1/cancel'],
  // The product that the others are set by is none of them, so it is read once.
  ['POST /api/product/:product_id/spread', '/api/product/1/spread', {}, 4],
];

const SHOP = `
model Product { field name { type string } field stock { type integer } }
model Purchase { relation lines { from Line, through purchase } }
model Line { reference purchase { to Purchase } reference product { to Product } field quantity { type integer } }
api {
  entrypoint Product as product {
    POST many "add" {
      extra inputs { list products { field name { type string } field stock { type integer } } }
      action { for each in products { create Product { set name each.name, set stock each.stock } } }
    }
    POST one "spread" {
      action {
        query as others { from Product as other, filter { other is not product } }
        for other in others { update other { set stock product.stock } }
      }
    }
  }
  entrypoint Purchase as purchase {
    create endpoint as made {
      extra inputs { list lines { reference product { to Product } field quantity { type integer } } }
      action {
        create {}
        for line in lines {
          create made.lines { set product line.product, set quantity line.quantity }
          update line.product { set stock line.product.stock - line.quantity }
        }
      }
    }
    POST one "cancel" {
      action {
        for line in purchase.lines {
          update line { set quantity 0 - line.quantity }
          delete line {}
        }
      }
    }
  }
}`;

describe('the number of statements of a request', () => {
  describeRequests('the blog', () => exampleDefinition('blog'), BLOG);
  describeRequests('the shop', () => definitionOf([{ path: 'shop.kiln', text: SHOP }]), SHOP_REQUESTS);
});

function describeRequests(name: string, read: () => Definition, requests: Requests): void {
  describe(`of ${name}`, () => countedRequests(name, read, requests));
}

function countedRequests(name: string, readDefinition: () => Definition, requests: Requests): void {
  let definition: Definition;
  let counted: CountedDatabase;
  let server: StartedServer;
  /** `BEGIN` has no name, and is none. Servers that work are told of jobs, such as those that remove files, after the response. */
  const statements = () => counted.messages.filter((message) => /^B (?!kiln_notify$)./.test(message)).length;

  before(async () => {
    await loadGrammar();
    definition = readDefinition();
    const { url, client } = await createDatabase();
    await client.query(schemaSql(schemaFromDefinition(definition)));
    counted = await countedDatabase(url);
    const read = configFromEnvironment({
      DATABASE_URL: counted.url,
      PORT: '0',
      HOST: '127.0.0.1',
      SHUTDOWN_GRACE: '0',
      // The server's own looks for jobs would be counted.
      JOBS: '0',
    });
    if (!read.ok) throw new Error(read.problems.join('\n'));
    server = await startServer({ definition, hooks: {}, config: read.config, log: createLog('silent') });
    // The first connection asks for what all of them have to know.
    expect((await fetch(`${server.url}/readyz`)).status).to.equal(200);
  });

  after(async () => {
    await server?.stop();
    await counted?.close();
  });

  for (const [route, path, body, most] of requests) {
    it(`of ${route} is as counted`, async () => {
      const endpoint = definition.endpoints.find((one) => `${one.method} ${pathPattern(one.path)}` === route);
      if (!endpoint) throw new Error(`${name} has no ${route}`);
      const before = statements();
      const response = await fetch(`${server.url}${path}`, {
        method: endpoint.method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      expect(response.ok, await response.text()).to.equal(true);
      const sent = statements() - before;
      expect(statementCountIn(definition)(planOf(endpoint, definition))).to.equal(sent);
      if (most !== undefined) expect(sent).to.be.at.most(most);
    });
  }
}
