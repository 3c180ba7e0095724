/** `dist/`, for tests that run what was built. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** `npm test` has built it before the first test, and says so. */
let isBuilt = process.env.KILN_TEST_IS_BUILT === 'yes';

/** For a hook `before`: builds what the sources are now, unless this run has done so. */
export function buildOnce(): void {
  if (isBuilt) return;
  const said = execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { encoding: 'utf8' });
  if (said !== '') throw new Error(`the build said:\n${said}`);
  isBuilt = true;
}
