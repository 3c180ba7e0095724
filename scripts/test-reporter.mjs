/**
 * Mocha's own reporter, which also writes into a file how many tests there were, how long each file of tests took, and
 * how much processor time each file and the whole process took.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Of the times in `/proc`: the same on all machines with Linux. */
const MILLISECONDS_PER_TICK = 10;

export default class TimingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const times = {};
    let start;
    // A suite within another one is part of it.
    const isOutermost = (suite) => suite.parent?.root;
    runner.on('suite', (suite) => {
      if (isOutermost(suite)) start = [performance.now(), processorTime()];
    });
    runner.on('suite end', (suite) => {
      if (!isOutermost(suite)) return;
      const [time, cpu] = times[suite.file] ?? [0, 0];
      times[suite.file] = [time + performance.now() - start[0], cpu + processorTime() - start[1]];
    });
    runner.once('end', () => {
      const { passes, pending, failures } = runner.stats;
      const text = JSON.stringify({ passes, pending, failures, times, cpu: processorTime() });
      writeFileSync(options.reporterOption.report, text);
    });
  }
}

/** In milliseconds, with all that this process has started; without it where the system does not tell. */
function processorTime() {
  try {
    const all = readdirSync('/proc').flatMap(statOf);
    const own = new Set([process.pid]);
    // A process may come before the one that has started it.
    for (let known = 0; known < own.size; ) {
      known = own.size;
      for (const { pid, parent } of all) if (own.has(parent)) own.add(pid);
    }
    return all.reduce((sum, { pid, time }) => (own.has(pid) ? sum + time : sum), 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/** Of one process, with all of its children that have ended. */
function statOf(pid) {
  if (!/^\d+$/.test(pid)) return [];
  try {
    // The second field is the name of the program in parentheses, which may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const time = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * MILLISECONDS_PER_TICK, 0);
    return [{ pid: Number(pid), parent: Number(fields[1]), time }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
