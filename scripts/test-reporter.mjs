/**
 * Mocha's own reporter, which also writes into a file how many tests there were, how long each file of tests took, and
 * how much processor time each file and the whole process took.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Of the times in `/proc`: the same on all machines with Linux. */
const MILLISECONDS_PER_TICK = 10;

/** In milliseconds, for what ends after the tests. A test that fails may leave a server open, which never ends. */
const LONGEST_END = 30_000;

export default class TimingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const times = {};
    let file;
    let start;
    // Once for each file: to read the times of all processes takes some milliseconds.
    const begin = (next) => {
      const now = [performance.now(), processorTime()];
      if (file !== undefined) times[file] = now.map((each, at) => each - start[at]);
      [file, start] = [next, now];
      return now;
    };
    runner.on('suite', (suite) => {
      if (!suite.root && suite.file !== file) begin(suite.file);
    });
    runner.once('end', () => {
      const { passes, pending, failures } = runner.stats;
      const [, cpu] = begin();
      const text = JSON.stringify({ passes, pending, failures, times, cpu });
      writeFileSync(options.reporterOption.report, text);
      setTimeout(endWhatIsLeft, LONGEST_END).unref();
    });
  }
}

function endWhatIsLeft() {
  const left = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`\nThe tests are through, but have left something open, and are ended: ${left}\n`);
  process.exit(1);
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
