/**
 * What one edit costs at 1,000 models, and whether it costs more after many others: `npm run bench:edit`. Each round adds a
 * field, compiles, and brings the database along. Times are those of the processor in this process, in seconds; Postgres
 * has its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { withClient } from '../../pipeline/database/connect.ts';
import { ensureDatabase } from '../../pipeline/database/ensure-database.ts';
import { openProjectDatabase } from '../../pipeline/database/project-database.ts';
import { syncDatabase } from '../../pipeline/dev/sync.ts';
import { kilnProgram } from '../compile/generate.ts';

const MODELS = 1000;
const ROUNDS = Number(process.argv[2] ?? 6);

await loadGrammar();
const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-edit-'));
const database = await openProjectDatabase(folder);
const sources = kilnProgram(MODELS);
try {
  await ensureDatabase(database.url);
  for (let round = 0; round < ROUNDS; round++) {
    const compiled = await timed(() => compile(withFields(sources, round)).definition as Definition);
    const synced = await timed(() => syncDatabase(database.url, compiled.result, async () => 'unanswered'));
    const times = `compile ${compiled.seconds.toFixed(2)}  sync ${synced.seconds.toFixed(2)}`;
    console.log(`edit ${String(round).padStart(3)}  ${times}  history ${await historySize()}  ${synced.result.kind}`);
  }
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The first model with `count` fields more. */
function withFields([first, ...others]: readonly SourceFile[], count: number): readonly SourceFile[] {
  if (first === undefined) return [];
  const fields = Array.from({ length: count }, (_, at) => `  field extra_${at} { type string, default "x" }\n`);
  return [{ ...first, text: first.text.replace(/^model \w+ \{\n/m, (head) => head + fields.join('')) }, ...others];
}

async function timed<T>(work: () => T | Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
}

function historySize(): Promise<string> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ size: string }>(
      `SELECT pg_size_pretty(sum(octet_length(definition) + octet_length(steps))) AS size FROM kiln_history.releases`,
    );
    return rows[0]?.size ?? '';
  });
}
