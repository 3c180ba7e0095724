import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { hookModulesFromTexts } from './hook-modules.ts';
import { type Answer, httpCaseFromText } from './http-case.ts';
import { filled, mismatches, type SeenAnswer } from './http-match.ts';
import { sendRequest } from './http-send.ts';

const TEXT = `model Post {}

//// hooks/price.ts
export const price = () => 4;

### environment
BODY_LIMIT=10
URL=http://x/?a=b

### sql
INSERT INTO post DEFAULT VALUES;

### answers
POST /api/post?x=1
X-Trace: a: b
{ "a":
  1 }

201
Location: /api/post/1
{ "id": 1 }

### takes text

PUT /api/post
Content-Type: text/plain
|no { json
|

204
`;

describe('a case of the API', () => {
  const testCase = httpCaseFromText('post', TEXT);

  it('has a program of several files', () => {
    expect(testCase.sources).to.deep.equal([{ path: 'main.kiln', text: 'model Post {}\n' }]);
    expect(testCase.files.get('hooks/price.ts')).to.equal('export const price = () => 4;\n');
  });

  it('has an environment', () => {
    expect(testCase.environment).to.deep.equal({ BODY_LIMIT: '10', URL: 'http://x/?a=b' });
  });

  it('has requests, answers, and statements that run before them', () => {
    expect(testCase.exchanges).to.deep.equal([
      {
        title: 'answers',
        sql: 'INSERT INTO post DEFAULT VALUES;',
        request: {
          method: 'POST',
          path: '/api/post?x=1',
          headers: [['x-trace', 'a: b']],
          body: { kind: 'json', text: '{ "a":\n  1 }' },
        },
        answer: { status: 201, headers: [['location', '/api/post/1']], body: { kind: 'json', text: '{ "id": 1 }' } },
      },
      {
        title: 'takes text',
        sql: '',
        request: {
          method: 'PUT',
          path: '/api/post',
          headers: [['content-type', 'text/plain']],
          body: { kind: 'text', text: 'no { json\n' },
        },
        answer: { status: 204, headers: [], body: null },
      },
    ]);
  });

  it('refuses a section without an answer', () => {
    expect(() => httpCaseFromText('x', '### a\nGET /api')).to.throw('x: a: no request and answer');
  });

  it('refuses a line that is no request', () => {
    expect(() => httpCaseFromText('x', '### a\nGET api\n\n200')).to.throw('`GET api` is not a request line');
  });

  it('refuses JSON that is none', () => {
    expect(() => httpCaseFromText('x', '### a\nGET /a\n{ a }\n\n200')).to.throw('a body is not JSON');
  });
});

function expected(body: string | null, more: Partial<Answer> = {}): Answer {
  return { status: 200, headers: [], body: body === null ? null : { kind: 'json', text: body }, ...more };
}

function seen(body: string, more: Partial<SeenAnswer> = {}): SeenAnswer {
  return { status: 200, headers: [], body, ...more };
}

function problem(body: object): SeenAnswer {
  const whole = { type: 'about:blank', title: 'No', status: 422, code: 'x', requestId: 'r1', ...body };
  const headers = [
    ['content-type', 'application/problem+json; charset=utf-8'],
    ['x-request-id', 'r1'],
  ] as const;
  return { status: 422, headers, body: JSON.stringify(whole) };
}

