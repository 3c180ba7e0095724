/**
 * Loading dockerode as it is takes three times as long as starting Node, for parts that no build of Kiln's needs: sessions
 * of BuildKit, archives of folders, and a client of SSH, which is loaded where the engine is behind one. Node has the streams.
 */
import { readFile } from 'node:fs/promises';

const UNUSED = /dockerode\/lib\/(session|buildkit)\.js$|tar-fs\/index\.js$/;
const SSH = /docker-modem\/lib\/ssh\.js$/;
const SSH_CLIENT = /^var Client = require\('ssh2'\)\.Client,$/m;

export const LEAN_DOCKERODE = {
  name: 'lean-dockerode',
  setup({ onLoad, onResolve, onEnd }) {
    onResolve({ filter: /^readable-stream$/ }, () => ({ path: 'node:stream', external: true }));
    const seen = new Set();
    onLoad({ filter: UNUSED }, ({ path }) => {
      seen.add(UNUSED.exec(path)[1]);
      return { contents: 'module.exports = {};' };
    });
    onLoad({ filter: SSH }, async ({ path }) => {
      seen.add('ssh');
      return { contents: withLazySsh(await readFile(path, 'utf8')) };
    });
    onEnd(() => ({ errors: missingFiles(seen).map((text) => ({ text })) }));
  },
};

/** Throws where docker-modem does not load ssh2 in the line that is replaced. */
export function withLazySsh(text) {
  if (!SSH_CLIENT.test(text))
    throw new Error('docker-modem has no line `var Client = require(…)` in lib/ssh.js any more');
  return text.replace(SSH_CLIENT, "var Client = function () { return new (require('ssh2').Client)(); },");
}

/** A file that has moved would be bundled as it is, without a word. */
export function missingFiles(seen) {
  const files = [
    ['dockerode', 'session'],
    ['dockerode', 'buildkit'],
    ['docker-modem', 'ssh'],
  ];
  return files
    .filter(([, file]) => !seen.has(file))
    .map(([name, file]) => `${name} has no file lib/${file}.js that is loaded any more`);
}
