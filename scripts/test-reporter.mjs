/**
 * Mocha's own reporter, which also writes into a file how many tests there were, how long each file of tests took, and
 * how much processor time the whole process took.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Of the times in `/proc`: the same on all machines with Linux. */
const MILLISECONDS_PER_TICK = 10;

export default class TimingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const times = {};
    const starts = new Map();
    runner.on('suite', (suite) => starts.set(suite, performance.now()));
    runner.on('suite end', (suite) => {
      // A suite within another one is part of it.
      if (!suite.parent?.root) return;
      times[suite.file] = (times[suite.file] ?? 0) + performance.now() - starts.get(suite);
    });
    runner.once('end', () => {
      const { passes, pending, failures } = runner.stats;
      const text = JSON.stringify({ passes, pending, failures, times, cpu: processorTime() });
      writeFileSync(options.reporterOption.report, text);
    });
  }
}

/** In milliseconds, with all children that have ended; without them where the system does not tell. */
function processorTime() {
  try {
    // The second field is the name of the program in parentheses, which may contain anything.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * MILLISECONDS_PER_TICK, 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