describe('the matcher of answers', () => {
  const wrong = (answer: Answer, other: SeenAnswer) => mismatches(answer, other, new Map());

  it('takes equal JSON, whatever the order of keys', () => {
    expect(wrong(expected('{ "a": [1, null], "b": "x" }'), seen('{"b":"x","a":[1,null]}'))).to.deep.equal([]);
  });

  it('finds another value, a missing key, one too many, another length, another type', () => {
    expect(wrong(expected('{ "a": { "b": 1 } }'), seen('{"a":{"b":2}}'))[0]).to.equal('body.a.b: expected 1, seen 2');
    expect(wrong(expected('{ "a": 1 }'), seen('{}'))[0]).to.equal('body: the key a is missing');
    expect(wrong(expected('{}'), seen('{"a":1}'))[0]).to.equal('body: the keys a are not expected');
    expect(wrong(expected('[1]'), seen('[1,2]'))[0]).to.equal('body: expected 1 items, seen 2');
    expect(wrong(expected('[1]'), seen('["1"]'))[0]).to.equal('body[0]: expected 1, seen "1"');
    expect(wrong(expected('{}'), seen('[]'))[0]).to.equal('body: expected {}, seen []');
    expect(wrong(expected('{}'), seen('null'))[0]).to.equal('body: expected {}, seen null');
  });

  it('finds another status and a body where none is expected', () => {
    expect(wrong(expected(null, { status: 204 }), seen('{}'))).to.deep.equal([
      'status: expected 204, seen 200',
      'body: expected none, seen {}',
    ]);
  });

  it('finds text that is no JSON', () => {
    expect(wrong(expected('{}'), seen('<html>'))).to.deep.equal(['body: expected JSON, seen <html>']);
  });

  it('compares text to the letter', () => {
    const text = expected(null, { body: { kind: 'text', text: '{"a":1}' } });
    expect(wrong(text, seen('{"a":1}'))).to.deep.equal([]);
    expect(wrong(text, seen('{"a": 1}'))).to.have.length(1);
  });

  it('knows forms of values', () => {
    const fits = (form: string, value: unknown) =>
      wrong(expected(JSON.stringify(`<${form}>`)), seen(JSON.stringify(value))).length === 0;
    expect([fits('any', null), fits('any', { a: 1 })]).to.deep.equal([true, true]);
    expect([fits('string', ''), fits('string', 1)]).to.deep.equal([true, false]);
    expect([fits('integer', -3), fits('integer', 1.5), fits('integer', '1')]).to.deep.equal([true, false, false]);
    expect([fits('date', '2026-01-01'), fits('date', '2026-01-01T00:00:00Z')]).to.deep.equal([true, false]);
    expect(fits('timestamp', '2026-01-01T00:00:00Z')).to.equal(true);
    expect(fits('timestamp', '2026-01-01T00:00:00.123456Z')).to.equal(true);
    expect(fits('timestamp', '2026-01-01T00:00:00.120Z')).to.equal(false);
    expect(fits('timestamp', '2026-01-01T00:00:00+01:00')).to.equal(false);
    expect(fits('uuid', '018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01')).to.equal(true);
    expect(fits('uuid', '018F4E6A-7c1b-7d2e-9a3f-5b6c7d8e9f01')).to.equal(false);
    expect([fits('b', '<b>'), fits('b', 'b')]).to.deep.equal([true, false]);
  });

  it('keeps values and puts them into later texts', () => {
    const kept = new Map<string, unknown>();
    mismatches(expected('{ "id": "<name:id>", "t": "<name:t>" }'), seen('{"id":7,"t":"a b"}'), kept);
    expect(filled('/x/{{id}} {{t}}', kept)).to.equal('/x/7 a b');
    expect(() => filled('{{other}}', kept)).to.throw('nothing was kept as `other`');
  });

  it('compares headers: their values, how often they come, and that they are absent', () => {
    const headers = [
      ['x-tag', 'a'],
      ['x-tag', 'b'],
      ['location', '/api/post/018f4e6a-7c1b-7d2e-9a3f-5b6c7d8e9f01'],
    ] as const;
    const wrongWith = (...wanted: [string, string][]) =>
      wrong(expected(null, { headers: wanted }), seen('', { headers }));
    expect(wrongWith(['x-tag', 'a'], ['x-tag', 'b'], ['location', '/api/post/<uuid>'], ['etag', '-'])).to.deep.equal(
      [],
    );
    expect(wrongWith(['x-tag', 'a'])).to.deep.equal(['x-tag: expected ["a"], seen ["a","b"]']);
    expect(wrongWith(['location', '/api/.*'])).to.have.length(1);
    expect(wrongWith(['location', '-'])).to.have.length(1);
    expect(wrongWith(['etag', '<any>'])).to.have.length(1);
  });

  it('lets a problem have more keys, and errors in any order', () => {
    const errors = [
      { path: 'a', code: 'min', message: 'No', params: { min: 4 } },
      { path: 'b', code: 'required', message: 'No', params: {} },
    ];
    const answer = (text: string) => expected(text, { status: 422 });
    const both = '[{ "path": "b", "code": "required" }, { "path": "a", "code": "min", "params": { "min": 4 } }]';
    expect(wrong(answer(`{ "code": "x", "errors": ${both} }`), problem({ errors }))).to.deep.equal([]);
    expect(wrong(answer('{ "errors": [{ "path": "b" }] }'), problem({ errors }))).to.have.length(2);
    expect(wrong(answer('{ "errors": [{ "path": "b" }, { "path": "b" }] }'), problem({ errors }))).to.have.length(2);
  });

  it('compares the parameters of an error exactly', () => {
    const errors = [{ path: 'a', code: 'min', message: 'No', params: { min: 4 } }];
    const wrongWith = (params: string) =>
      wrong(expected(`{ "errors": [{ "params": ${params} }] }`, { status: 422 }), problem({ errors }));
    expect(wrongWith('{ "min": 4 }')).to.deep.equal([]);
    expect(wrongWith('{}')).to.have.length(2);
  });

  it('finds a problem that lacks what all of them have', () => {
    const answer = expected('{ "code": "x" }', { status: 422 });
    expect(wrong(answer, problem({ status: 400 }))).to.deep.equal([
      'problem: its status is 400, that of the answer 422',
    ]);
    expect(wrong(answer, problem({ requestId: 'r2' }))).to.have.length(1);
    expect(wrong(answer, problem({ title: undefined }))).to.have.length(1);
  });
});

