/** Mocha's own reporter, which also writes into a file how many tests there were and how long each file of tests took. */
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

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
      const text = JSON.stringify({ passes, pending, failures, times });
      writeFileSync(options.reporterOption.report, text);
    });
  }
}
