/** What the console makes of an API's document, without a browser. */
import { expect } from 'chai';
import { digitsPattern } from '../../compiler/definition/digits.ts';
import { operationsOf } from '../../compiler/emit/client/operations.ts';
import { type ClientNode, treeOf } from '../../compiler/emit/client/tree.ts';
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { search } from '../../console/search/search-index.ts';
import { type Api, type ApiOperation, accessOf, apiOf } from '../../console/state/operations.ts';
import { constraintsOf, fieldsOf, namedBy, typeLabel } from '../../console/state/schema.ts';
import {
  type Draft,
  exampleDraft,
  firstDraft,
  givenDraft,
  httpRequestOf,
  textFrom,
  valueFrom,
} from '../../console/try/request.ts';
import { clientMethod, samplesOf } from '../../console/try/samples.ts';
import { definitionOf, EXAMPLES, exampleDefinition } from '../compiler/openapi/documents.ts';

describe('the reference of the console', () => {
  const apis = new Map<string, Api>();

  before(async () => {
    await loadGrammar();
    for (const example of EXAMPLES) apis.set(example, apiOf(documentOf(example)));
  });

  const api = (example: string): Api => apis.get(example) as Api;
  const operation = (example: string, id: string): ApiOperation => api(example).byId.get(id) as ApiOperation;
  const sample = (example: string, id: string, name: string, draft?: Draft): string => {
    const known = operation(example, id);
    const samples = samplesOf({
      api: api(example),
      operation: known,
      draft: draft ?? exampleDraft(known, api(example).document),
      server: 'https://shop.example/front',
    });
    return samples.find((each) => each.name === name)?.text ?? '';
  };

  it('knows of which record an input of a body is, whatever is said before', () => {
    const inputOf = (example: string, id: string, name: string) => {
      const schema = operation(example, id).operation.requestBody?.content['application/json']?.schema ?? {};
      const field = fieldsOf(schema, api(example).document).find((each) => each.name === name);
      return namedBy(field?.schema.description);
    };
    expect(inputOf('blog', 'postCreate', 'author_email')).to.deep.equal({ model: 'Author', field: 'email' });
    expect(inputOf('projects', 'teamsMembersCreate', 'user_email')).to.deep.equal({ model: 'User', field: 'email' });
    expect(inputOf('blog', 'postCreate', 'title')).to.equal(null);
  });

  for (const example of EXAMPLES) {
    it(`calls the operations of ${example} by the names of the generated client`, () => {
      const definition = exampleDefinition(example);
      const expected = namesIn(treeOf(operationsOf(definition, documentOf(example))), 'client');
      const names = [...api(example).byId.values()].map(
        (each) => `${each.method} ${each.path} ${clientMethod(api(example), each, {}).replace(/\('[^)]*'\)/g, '()')}`,
      );
      expect(names.toSorted()).to.deep.equal(expected.toSorted());
    });

    it(`knows of which record each parameter of a path of ${example} is`, () => {
      const parameters = [...api(example).byId.values()].flatMap(({ operation: { parameters: all = [] } }) =>
        all.filter((each) => each.in === 'path'),
      );
      expect(parameters.filter(({ description }) => namedBy(description) === null)).to.deep.equal([]);
    });
  }

  it('has groups in the order of the side bar, those of named APIs under a heading', () => {
    expect(
      api('shop')
        .groups.slice(0, 3)
        .map(({ heading, label, depth }) => ({ heading, label, depth })),
    ).to.deep.equal([
      { heading: 'backoffice', label: 'coupons', depth: 0 },
      { heading: null, label: 'customers', depth: 0 },
      { heading: null, label: 'orders', depth: 0 },
    ]);
    const comments = api('blog').groups.find(({ tag }) => tag === 'post.comments');
    expect(comments).to.include({ label: 'comments', depth: 1, heading: null });
  });

  it('writes a request for curl and the client', () => {
    expect(
      sample('blog', 'postUpdate', 'curl'),
    ).to.equal(`curl -X PATCH 'https://shop.example/front/api/post/hello-world' \\
  -H 'Content-Type: application/json' \\
  -d '{
  "slug": "hello-world",
  "title": "Title",
  "body": "Body"
}'`);
    expect(sample('helpdesk', 'organisationsTicketsMessagesCreate', 'typescript')).to.match(
      /createClient\(\{ baseUrl: 'https:\/\/shop\.example\/front', token \}\);\nconst result = await client\.organisations\('[^']+'\)\.tickets\(\d+\)\.messages\.create\(\{/,
    );
    expect(sample('shop', 'backofficeCouponsDelete', 'curl')).to.match(
      /^curl -X DELETE 'https:\/\/shop\.example\/front\/api\/backoffice\/coupons\/\S+' \\\n {2}-H "Authorization: Bearer \$TOKEN"$/,
    );
  });

  it('quotes what a shell and a program would read', () => {
    const draft: Draft = { path: { post_slug: "it's/new" }, query: {}, body: { title: "it's" } };
    expect(sample('blog', 'postUpdate', 'curl', draft))
      .to.include(`"title": "it'\\''s"`)
      .and.include(`it'\\''s%2Fnew`);
    expect(sample('blog', 'postUpdate', 'typescript', draft)).to.include(
      `post('it\\'s/new').update({ title: 'it\\'s' })`,
    );
  });

  it('puts filters, sort keys and pages into the query', () => {
    const query = {
      seats: { operator: 'gte', text: '10' },
      floor: { operator: '', text: '2' },
      sort: { operator: '', text: '-name,floor' },
      q: { operator: '', text: '' },
    };
    const draft = { path: {}, query, body: undefined };
    expect(httpRequestOf(operation('bookings', 'roomsList'), draft)).to.deep.equal({
      method: 'GET',
      target: '/api/rooms?seats[gte]=10&floor=2&sort=-name%2Cfloor',
      body: null,
    });
    expect(sample('bookings', 'roomsList', 'typescript', draft)).to.include(
      `rooms.list({ seats: { gte: 10 }, floor: 2, sort: ['-name', 'floor'] })`,
    );
  });

  it('begins a form with what is required', () => {
    const { body, path } = firstDraft(operation('blog', 'postCreate'), api('blog').document);
    expect([Object.keys(body as object), path]).to.deep.equal([['author_email', 'slug', 'title'], {}]);
    expect(firstDraft(operation('blog', 'postList'), api('blog').document).body).to.equal(undefined);
  });

  it('takes values from the address', () => {
    const known = operation('blog', 'postUpdate');
    const first = firstDraft(known, api('blog').document);
    const given = (query: string) => givenDraft(known, first, new URLSearchParams(query));
    expect(given('try=')).to.equal(null);
    expect(given('post_slug=mine&body={"title":"Mine"}')).to.deep.equal({
      path: { post_slug: 'mine' },
      query: {},
      body: { title: 'Mine' },
    });
    expect(given('post_slug=mine&body={')?.body).to.deep.equal({});
  });

  it('says who may call', () => {
    const access = (example: string, id: string) => accessOf(operation(example, id).operation);
    expect([
      access('blog', 'postList'),
      access('shop', 'storeProductsGet'),
      access('helpdesk', 'authMe'),
      access('helpdesk', 'agentsCreate'),
    ]).to.deep.equal(['anyone', 'optional', 'signed-in', 'rule']);
  });

  it('says that a service signs, without a token and without the client', () => {
    const text = `setting KEY { secret }  model Note { field text { type string } }
      api { entrypoint Note { POST many "take" { signed by github { secret KEY } action { create Note { input { text } } } } } }`;
    const own = apiOf(openApiFromDefinition(definitionOf([{ path: 'main.kiln', text }]), { title: 'a', version: '1' }));
    const take = own.byId.get('noteTake') as ApiOperation;
    const samples = samplesOf({
      api: own,
      operation: take,
      draft: exampleDraft(take, own.document),
      server: 'https://a.example',
    });
    expect(accessOf(take.operation)).to.equal('signed');
    expect(samples.map(({ name }) => name)).to.deep.equal(['curl']);
    for (const each of samples) expect(each.text).to.not.contain('Bearer');
  });

  it('says what an input must be', () => {
    const { document } = api('blog');
    const schema = operation('blog', 'postCreate').operation.requestBody?.content['application/json']?.schema ?? {};
    const fields = fieldsOf(schema, document).map(
      ({ name, schema: each, isRequired }) =>
        `${name} ${typeLabel(each, document)} ${isRequired} ${constraintsOf(each).join('; ')}`,
    );
    expect(fields).to.deep.equal([
      'author_email string true ',
      'slug string true ',
      'title string true 4 to 200 characters',
      'body string false ',
      'cover file false ',
    ]);
    expect(constraintsOf({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).to.deep.equal([
      'at least 1',
    ]);
    expect(constraintsOf({ type: 'string', minLength: 1 })).to.deep.equal(['not empty']);
  });

  it('says how many digits a decimal has, whether it is sent or received', () => {
    const digits = [
      { all: 8, places: 2 },
      { all: 2, places: 2 },
      { all: 4, places: 0 },
    ];
    for (const each of digits)
      for (const isSent of [true, false]) {
        const schema = { type: 'string', format: 'decimal', pattern: digitsPattern(each, isSent) } as const;
        expect(typeLabel(schema, api('blog').document)).to.equal(`decimal(${each.all}, ${each.places})`);
      }
    expect(typeLabel({ type: 'string', format: 'decimal' }, api('blog').document)).to.equal('decimal');
  });

  it('finds operations by words of paths, names, texts, fields and errors, the nearest first', () => {
    const found = (phrase: string) => search(api('shop'), phrase).map(({ operation: { id } }) => id);
    expect(found('COUPONS delete')).to.deep.equal(['backofficeCouponsDelete']);
    expect(found('zebra delete')).to.deep.equal([]);
    expect(found('  ')).to.deep.equal([]);
    expect(search(api('helpdesk'), 'ticket conflict')[0]?.operation.path).to.include('/tickets');
    const [first] = search(api('blog'), 'comment_count');
    expect(first?.because).to.match(/^comment_count/);
    expect(search(api('blog'), 'conflict create /api/post')[0]?.operation.id).to.equal('postCreate');
  });

  it('turns texts into values of JSON and back', () => {
    for (const [text, type, value] of [
      ['12', 'integer', 12],
      ['12.', 'integer', '12.'],
      ['true', 'boolean', true],
      ['12', 'string', '12'],
      ['', 'string', undefined],
      [null, 'string', null],
      ['{"a":1}', 'any', { a: 1 }],
      ['{"a":12345678901234567890}', 'any', '{"a":12345678901234567890}'],
      ['12345678901234567890', 'integer', '12345678901234567890'],
    ] as const) {
      expect(valueFrom(text, type)).to.deep.equal(value);
      expect(textFrom(value)).to.equal(text);
    }
  });
});

function documentOf(example: string): OpenApiDocument {
  return openApiFromDefinition(exampleDefinition(example), { title: example, version: '1' });
}

function namesIn(node: ClientNode, before: string): readonly string[] {
  return [
    ...node.methods.map(({ name, value }) => `${value.method} ${value.path} ${before}.${name}`),
    ...node.groups.flatMap(({ name, value }) => namesIn(value, `${before}.${name}`)),
    ...(node.one ? namesIn(node.one, `${before}()`) : []),
  ];
}
