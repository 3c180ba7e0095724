/** What one would write by hand with Express: bytes to a file and back. `node peer.mjs <port> <folder>`. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import express from 'express';

const [port, folder] = process.argv.slice(2);
const app = express();
const file = join(folder, 'file');

app.put('/file', async (request, response) => {
  await pipeline(request, createWriteStream(`${file}.part`, { flush: true }));
  await rename(`${file}.part`, file);
  response.status(204).end();
});
app.get('/file', async (_request, response) => {
  response.type('video/mp4');
  await pipeline(createReadStream(file), response);
});
app.get('/readyz', (_request, response) => response.end());
app.listen(Number(port), '127.0.0.1');
