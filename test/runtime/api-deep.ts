/** Programs that are deeper than a person would write. */
import { type HttpCase, httpCaseFromText } from '../support/http-case.ts';

const DEPTH = 32;

export function deepCases(): readonly HttpCase[] {
  return [deepResponse(), deepEntrypoints(), deepExpression(), deepBody()];
}

/** Folders in folders: 1 is at the top, and each is in the one before it. */
const MODEL = `model Folder {
  field name { type string }
  reference outer { to Folder, nullable }
  relation folders { from Folder, through outer }
}`;

const SEED = `### sql
INSERT INTO folder (name, outer_id) VALUES ('f1', NULL);
INSERT INTO folder (name, outer_id) SELECT 'f' || n, n - 1 FROM generate_series(2, ${DEPTH}) n;`;

function deepResponse(): HttpCase {
  const levels = Array.from({ length: DEPTH - 1 });
  const down = levels.reduce<string>((inner) => `name, folders { ${inner} }`, 'name');
  const up = levels.reduce<string>((inner) => `name, outer { ${inner} }`, 'name');
  return httpCaseFromText(
    'deep-response',
    `${MODEL}
api { entrypoint Folder as folder { get endpoint { response { ${down} } } GET one "up" { response { ${up} } } } }
${SEED}

### gives records over ${DEPTH} levels of relations
GET /api/folder/1

200
${JSON.stringify(foldersBelow(1))}

### gives records over ${DEPTH} levels of references
GET /api/folder/${DEPTH}/up

200
${JSON.stringify(foldersAbove(DEPTH))}
`,
  );
}

function foldersBelow(n: number): object {
  return n === DEPTH ? { name: `f${n}` } : { name: `f${n}`, folders: [foldersBelow(n + 1)] };
}

function foldersAbove(n: number): object {
  return n === 1 ? { name: 'f1' } : { name: `f${n}`, outer: foldersAbove(n - 1) };
}

function deepEntrypoints(): HttpCase {
  const inner = Array.from({ length: DEPTH - 1 }).reduce<string>(
    (below) => `get endpoint { response { name } } entrypoint folders { ${below} }`,
    'get endpoint { response { name } }',
  );
  const path = (ids: readonly number[]) => `/api/folder/${ids.join('/folders/')}`;
  const ids = Array.from({ length: DEPTH }, (_, at) => at + 1);
  return httpCaseFromText(
    'deep-entrypoints',
    `${MODEL}
api { entrypoint Folder { ${inner} } }
${SEED}

### finds a record below ${DEPTH - 1} parents
GET ${path(ids)}

200
{ "name": "f${DEPTH}" }

### does not find it where one parent in the middle is another
GET ${path(ids.map((id) => (id === DEPTH / 2 ? 1 : id)))}

404
{ "code": "not-found" }
`,
  );
}

function deepExpression(): HttpCase {
  const sum = Array.from({ length: DEPTH }).reduce<string>((inner) => `(n + ${inner})`, 'n');
  return httpCaseFromText(
    'deep-expression',
    `model Sample { field n { type integer } }
api {
  entrypoint Sample as sample {
    get endpoint { response { sum: ${sum} } }
    GET one "served" { action { respond { body ${sum.replaceAll('n', 'sample.n')} } } }
  }
}
### sql
INSERT INTO sample (n) VALUES (2);

### works out a deep expression in the database
GET /api/sample/1

200
{ "sum": ${2 * (DEPTH + 1)} }

### works it out in the server
GET /api/sample/1/served

200
${2 * (DEPTH + 1)}
`,
  );
}

/** Postgres reads JSON by recursion, and so do many parsers. */
function deepBody(): HttpCase {
  const nested = (depth: number) => `{ "data": ${'['.repeat(depth)}${']'.repeat(depth)} }`;
  return httpCaseFromText(
    'deep-body',
    `model Sample { field data { type json } }
api { entrypoint Sample as sample { create endpoint { response { data } }, list endpoint { response { id } } } }

### keeps JSON of 100 levels
POST /api/sample
${nested(100)}

201
${nested(100)}

### refuses JSON that is too deep to be read
POST /api/sample
${nested(100_000)}

400
{ "code": "malformed-request" }

### has stored nothing of it
GET /api/sample

200
[{ "id": 1 }]
`,
  );
}
