/** `node:http` and a pool of pg, as usual: each statement has a connection for itself. */
import pg from 'pg';
import { serve } from './limit-server.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', (error) => console.error(error));
serve(pool);
