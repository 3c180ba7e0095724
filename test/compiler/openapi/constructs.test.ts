import { expect } from 'chai';
import type { OpenApiDocument, Operation, Response, Schema } from '../../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { definitionOf, documentOf, operationIn, routesOf, schemaIn } from './documents.ts';

describe('OpenAPI of', () => {
  before(() => loadGrammar());

  describe('fields', () => {
    it('says the type of each, and that it may be null', () => {
      const types = 'string integer float boolean decimal timestamp date uuid json Mood'.split(' ');
      const fields = types.map((type) => `field a_${type} { type ${type} } field n_${type} { type ${type}, nullable }`);
      const document = documentOf(`enum Mood { sad, happy } model Thing { ${fields.join(' ')} }
        api { entrypoint Thing { list endpoint {} } }`);
      const mood = { $ref: '#/components/schemas/Mood' };
      const decimal = { format: 'decimal', pattern: '^-?[0-9]+(\\.[0-9]+)?$' };
      expect(schemaIn(document, 'Thing').properties).to.deep.equal({
        id: { type: 'integer', format: 'int64' },
        a_string: { type: 'string' },
        n_string: { type: ['string', 'null'] },
        a_integer: { type: 'integer', format: 'int64' },
        n_integer: { type: ['integer', 'null'], format: 'int64' },
        a_float: { type: 'number', format: 'double' },
        n_float: { type: ['number', 'null'], format: 'double' },
        a_boolean: { type: 'boolean' },
        n_boolean: { type: ['boolean', 'null'] },
        a_decimal: { type: 'string', ...decimal },
        n_decimal: { type: ['string', 'null'], ...decimal },
        a_timestamp: { type: 'string', format: 'date-time' },
        n_timestamp: { type: ['string', 'null'], format: 'date-time' },
        a_date: { type: 'string', format: 'date' },
        n_date: { type: ['string', 'null'], format: 'date' },
        a_uuid: { type: 'string', format: 'uuid' },
        n_uuid: { type: ['string', 'null'], format: 'uuid' },
        a_json: {},
        n_json: {},
        a_Mood: mood,
        n_Mood: { anyOf: [mood, { type: 'null' }] },
      });
      expect(schemaIn(document, 'Mood')).to.deep.equal({ type: 'string', enum: ['sad', 'happy'] });
    });

    it('says null of what is calculated, because a result that is out of range is null', () => {
      const document = documentOf(`model Thing { field net { type integer }, field name { type string }
          computed gross { net * 2 }, computed large { net * 2 > 5 }, computed label { name + "!" }, computed same { net } }
        api { entrypoint Thing { list endpoint { response { gross, large, label, same } } } }`);
      expect(schemaIn(document, 'Thing').properties).to.deep.equal({
        gross: { type: ['integer', 'null'], format: 'int64' },
        large: { type: ['boolean', 'null'] },
        label: { type: 'string' },
        same: { type: 'integer', format: 'int64' },
      });
    });

    it('takes a secret, and never gives it', () => {
      const document = documentOf(`model User { field name { type string }, field pin { type string, secret } }
        api { entrypoint User { create endpoint {} } }`);
      expect(Object.keys(schemaIn(document, 'User').properties ?? {})).to.deep.equal(['id', 'name']);
      expect(input(document, 'UserCreate', 'pin')).to.deep.equal({
        type: 'string',
        writeOnly: true,
        format: 'password',
      });
    });
  });

  describe('inputs', () => {
    it('says what is required, what may be left out, and what it is then', () => {
      const document = documentOf(`model Post { field title { type string }, field body { type string, default "" }
          field rank { type decimal, default 0.50 }, field at { type timestamp, default now() }, field note { type string, nullable } }
        api { entrypoint Post { create endpoint {}, update endpoint {} } }`);
      expect(schemaIn(document, 'PostCreate').required).to.deep.equal(['title']);
      expect(schemaIn(document, 'PostUpdate').required).to.equal(undefined);
      expect(input(document, 'PostCreate', 'body')).to.deep.equal({ type: 'string', default: '' });
      expect(input(document, 'PostCreate', 'rank').default).to.equal('0.50');
      expect(input(document, 'PostCreate', 'at')).to.not.have.property('default');
      expect(input(document, 'PostCreate', 'note')).to.deep.equal({ type: ['string', 'null'] });
      expect(operationIn(document, 'postCreate').requestBody?.required).to.equal(true);
      expect(operationIn(document, 'postUpdate').requestBody?.required).to.equal(false);
    });

    it('lists the form that takes files themselves, with the inputs of a group as parts', () => {
      const document =
        documentOf(`model Post { field title { type string } field cover { type file, accept { "image/png" }, max "1kb" } }
        model Tag { field name { type string } }
        api { entrypoint Post {
          get endpoint {}
          create endpoint { action { create {} create Tag as tag { input { name } } } }
          delete endpoint {}
        } entrypoint Tag { create endpoint {} } }`);
      const content = operationIn(document, 'postCreate').requestBody?.content ?? {};
      const remark = 'Its type is one of image/png. It has at most 1024 bytes.';
      expect(Object.keys(content)).to.deep.equal(['application/json', 'multipart/form-data']);
      expect(content['multipart/form-data']?.schema).to.deep.equal({
        type: 'object',
        properties: {
          title: { type: 'string' },
          cover: { type: 'string', format: 'binary', description: `The file itself. ${remark}` },
          'tag.name': { type: 'string' },
        },
        required: ['title', 'cover', 'tag.name'],
      });
      const ofTag = operationIn(document, 'tagCreate').requestBody?.content ?? {};
      expect(Object.keys(ofTag)).to.deep.equal(['application/json']);
    });

    it('says which files an upload takes, and gives an example that is taken', () => {
      const document = documentOf(`model Post {
          field cover { type file, nullable, accept { "image/png", "image/svg+xml" }, max "1kb" }
          field film { type file, nullable, accept { "video/*", "text/*", "image/svg+xml" } }
          field other_part { type file, nullable }
        }
        api { entrypoint Post { get endpoint {} create endpoint {} } }`);
      const typeOf = (part: string) => input(document, `PostCreate${part}Upload`, 'type');
      expect(typeOf('Cover').enum).to.deep.equal(['image/png', 'image/svg+xml']);
      const film = new RegExp(typeOf('Film').pattern ?? '', 'u');
      const types = ['video/mp4', 'image/svg+xml', 'text/css', 'text/html', 'image/svgxxml', 'video/', 'a/video/mp4'];
      expect(types.filter((type) => film.test(type))).to.deep.equal(['video/mp4', 'image/svg+xml', 'text/css']);
      expect(input(document, 'PostCreateCoverUpload', 'size')).to.deep.include({ minimum: 1, maximum: 1024 });
      const sent = (id: string) => operationIn(document, id).requestBody?.content['application/json']?.example;
      expect(sent('postCreateCoverUpload')).to.deep.equal({ name: 'Name', type: 'image/png', size: 1 });
      expect(sent('postCreateFilmUpload')).to.include({ type: 'video/mp4' });
      expect(sent('postCreateOtherPartUpload')).to.include({ type: 'image/png' });
      expect(sent('postCreate')).to.deep.equal({});
      expect(operationIn(document, 'postCreateOtherPartUpload').summary).to.equal('Upload Post other part (create)');
      expect(operationIn(document, 'postGetOtherPart').summary).to.equal('Get Post other part');
    });

    it('keeps integers to what JSON passes on exactly, and json from null', () => {
      const document = documentOf(`model Thing { field count { type integer }, field data { type json } }
        api { entrypoint Thing { create endpoint {} } }`);
      const limits = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
      expect(input(document, 'ThingCreate', 'count')).to.deep.equal({ type: 'integer', format: 'int64', ...limits });
      expect(input(document, 'ThingCreate', 'data').type).to.not.include('null');
    });

    it('names the records that are found, and groups what other actions take', () => {
      const document = documentOf(`model Author { field email { type string, unique } }
        model Post { reference author { to Author } }
        api { entrypoint Post { create endpoint { action {
          create { reference author { through email } }
          create Author as other { input { email } }
        } } } }`);
      const { properties, required } = schemaIn(document, 'PostCreate');
      expect(properties?.author_email).to.deep.equal({
        type: 'string',
        description: 'The `email` of an existing `Author`.',
      });
      expect(properties?.other?.required).to.deep.equal(['email']);
      expect(required).to.deep.equal(['author_email', 'other']);
    });

    it('are parameters of the query for GET and DELETE', () => {
      const document = documentOf(`enum Tone { kind, stern } model Post {}
        api { entrypoint Post as post {
          list endpoint { extra inputs { field tone { type Tone, nullable }, field least { type integer, default 2, validate { min(1) } } }, paginable { pageSize 5, max 9 } }
          delete endpoint { extra inputs { field why { type string } } }
        } }`);
      const { parameters = [] } = operationIn(document, 'postList');
      expect(
        parameters.map(({ name, schema }) => [name, schema.minimum, schema.maximum, schema.default]),
      ).to.deep.equal([
        ['page', 1, 1_000_000_000_000, 1],
        ['pageSize', 1, 9, 5],
        ['tone', undefined, undefined, undefined],
        ['least', 1, Number.MAX_SAFE_INTEGER, 2],
      ]);
      expect(parameters[2]?.schema).to.deep.equal({ $ref: '#/components/schemas/Tone' });
      expect(
        operationIn(document, 'postDelete').parameters?.map(({ name, required }) => [name, required]),
      ).to.deep.equal([
        ['post_id', true],
        ['why', true],
      ]);
    });
  });

  describe('validators', () => {
    const cases: readonly (readonly [string, string, Schema])[] = [
      ['string', 'minLength(2) and maxLength(9) and maxLength(5)', { type: 'string', minLength: 2, maxLength: 5 }],
      ['string', 'pattern("^a") and pattern("b$")', { type: 'string', pattern: '^a', allOf: [{ pattern: 'b$' }] }],
      ['string', 'alphanumeric()', { type: 'string', pattern: '^[A-Za-z0-9]+$' }],
      ['string', 'oneOf("a", "b")', { type: 'string', enum: ['a', 'b'] }],
      ['string', 'isEqual("a") or minLength(3)', { type: 'string', anyOf: [{ const: 'a' }, { minLength: 3 }] }],
      ['string', 'not isEqual("a")', { type: 'string', not: { const: 'a' } }],
      ['float', 'min(0.5) and max(2)', { type: 'number', format: 'double', minimum: 0.5, maximum: 2 }],
      ['boolean', 'isEqual(true)', { type: 'boolean', const: true }],
    ];
    for (const [type, validate, schema] of cases) {
      it(`are keywords where these say the same: ${validate}`, () => {
        expect(validated(type, validate)).to.deep.equal(schema);
      });
    }

    it('are words where no keyword says the same', () => {
      expect(validated('decimal', 'min(0) and oneOf(1, 2.5)').description).to.equal(
        'Must be at least 0. Must be one of "1", "2.5".',
      );
      expect(validated('string', 'isUrl()').description).to.match(/^Must be a URL /);
      expect(validated('string', 'odd(3) or minLength(4)')).to.deep.equal({
        type: 'string',
        description: 'Must pass `odd(3)` or have at least 4 characters.',
      });
    });

    it('do not keep null from what may be null', () => {
      expect(validated('string', 'oneOf("a")', 'nullable')).to.deep.equal({
        anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }],
      });
      expect(validated('string', 'minLength(2)', 'nullable')).to.deep.equal({ type: ['string', 'null'], minLength: 2 });
    });
  });

  describe('names', () => {
    it('share equal answers, and call others after their endpoint', () => {
      const document =
        documentOf(`model Post { field title { type string }, relation comments { from Comment, through post } }
        model Comment { reference post { to Post }, field text { type string } }
        api { entrypoint Post as post {
          list endpoint { paginable }
          get endpoint { response { title, comments } }
          create endpoint {}
          GET one "first" { response { title } }
          entrypoint comments { create endpoint {} }
        } }
        api Desk { entrypoint Post { list endpoint { response { id } }, create endpoint {} } }`);
      expect(Object.keys(document.components.schemas)).to.deep.equal([
        'Comment',
        'CommentCreate',
        'DeskPostCreate',
        'DeskPostListItem',
        'InputError',
        'Post',
        'PostCreate',
        'PostDetail',
        'PostFirstResult',
        'PostPage',
        'Problem',
        'ValidationProblem',
      ]);
      expect(schemaIn(document, 'PostDetail').properties?.comments).to.deep.equal({
        type: 'array',
        items: { $ref: '#/components/schemas/Comment' },
      });
    });

    it('never collide', () => {
      const document = documentOf(`enum PostCreate { a } model Problem { field kind { type PostCreate } }
        model Post { field title { type string } }
        api { entrypoint Post { create endpoint {} }, entrypoint Problem { create endpoint {} } }`);
      expect(schemaIn(document, 'PostCreate').enum).to.deep.equal(['a']);
      expect(bodyRef(operationIn(document, 'postCreate'))).to.equal('#/components/schemas/PostCreateInput');
      expect(schemaIn(document, 'Problem2').properties).to.have.property('kind');
    });

    it('are those of shapes, wherever a shape is all that is selected', () => {
      const document = documentOf(`model User { field name { type string } }
        model Post { reference author { to User }, reference editor { to User, nullable }, field title { type string } }
        /// Who writes.
        shape Person of User { name }
        shape Same of User { name }
        shape Card of Post { title, author Person, editor Same }
        api { entrypoint Post as post {
          response Card
          list endpoint { paginable }
          get endpoint { response { ...Card, id, written: author { name } } }
          create endpoint {}
          GET one "people" { action { query as found { from post.author, first, select Person }, respond { body found } } }
          GET many "titles" { response { ...Card } }
        } }`);
      const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
      expect(schemaIn(document, 'Person')).to.deep.equal({
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        description: 'Who writes.',
      });
      const shared = { title: { type: 'string' }, author: ref('Person') };
      const editor = { anyOf: [ref('Same'), { type: 'null' }] };
      expect(schemaIn(document, 'Card').properties).to.deep.equal({ ...shared, editor });
      expect(schemaIn(document, 'PostDetail').properties).to.deep.equal({
        ...shared,
        editor,
        id: { type: 'integer', format: 'int64' },
        written: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      });
      expect(schemaIn(document, 'CardPage').properties?.data).to.deep.equal({ type: 'array', items: ref('Card') });
      const answers = ['postList', 'postCreate', 'postPeople', 'postTitles'].map((id) => {
        const [response] = Object.values(operationIn(document, id).responses) as Response[];
        return response?.content?.['application/json']?.schema;
      });
      const people = { anyOf: [ref('Person'), { type: 'null' }] };
      expect(answers).to.deep.equal([ref('CardPage'), ref('Card'), people, { type: 'array', items: ref('Card') }]);
      expect(document.components.schemas).not.to.have.any.keys('Post', 'User', 'PersonPage');
    });

    it('of shapes give way to those that every document has', () => {
      const document = documentOf(`model Post { field title { type string } }
        shape Problem of Post { title } api { entrypoint Post { list endpoint { response Problem } } }`);
      expect(schemaIn(document, 'ProblemShape').properties).to.have.property('title');
    });

    it('are method names for operations, whatever the paths are', () => {
      const document = documentOf(`model BlogPost {}
        api { entrypoint BlogPost as post { path "my-posts", list endpoint {}, POST many "mark all/read" {}, POST many "2nd" {} } }`);
      expect(routesOf(document).map(({ operation }) => operation.operationId)).to.have.members([
        'myPostsList',
        'myPosts2nd',
        'myPostsMarkAllRead',
      ]);
    });
  });

  describe('answers', () => {
    it('are two where a create keeps or changes what is there', () => {
      const document = documentOf(`model Tag { field name { type string, unique } }
        api { entrypoint Tag { get endpoint {}, create endpoint { action { create or keep {} } } } }`);
      const [found, made] = ['200', '201'].map((status) => responseOf(document, 'tagCreate', status));
      expect(found?.content).to.deep.equal(made?.content);
      expect(found?.headers).to.have.keys('X-Request-Id');
      expect(made?.headers).to.have.keys('X-Request-Id', 'Location');
    });

    it('are listed by status, with what the endpoint can refuse', () => {
      const document = documentOf(`model Post { field slug { type string, unique } }
        api { entrypoint Post as post { list endpoint {}, get endpoint {}, create endpoint {}, update endpoint {}, delete endpoint {}, POST one "x" {} } }`);
      expect(statuses(document, 'postList')).to.equal('200 400 500 503');
      expect(statuses(document, 'postGet')).to.equal('200 400 404 500 503');
      expect(statuses(document, 'postCreate')).to.equal('201 400 409 413 415 422 500 503');
      expect(statuses(document, 'postUpdate')).to.equal('200 400 404 409 413 415 422 500 503');
      expect(statuses(document, 'postDelete')).to.equal('204 400 404 500 503');
      expect(statuses(document, 'postX')).to.equal('204 400 404 500 503');
      expect(responseOf(document, 'postCreate', '201').headers).to.have.keys('X-Request-Id', 'Location');
    });

    it('conflict where a record may be kept by a reference', () => {
      const document =
        documentOf(`model A {} model B { reference a { to A, on delete cascade } } model C { reference b { to B } }
        api { entrypoint A as a { delete endpoint {} }, entrypoint C as c { delete endpoint {} } }`);
      expect(statuses(document, 'aDelete')).to.include('409');
      expect(statuses(document, 'cDelete')).to.not.include('409');
    });

    it('has no 409 for a create that leaves unique fields and references null', () => {
      const document =
        documentOf(`model Team {} model Note { field text { type string } field code { type string, unique, nullable } reference team { to Team, nullable } }
        api { entrypoint Note {
          create endpoint { action { create { input { text } } } }
          POST many "coded" { action { create Note { input { text, code } } } }
        } }`);
      expect(statuses(document, 'noteCreate')).to.not.include('409');
      expect(statuses(document, 'noteCoded')).to.include('409');
    });

    it('has no 409 for a rule that is lost to another request, because the request is repeated', () => {
      const rule = 'query as n { from Thing, count } validate with key "n" { max(n, 1) } create Thing {}';
      const document = documentOf(`model Thing { field n { type integer, default 0 } }
        api { entrypoint Thing {
          POST many "plain" { action { ${rule} } }
          POST many "coded" { action { ${rule} execute { hook { inline "1" } } } }
        } }`);
      expect(statuses(document, 'thingPlain')).to.not.include('409');
      expect(statuses(document, 'thingCoded')).to.not.include('409');
    });

    it('are what actions respond', () => {
      const document = documentOf(`model Post { field title { type string }, field count { type integer } }
        api { entrypoint Post as post {
          GET one "a" { action { respond { body post.title, httpHeaders { "x-size" length(post.title), "content-type" "text/x; a=b" } } } }
          GET one "b" { action { respond { httpStatus 202 } } }
          GET one "c" { action { respond { body post.title, httpStatus post.count } } }
          GET one "d" { action { respond { body post.title, httpStatus 404 } } }
          GET many "e" { action { query as all { from Post as p, select { title } }, respond { body all } } }
          GET one "f" { action { execute { hook { inline "1" } responds } } }
        } }`);
      const a = responseOf(document, 'postA', '200');
      expect(a.content).to.deep.equal({ 'text/x': { schema: { type: 'string' }, example: 'Text' } });
      expect(a.headers).to.have.keys('X-Request-Id', 'X-Size');
      expect(responseOf(document, 'postB', '202').content).to.equal(undefined);
      expect(responseOf(document, 'postC', 'default').content).to.have.keys('application/json');
      expect(responseOf(document, 'postD', '404').content).to.have.keys('application/json', 'application/problem+json');
      expect(responseOf(document, 'postE', '200').content?.['application/json']?.schema.type).to.equal('array');
      expect(responseOf(document, 'postF', 'default').content).to.have.keys('*/*');
      expect(statuses(document, 'postF')).to.include('4XX');
    });

    it('may depend on headers and claims, also through members', () => {
      const document = documentOf(`model User { field sub { type string, unique } } auth { model User, subject sub }
        model Post { field tenant { type string }
          computed is_here { tenant is @request.header("x-tenant") }
          computed is_ours { tenant is @claims.tenant }
          computed is_seen { is_here and @request.header("Accept") is not null } }
        api { entrypoint Post as post {
          GET many "a" { response { is_seen } }
          GET many "b" { response { is_ours } }
          GET many "c" { response { tenant } }
        } }`);
      const [a, b, c] = ['postA', 'postB', 'postC'].map((id) => operationIn(document, id));
      expect(a?.parameters?.map(({ name, in: place, required }) => [name, place, required])).to.deep.equal([
        ['X-Tenant', 'header', false],
      ]);
      expect([a, b, c].map((each) => each?.security)).to.deep.equal([undefined, [{ bearer: [] }, {}], undefined]);
    });

    it('name the key of repeated requests once, and the 404 of a record that is gone behind a call', () => {
      const document = documentOf(`model Post { field title { type string } }
        api { entrypoint Post as post { authorize { true }
          POST many "read" { action { create Post { set title coalesce(@request.header("idempotency-key"), "") } } }
          POST many "call" { action {
            create Post as made { set title coalesce(@request.header("idempotency-key"), "") }
            call { hook { inline "1" } }
            respond { body made.title }
          } }
        } }`);
      for (const id of ['postRead', 'postCall'])
        expect(operationIn(document, id).parameters?.map(({ name }) => name)).to.deep.equal(['Idempotency-Key']);
      expect(statuses(document, 'postRead')).to.not.include('404');
      expect(statuses(document, 'postCall')).to.include('404');
    });

    it('of services have a signature in place of a token, and say what a repeat gets', () => {
      const document = documentOf(`setting KEY { secret }
        model User { field name { type string } }
        auth { model User }
        model Post { field title { type string } }
        api { entrypoint Post as post {
          authorize { @auth is not null }
          POST many "take" { signed by stripe { secret KEY } action { create Post { set title "a" } } }
          POST one "give" { signed by standard { secret KEY } response { id } action { update post { set title "a" } } }
        } }`);
      const [take, give] = [operationIn(document, 'postTake'), operationIn(document, 'postGive')];
      expect([take.security, give.security]).to.deep.equal([[{ signedByStripe: [] }], [{ signedByStandard: [] }]]);
      expect(Object.keys(document.components.securitySchemes ?? {})).to.deep.equal([
        'bearer',
        'signedByStandard',
        'signedByStripe',
      ]);
      expect(statuses(document, 'postTake')).to.equal('200 204 400 401 413 415 500 503');
      expect(statuses(document, 'postGive')).to.equal('200 400 401 404 413 415 500 503');
      expect(take.requestBody?.content['application/json']?.schema).to.deep.equal({ type: 'object' });
    });

    it('are objects, whose members have their own types', () => {
      const document =
        documentOf(`model Post { field title { type string }, field price { type decimal }, field meta { type json } }
        api { entrypoint Post as post {
          GET many "report" {
            extra inputs { field most { type integer, default 3 } }
            action {
              query as rows { from Post, group by { title }, limit most, select { title, n: count(), sum: sum(price), mean: avg(id) } }
              query as posts { from Post, select { title } }
              respond { body {
                /// By title.
                rows: rows, posts: posts, total: count(posts), "one-of": [{ a: 1 }], first: posts.title
              } }
            }
          }
          GET one "kind" { action { respond { body { kind: post.meta.kind, self: post } } } }
        } }`);
      const integer = { type: 'integer', format: 'int64' };
      const report = responseOf(document, 'postReport', '200').content?.['application/json']?.schema;
      expect(report?.required).to.deep.equal(['rows', 'posts', 'total', 'one-of', 'first']);
      expect(report?.properties).to.deep.equal({
        rows: {
          type: 'array',
          items: { $ref: '#/components/schemas/PostReportResultRows' },
          description: 'By title.',
        },
        posts: { type: 'array', items: { $ref: '#/components/schemas/PostReportResultPosts' } },
        total: integer,
        'one-of': { type: 'array', items: { type: 'object', properties: { a: integer }, required: ['a'] } },
        first: { type: 'array', items: { type: 'string' } },
      });
      const row = schemaIn(document, 'PostReportResultRows').properties;
      expect(row?.title).to.deep.equal({ type: 'string' });
      expect(row?.n).to.deep.equal(integer);
      expect(row?.sum?.type).to.deep.equal(['string', 'null']);
      expect(row?.mean?.type).to.equal('number');
      const [most] = operationIn(document, 'postReport').parameters ?? [];
      expect(most).to.have.nested.property('schema.minimum', 0);
      const kind = responseOf(document, 'postKind', '200').content?.['application/json']?.schema;
      expect(kind?.properties?.kind).to.deep.equal({});
      expect(kind?.properties?.self).to.deep.equal({ $ref: '#/components/schemas/PostKindResultSelf' });
    });

    it('are what hooks declare', () => {
      const document = documentOf(`enum Mood { sad, happy }
        model Post {
          field title { type string }
          /// How it reads.
          hook mood { arg title title, inline "title", returns Mood }
          hook size { inline "1", returns { words: integer, parts: [string] nullable } nullable }
          hook any { inline "1" }
        }
        api { entrypoint Post as post {
          get endpoint { response { mood, size, any } }
          GET one "made" {
            action {
              execute as made { hook { inline "1", returns {
                /// Of the author.
                email: string,
                moods: [Mood]
              } } }
              respond { body { made: made, email: made.email, moods: made.moods, here: hook { inline "1", returns [date] nullable } } }
            }
          }
        } }`);
      const integer = { type: 'integer', format: 'int64' };
      const mood = { $ref: '#/components/schemas/Mood' };
      const description = 'Computed by custom code.';
      expect(schemaIn(document, 'Post').properties).to.deep.equal({
        mood: { ...mood, description: 'How it reads.' },
        size: {
          type: ['object', 'null'],
          properties: { words: integer, parts: { type: ['array', 'null'], items: { type: 'string' } } },
          required: ['words', 'parts'],
          description,
        },
        any: { description },
      });
      const made = responseOf(document, 'postMade', '200').content?.['application/json']?.schema?.properties;
      expect(made).to.deep.equal({
        made: {
          type: 'object',
          properties: {
            email: { type: 'string', description: 'Of the author.' },
            moods: { type: 'array', items: mood },
          },
          required: ['email', 'moods'],
        },
        email: { type: 'string' },
        moods: { type: 'array', items: mood },
        here: { type: ['array', 'null'], items: { type: 'string', format: 'date' } },
      });
    });

    it('of what is collected may hold nulls', () => {
      const document =
        documentOf(`model A { relation bs { from B, through a } } model B { reference a { to A }, field n { type string, nullable } }
        api { entrypoint A { list endpoint { response { all: bs.n } } } }`);
      expect(schemaIn(document, 'A').properties?.all).to.deep.equal({
        type: 'array',
        items: { type: ['string', 'null'] },
      });
    });

    it('of the items of a list input may hold nulls', () => {
      const document = documentOf(`model T { field name { type string } relation us { from U, through t } }
        model U { reference t { to T, nullable }, reference s { to T } }
        api { entrypoint U { POST many "a" {
          extra inputs { list rows { field n { type string, nullable }, field r { type string }, reference u { to U }, reference v { to U, nullable } } }
          action { respond { body {
            n: rows.n, r: rows.r, us: rows.u.s.name, ut: rows.u.t.name, vs: rows.v.s.name, below: rows.u.t.us.s.name, v: rows.v.id
          } } }
        } } }`);
      const body = responseOf(document, 'uA', '200').content?.['application/json']?.schema;
      const types = Object.entries(body?.properties ?? {});
      expect(Object.fromEntries(types.map(([name, { items }]) => [name, items?.type]))).to.deep.equal({
        n: ['string', 'null'],
        r: 'string',
        us: 'string',
        ut: ['string', 'null'],
        vs: ['string', 'null'],
        below: 'string',
        v: ['integer', 'null'],
      });
    });
  });

  describe('refusals of the author', () => {
    const document = () =>
      documentOf(`model Event { field name { type string, unique }, field seats { type integer } }
        api { entrypoint Event as event {
          create endpoint { action { refuse "closed" when 1 > 2 { status 410 } create {} refuse "late" { status 409 } } }
          POST one "buy" { action { refuse "sold-out" when event.seats < 1 { status 409 } refuse "gone" { status 409 } } }
        } }`);

    it('are responses of their own, with the codes of Kiln that have the same status', () => {
      const { paths, components } = document();
      const buy = paths['/api/event/{event_id}/buy']?.post?.responses ?? {};
      expect(buy['409']).to.deep.equal({ $ref: '#/components/responses/Refused409.gone.sold-out' });
      const create = paths['/api/event']?.post?.responses ?? {};
      expect(Object.keys(create)).to.deep.equal(['201', '400', '409', '410', '413', '415', '422', '500', '503']);
      expect(create['409']).to.deep.equal({ $ref: '#/components/responses/Conflict.late' });
      const { description, content } = components.responses['Conflict.late'] as Response;
      expect(description).to.match(/ Or: The request was rejected: `late`\.$/);
      expect(content?.['application/problem+json']?.schema.allOf?.[1]).to.deep.equal({
        type: 'object',
        properties: { code: { enum: ['conflict', 'late'] } },
      });
    });

    it('are among the codes of all problems', () => {
      const { code } = document().components.schemas.Problem?.properties ?? {};
      expect(code?.enum?.slice(-5)).to.deep.equal(['refused', 'closed', 'gone', 'late', 'sold-out']);
    });
  });

  describe('authentication', () => {
    it('is asked for by all that is below the caller', () => {
      const document =
        documentOf(`model User { field name { type string }, relation notes { from Note, through owner } }
        model Note { reference owner { to User }, field text { type string } }
        auth { model User }
        api { entrypoint @auth as me {
          path "user", get endpoint {}, update endpoint { action { update { input { name } } } }, delete endpoint {}
          entrypoint notes { list endpoint {}, get endpoint {} }
        } }`);
      const routes = routesOf(document).map(({ path, operation }) => {
        const parameters = (operation.parameters ?? []).map(({ name }) => name);
        return [path, operation.operationId, parameters.join(), operation.security];
      });
      const bearer = [{ bearer: [] }];
      expect(routes).to.deep.equal([
        ['/api/user', 'userGet', '', bearer],
        ['/api/user', 'userUpdate', '', bearer],
        ['/api/user', 'userDelete', '', bearer],
        ['/api/user/notes', 'userNotesList', '', bearer],
        ['/api/user/notes/{note_id}', 'userNotesGet', 'note_id', bearer],
      ]);
      for (const { operation } of routesOf(document)) {
        expect(operation.responses['401']).to.deep.equal({ $ref: '#/components/responses/Unauthenticated' });
        expect(operation.responses).not.to.have.property('403');
      }
    });

    const source = `model User { field email { type string, unique }, field hash { type string, secret }, field staff { type boolean, default false, internal } }
      auth { model User, login email, password hash }
      model Post { field title { type string }, reference user { to User } }
      api { entrypoint Post as post {
        list endpoint {}
        get endpoint { authorize { post.user is @auth } }
        create endpoint { authorize { @auth is not null } }
        GET many "mine" { action { respond { body @auth } } }
        delete endpoint { authorize { post.title is "x" or @auth is not null } }
        POST many "open" { authorize { true }, action { respond { body 1 } } }
        POST many "staff" { authorize { @auth.staff }, action { respond { body 1 } } }
      } }`;

    it('is needed, welcome or nothing, as the endpoint has it', () => {
      const document = documentOf(source);
      const security = (id: string) => operationIn(document, id).security;
      expect(security('postList')).to.equal(undefined);
      expect(security('postGet')).to.deep.equal([{ bearer: [] }]);
      expect(security('postCreate')).to.deep.equal([{ bearer: [] }]);
      expect(security('postStaff')).to.deep.equal([{ bearer: [] }]);
      expect(security('postMine')).to.deep.equal([{ bearer: [] }, {}]);
      expect(security('postDelete')).to.deep.equal([{ bearer: [] }, {}]);
      expect(statuses(document, 'postList')).to.include('401').and.not.include('403');
      expect(statuses(document, 'postCreate')).to.include('401').and.not.include('403');
      expect(statuses(document, 'postGet')).to.include('401').and.include('403');
      // Anybody may call it, but a token that is wrong is refused everywhere.
      expect(statuses(document, 'postOpen')).to.include('401').and.not.include('403');
    });

    it('has routes of its own', () => {
      const document = documentOf(source);
      const auth = routesOf(document).filter(({ path }) => path.startsWith('/api/auth/'));
      expect(auth.map(({ method, operation }) => `${method} ${operation.operationId}`)).to.deep.equal([
        'post authLogin',
        'post authLogout',
        'get authMe',
        'post authRegister',
      ]);
      expect(schemaIn(document, 'AuthLogin').required).to.deep.equal(['email', 'password']);
      expect(schemaIn(document, 'UserRegister').required).to.deep.equal(['email', 'password']);
      expect(document.components.securitySchemes).to.have.keys('bearer');
    });

    it('is not there where the program has none', () => {
      const document = documentOf(
        'model Post {} api { entrypoint Post as post { get endpoint { authorize { post.id > 1 } } } }',
      );
      expect(document.components.securitySchemes).to.equal(undefined);
      expect(document.security).to.deep.equal([]);
      expect(statuses(document, 'postGet')).to.equal('200 400 401 404 500 503');
      const open = documentOf('model Post {} api { entrypoint Post as post { get endpoint { authorize { true } } } }');
      expect(statuses(open, 'postGet')).to.equal('200 400 404 500 503');
    });
  });

  it('documentation is in descriptions, and titles are made of verb and noun', () => {
    const document = documentOf(`/// What people read.
      model Post {
        /// In bold.
        field title { type string }
      }
      api {
        /// All about posts.
        entrypoint Post as post {
          /// The newest first.
          list endpoint {}
          /// Makes one. Or two.
          create endpoint {}
          get endpoint {}
          /// Shows it to everybody.
          POST one "publish" {}
          PUT one "cover-image" {}
        }
      }`);
    expect(document.tags).to.deep.equal([{ name: 'post', description: 'All about posts.' }]);
    expect(schemaIn(document, 'Post').description).to.equal('What people read.');
    expect(input(document, 'PostCreate', 'title').description).to.equal('In bold.');
    expect(operationIn(document, 'postList')).to.include({
      summary: 'List Post records',
      description: 'The newest first.',
    });
    expect(operationIn(document, 'postPublish')).to.include({
      summary: 'Publish Post',
      description: 'Shows it to everybody.',
    });
    expect(operationIn(document, 'postCoverImage').summary).to.equal('Set Post cover image');
    expect(operationIn(document, 'postCreate')).to.include({
      summary: 'Create Post',
      description: 'Makes one. Or two.',
    });
    expect(operationIn(document, 'postGet').summary).to.equal('Get Post');
  });

  it('a proxy in front names the server', () => {
    const options = { title: 'Shop', version: '2', basePath: '/shop' };
    const document = openApiFromDefinition(definitionOf([]), options);
    expect(document.servers).to.deep.equal([{ url: '/shop' }]);
    expect(document.info).to.include({ title: 'Shop', version: '2' });
  });
});

function input(document: OpenApiDocument, schema: string, name: string): Schema {
  return schemaIn(document, schema).properties?.[name] ?? {};
}

function validated(type: string, validate: string, more = ''): Schema {
  const document = documentOf(`model Thing { field value { type ${type}, ${more} validate { ${validate} } } }
    validator odd { arg value { type string }, arg n { type integer }, assert { length(value) is n }, error { code "odd" } }
    api { entrypoint Thing { create endpoint {} } }`);
  return input(document, 'ThingCreate', 'value');
}

function bodyRef({ requestBody }: Operation): string | undefined {
  return requestBody?.content['application/json']?.schema.$ref;
}

function statuses(document: OpenApiDocument, operationId: string): string {
  return Object.keys(operationIn(document, operationId).responses).join(' ');
}

function responseOf(document: OpenApiDocument, operationId: string, status: string): Response {
  return operationIn(document, operationId).responses[status] as Response;
}