describe('the sender of requests', () => {
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url: path, headers } = request;
      response.setHeader('x-tag', ['a', 'b']);
      response.end(
        JSON.stringify({ method, path, type: headers['content-type'], body: Buffer.concat(chunks).toString() }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('sends what is written, with what was kept', async () => {
    const request = {
      method: 'PATCH',
      path: '/api/../a%2Fb/{{id}}?x=%00',
      headers: [],
      body: { kind: 'json', text: '{ "n": 9007199254740993, "id": {{id}} }' },
    } as const;
    const answer = await sendRequest(url, request, new Map([['id', 7]]));
    expect(JSON.parse(answer.body)).to.deep.equal({
      method: 'PATCH',
      path: '/api/../a%2Fb/7?x=%00',
      type: 'application/json',
      body: '{ "n": 9007199254740993, "id": 7 }',
    });
    expect(answer.headers.filter(([name]) => name === 'x-tag')).to.deep.equal([
      ['x-tag', 'a'],
      ['x-tag', 'b'],
    ]);
  });

  it('leaves a header out where it is told to', async () => {
    const body = { kind: 'text', text: 'x' } as const;
    const request = { method: 'POST', path: '/', headers: [['content-type', '-']], body } as const;
    const answer = await sendRequest(url, request, new Map());
    expect(JSON.parse(answer.body)).to.not.have.property('type');
  });
});

describe('the code of hooks in a case', () => {
  it('is found by file and export', async () => {
    const files = new Map([
      ['main.kiln', ''],
      ['hooks/a.ts', 'export const twice = ({ n }: { n: number }): number => n * 2;\nexport default () => 1;'],
    ]);
    const hooks = await hookModulesFromTexts(files);
    expect(Object.keys(hooks)).to.have.members(['hooks/a.ts#twice', 'hooks/a.ts#default']);
    expect(hooks['hooks/a.ts#twice']?.({ n: 4 }, {})).to.equal(8);
  });
});
