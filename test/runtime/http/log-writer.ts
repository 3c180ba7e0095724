/** Writes numbered lines into the log and ends as it is told, for the tests of how lines reach the output. */
import cluster from 'node:cluster';
import { createLog, logPlain } from '../../../runtime/observe/log.ts';

const [, , ending, count] = process.argv;

function write(): void {
  const log = createLog('info');
  const by = cluster.worker?.id ?? 0;
  for (let at = 0; at < Number(count); at++) {
    if (at % 2 === 0) logPlain(log, 'info', { by, at, text: '…'.repeat(at % 100) }, 'line');
    else log.info({ by, at, text: '"'.repeat(at % 100) }, 'line');
  }
  if (ending === 'exit') process.exit(0);
  if (ending === 'error') setImmediate(() => JSON.parse('no JSON'));
  if (ending === 'fatal') {
    log.fatal({ by, at: Number(count) }, 'line');
    process.kill(process.pid, 'SIGKILL');
  }
}

if (ending === 'workers' && cluster.isPrimary) {
  for (const _ of [1, 2]) cluster.fork();
} else {
  write();
  cluster.worker?.disconnect();
}
