/** The blog, written by hand with Express 5 and pg: SQL in the handlers, rows shaped in Node. */
import express from 'express';
import pg from 'pg';
import { commentErrors, integerFromText, objectFromBody, pageFromTexts, titleErrors } from './inputs.mjs';
import { answerProblem, Problem } from './problems.mjs';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', (error) => console.error(error));

const app = express();
app.use(express.json({ limit: '1mb' }));

app.get('/api/post', async (request, response) => {
  const { page, pageSize } = pageFromTexts(request.query.page, request.query.pageSize);
  const [counted, posts] = await Promise.all([
    pool.query('SELECT count(*) AS total FROM post WHERE published'),
    pool.query(
      `SELECT id, slug, title, body, published_at FROM post WHERE published
       ORDER BY id DESC LIMIT $1 OFFSET $2`,
      [pageSize, (page - 1) * pageSize],
    ),
  ]);
  const totalCount = counted.rows[0].total;
  response.json({ page, pageSize, totalPages: Math.ceil(totalCount / pageSize), totalCount, data: posts.rows });
});

app.get('/api/post/:slug', async (request, response) => {
  response.json(await postBySlug(request.params.slug));
});

app.patch('/api/post/:slug', async (request, response) => {
  const body = bodyOf(request);
  const { slug } = request.params;
  const errors = titleErrors(body);
  if (errors.length > 0 || body.title === undefined) {
    const post = await postBySlug(slug);
    if (errors.length > 0) throw new Problem('validation-failed', errors);
    return response.json(post);
  }
  const { rows } = await pool.query(
    'UPDATE post SET title = $2 WHERE slug = $1 RETURNING id, slug, title, body, published_at',
    [slug, body.title],
  );
  response.json(found(rows[0]));
});

app.post('/api/post/:slug/comments', async (request, response) => {
  const body = bodyOf(request);
  const post = found((await pool.query('SELECT id FROM post WHERE slug = $1', [request.params.slug])).rows[0]);
  const errors = commentErrors(body);
  if (errors.length > 0) throw new Problem('validation-failed', errors);
  const { rows } = await pool.query(
    'INSERT INTO comment (post_id, author_name, body) VALUES ($1, $2, $3) RETURNING id, author_name, body, created_at',
    [post.id, body.author_name, body.body],
  );
  response.status(201).json(rows[0]);
});

app.get('/api/feed', async (request, response) => {
  const week = integerFromText(request.query.of_week);
  const posts = await pool.query(
    `SELECT p.id, p.slug, p.title, p.body, p.published_at, a.id AS author_id, a.name AS author_name
     FROM post p JOIN author a ON a.id = p.author_id
     WHERE p.published AND p.week = $1 ORDER BY p.id DESC`,
    [week],
  );
  const comments = await pool.query(
    'SELECT post_id, id, author_name, body, created_at FROM comment WHERE post_id = ANY($1) ORDER BY id',
    [posts.rows.map(({ id }) => id)],
  );
  const byPost = new Map(posts.rows.map(({ id }) => [id, []]));
  for (const { post_id, ...comment } of comments.rows) byPost.get(post_id).push(comment);
  response.json(
    posts.rows.map(({ author_id, author_name, ...post }) => ({
      ...post,
      author: { id: author_id, name: author_name },
      comments: byPost.get(post.id),
    })),
  );
});

app.get('/api/shouting', async (_request, response) => {
  const { rows } = await pool.query('SELECT id, author_name, body FROM comment WHERE upper(body) = body ORDER BY id');
  response.json(rows);
});

app.use(() => {
  throw new Problem('not-found');
});

app.use(answerProblem);

async function postBySlug(slug) {
  const { rows } = await pool.query('SELECT id, slug, title, body, published_at FROM post WHERE slug = $1', [slug]);
  return found(rows[0]);
}

function found(row) {
  if (!row) throw new Problem('not-found');
  return row;
}

function bodyOf(request) {
  if (!request.is('application/json')) throw new Problem('unsupported-media-type');
  return objectFromBody(request.body);
}

const server = app.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close(() => pool.end());
  server.closeAllConnections();
});
