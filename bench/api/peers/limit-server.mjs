/**
 * The limit of what Node gives by hand: `node:http`, named statements, and JSON that Postgres builds and the server passes
 * on. How statements reach Postgres is left to those who start it.
 */
import { createServer } from 'node:http';
import { commentErrors, integerFromText, objectFromBody, pageFromTexts, titleErrors } from './inputs.mjs';
import { Problem, problemFromError } from './problems.mjs';

/** What `serve` was given. */
let database;

const BODY_LIMIT = 1 << 20;

const statements = {
  post: `
    SELECT row_to_json(p)::text AS json
    FROM (SELECT id, slug, title, body, published_at FROM post WHERE slug = $1) p`,
  page: `
    SELECT
      (SELECT count(*) FROM post WHERE published) AS total,
      (
        SELECT coalesce(json_agg(p), '[]')::text
        FROM (
          SELECT id, slug, title, body, published_at FROM post WHERE published
          ORDER BY id DESC LIMIT $1 OFFSET $2
        ) p
      ) AS json`,
  feed: `
    SELECT coalesce(json_agg(f), '[]')::text AS json
    FROM (
      SELECT
        p.id, p.slug, p.title, p.body, p.published_at,
        (SELECT row_to_json(a) FROM (SELECT id, name FROM author WHERE id = p.author_id) a) AS author,
        (
          SELECT coalesce(json_agg(c), '[]')
          FROM (SELECT id, author_name, body, created_at FROM comment WHERE post_id = p.id ORDER BY id) c
        ) AS comments
      FROM (SELECT * FROM post WHERE published AND week = $1) p
      ORDER BY p.id DESC
    ) f`,
  comment: `
    WITH made AS (
      INSERT INTO comment (post_id, author_name, body)
      SELECT id, $2, $3 FROM post WHERE slug = $1
      RETURNING id, author_name, body, created_at
    )
    SELECT row_to_json(made)::text AS json FROM made`,
  retitle: `
    WITH changed AS (
      UPDATE post SET title = $2 WHERE slug = $1 RETURNING id, slug, title, body, published_at
    )
    SELECT row_to_json(changed)::text AS json FROM changed`,
  shouting: `
    SELECT coalesce(json_agg(s), '[]')::text AS json
    FROM (
      SELECT id, author_name, body FROM comment WHERE upper(body) = body ORDER BY id
    ) s`,
};

async function firstRow(name, values) {
  const { rows } = await database.query({ name, text: statements[name], values });
  return rows[0];
}

// ── Routes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

async function getPost(slug) {
  return found(await firstRow('post', [slug]));
}

async function listPosts(search) {
  const parameters = new URLSearchParams(search);
  const { page, pageSize } = pageFromTexts(parameters.get('page'), parameters.get('pageSize'));
  const { total, json } = await firstRow('page', [pageSize, (page - 1) * pageSize]);
  const totalPages = Math.ceil(Number(total) / pageSize);
  return `{"page":${page},"pageSize":${pageSize},"totalPages":${totalPages},"totalCount":${total},"data":${json}}`;
}

async function listFeed(search) {
  const { json } = await firstRow('feed', [integerFromText(new URLSearchParams(search).get('of_week'))]);
  return json;
}

async function createComment(slug, body) {
  const errors = commentErrors(body);
  if (errors.length > 0) await refuse(slug, errors);
  return found(await firstRow('comment', [slug, body.author_name, body.body]));
}

async function retitlePost(slug, body) {
  const errors = titleErrors(body);
  if (errors.length > 0) await refuse(slug, errors);
  return body.title === undefined ? getPost(slug) : found(await firstRow('retitle', [slug, body.title]));
}

/** A post that is not there is a 404, whatever the input is like. */
async function refuse(slug, errors) {
  await getPost(slug);
  throw new Problem('validation-failed', errors);
}

async function listShouting() {
  return (await firstRow('shouting', [])).json;
}

function found(row) {
  if (!row) throw new Problem('not-found');
  return row.json;
}

async function answerOf(request) {
  const { method, url } = request;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const search = mark < 0 ? '' : url.slice(mark + 1);
  if (method === 'GET' && path === '/api/post') return [200, await listPosts(search)];
  if (method === 'GET' && path === '/api/feed') return [200, await listFeed(search)];
  if (method === 'GET' && path === '/api/shouting') return [200, await listShouting()];
  if (!path.startsWith('/api/post/')) throw new Problem('not-found');
  const [text, below, ...deeper] = path.slice('/api/post/'.length).split('/');
  const slug = decoded(text);
  if (deeper.length > 0) throw new Problem('not-found');
  if (method === 'GET' && below === undefined) return [200, await getPost(slug)];
  if (method === 'PATCH' && below === undefined) return [200, await retitlePost(slug, await bodyOf(request))];
  if (method === 'POST' && below === 'comments') return [201, await createComment(slug, await bodyOf(request))];
  throw new Problem('not-found');
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem('malformed-request');
  }
}

function bodyOf(request) {
  if (!request.headers['content-type']?.startsWith('application/json')) throw new Problem('unsupported-media-type');
  return new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    request.on('data', (chunk) => {
      size += chunk.length;
      if (size > BODY_LIMIT) reject(new Problem('too-large'));
      else chunks.push(chunk);
    });
    request.on('error', reject);
    request.on('end', () => {
      try {
        resolve(objectFromBody(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
      } catch {
        reject(new Problem('malformed-request'));
      }
    });
  });
}

// ── Life ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const server = createServer((request, response) => {
  answerOf(request).then(
    ([status, json]) => send(response, status, 'application/json; charset=utf-8', json),
    (error) => {
      const { status, body } = problemFromError(error);
      send(response, status, 'application/problem+json; charset=utf-8', body);
    },
  );
});

function send(response, status, type, text) {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** `connections` has the `query` and the `end` of pg's pools and clients. */
export function serve(connections) {
  database = connections;
  server.listen(Number(process.env.PORT), '127.0.0.1');
  process.once('SIGTERM', () => {
    server.close(() => connections.end());
    server.closeAllConnections();
  });
}
