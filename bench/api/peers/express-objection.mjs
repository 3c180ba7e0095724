/**
 * The blog, written by hand with Express 5 and Objection as their manuals teach it: models with relations and a JSON
 * schema, `withGraphFetched`, `page`, an error handler at the end.
 */
import express from 'express';
import knex from 'knex';
import objection from 'objection';
import pg from 'pg';
import { integerFromText, objectFromBody, orderErrors, pageFromTexts } from './inputs.mjs';
import { answerProblem, Problem } from './problems.mjs';

const { Model, NotFoundError, ValidationError } = objection;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const database = knex({ client: 'pg', connection: process.env.DATABASE_URL });
Model.knex(database);

// ── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────

class Author extends Model {
  static tableName = 'author';
  static modifiers = {
    byline: (query) => query.select('author.id', 'author.name'),
  };
}

class Comment extends Model {
  static tableName = 'comment';
  static jsonSchema = {
    type: 'object',
    required: ['author_name', 'body'],
    properties: {
      author_name: { type: 'string', minLength: 1, maxLength: 80 },
      body: { type: 'string', minLength: 1, maxLength: 2000 },
    },
  };
  static columns = ['id', 'author_name', 'body', 'created_at'];
  static modifiers = {
    shown: (query) => query.select(Comment.columns.map((column) => `comment.${column}`)).orderBy('comment.id'),
  };
}

class Post extends Model {
  static tableName = 'post';
  static jsonSchema = {
    type: 'object',
    properties: { title: { type: 'string', minLength: 4, maxLength: 200 } },
  };
  static columns = ['id', 'slug', 'title', 'body', 'published_at'];
  static relationMappings = () => ({
    author: {
      relation: Model.BelongsToOneRelation,
      modelClass: Author,
      join: { from: 'post.author_id', to: 'author.id' },
    },
    comments: {
      relation: Model.HasManyRelation,
      modelClass: Comment,
      join: { from: 'post.id', to: 'comment.post_id' },
    },
  });
}

class Product extends Model {
  static tableName = 'product';
}

class OrderLine extends Model {
  static tableName = 'order_line';
  static jsonSchema = {
    type: 'object',
    required: ['product_id', 'quantity'],
    properties: { product_id: { type: 'integer' }, quantity: { type: 'integer', minimum: 1 } },
  };
}

class Order extends Model {
  static tableName = 'order';
  static jsonSchema = {
    type: 'object',
    required: ['customer'],
    properties: { customer: { type: 'string', minLength: 1, maxLength: 80 } },
  };
  static relationMappings = () => ({
    lines: {
      relation: Model.HasManyRelation,
      modelClass: OrderLine,
      join: { from: 'order.id', to: 'order_line.order_id' },
    },
  });
}

// ── Routes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const app = express();
app.use(express.json({ limit: '1mb' }));

app.get('/api/post', async (request, response) => {
  const { page, pageSize } = pageFromTexts(request.query.page, request.query.pageSize);
  const { results, total } = await Post.query()
    .select(Post.columns)
    .where('published', true)
    .orderBy('id', 'desc')
    .page(page - 1, pageSize);
  response.json({ page, pageSize, totalPages: Math.ceil(total / pageSize), totalCount: total, data: results });
});

app.get('/api/post/:slug', async (request, response) => {
  response.json(await Post.query().select(Post.columns).findOne({ slug: request.params.slug }).throwIfNotFound());
});

app.patch('/api/post/:slug', async (request, response) => {
  const { title } = bodyOf(request);
  const { slug } = request.params;
  const post = title === undefined ? undefined : await retitled(slug, title);
  response.json(post ?? (await Post.query().select(Post.columns).findOne({ slug }).throwIfNotFound()));
});

/** One statement where all is well. A post that is not there is a 404, whatever the title is like. */
async function retitled(slug, title) {
  try {
    return await Post.query().patch({ title }).where({ slug }).returning(Post.columns).first().throwIfNotFound();
  } catch (error) {
    if (error instanceof ValidationError) await Post.query().select('id').findOne({ slug }).throwIfNotFound();
    throw error;
  }
}

app.post('/api/post/:slug/comments', async (request, response) => {
  const { author_name, body } = bodyOf(request);
  const post = await Post.query().select('id').findOne({ slug: request.params.slug }).throwIfNotFound();
  const comment = await post.$relatedQuery('comments').insert({ author_name, body }).returning(Comment.columns);
  const { id, created_at } = comment;
  response.status(201).json({ id, author_name, body, created_at });
});

app.get('/api/feed', async (request, response) => {
  const week = integerFromText(request.query.of_week);
  const posts = await Post.query()
    .select(Post.columns)
    .where({ published: true, week })
    .withGraphFetched('[author(byline), comments(shown)]')
    .orderBy('id', 'desc');
  response.json(posts);
});

/** `insertGraph` inserts the order and all its lines; the stock of each product is taken by itself. */
app.post('/api/order', async (request, response) => {
  const { customer, lines } = bodyOf(request);
  const errors = orderErrors(request.body);
  if (errors.length > 0) throw new Problem('validation-failed', errors);
  const order = await Order.transaction(async (transaction) => {
    await requireProducts(lines, transaction);
    const placed = await Order.query(transaction).insertGraph({ customer, lines });
    for (const { product_id, quantity } of lines)
      await Product.query(transaction).findById(product_id).decrement('stock', quantity);
    return placed;
  });
  response.status(201).json({ id: order.id, customer });
});

async function requireProducts(lines, transaction) {
  const ids = lines.map(({ product_id }) => product_id);
  const found = new Set((await Product.query(transaction).select('id').findByIds(ids)).map(({ id }) => id));
  const errors = ids.flatMap((id, at) =>
    found.has(id) ? [] : [{ path: `lines[${at}].product_id`, code: 'reference-not-found' }],
  );
  if (errors.length > 0) throw new Problem('validation-failed', errors);
}

app.get('/api/product/:id', async (request, response) => {
  response.json(await Product.query().findById(integerFromText(request.params.id)).throwIfNotFound());
});

app.get('/api/shouting', async (_request, response) => {
  const shouts = Comment.query().select('id', 'author_name', 'body');
  response.json(await shouts.whereRaw('upper(body) = body').orderBy('id'));
});

app.use(() => {
  throw new Problem('not-found');
});

app.use((error, request, _response, next) => {
  if (error instanceof NotFoundError) return next(new Problem('not-found'));
  if (error instanceof ValidationError)
    return next(new Problem('validation-failed', inputErrors(error.data, request.body)));
  next(error);
});

app.use(answerProblem);

function bodyOf(request) {
  if (!request.is('application/json')) throw new Problem('unsupported-media-type');
  return objectFromBody(request.body);
}

const CODES = { required: 'required', type: 'wrong-type', minLength: 'min-length', maxLength: 'max-length' };

function inputErrors(data, body) {
  return Object.entries(data).flatMap(([path, errors]) =>
    errors.map(({ keyword, message, params }) => {
      const code = body[path] === null ? 'not-nullable' : (CODES[keyword] ?? keyword);
      return { path, code, message, params };
    }),
  );
}

// ── Life ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const server = app.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close(() => database.destroy());
  server.closeAllConnections();
});
