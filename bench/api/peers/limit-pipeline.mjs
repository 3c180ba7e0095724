/**
 * `node:http` and one pipelined connection of pg: statements do not wait for the answers to those before them, and those
 * of one tick go out in one packet. It is the limit for quick statements; a slow one holds up all others.
 */
import pg from 'pg';
import { serve } from './limit-server.mjs';

const client = new pg.Client({ connectionString: process.env.DATABASE_URL, pipeline: true });
client.on('error', (error) => console.error(error));
await client.connect();

const { stream } = client.connection;
let isCorked = false;

function query(statement) {
  if (!isCorked) {
    isCorked = true;
    stream.cork();
    setImmediate(() => {
      isCorked = false;
      stream.uncork();
    });
  }
  return client.query(statement);
}

serve({ query, end: () => client.end() });
