import { sep } from 'node:path';
import type { Plugin } from 'esbuild';

/** On an import that has been looked for already. */
const ASKED = Symbol('asked');

/**
 * Takes nothing from outside of a folder. Who pushes code says what it imports, and a file of the machine that builds,
 * or a package that happens to be installed there, is not theirs to take.
 */
export function insideOnly(folder: string): Plugin {
  return {
    name: 'inside-only',
    setup(build) {
      build.onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
        if (pluginData === ASKED) return undefined;
        const { kind, importer, namespace, resolveDir } = from;
        const found = await build.resolve(path, { kind, importer, namespace, resolveDir, pluginData: ASKED });
        const isFine = found.errors.length > 0 || found.external || found.path.startsWith(folder + sep);
        return isFine ? undefined : { errors: [{ text: `Could not resolve "${path}"` }] };
      });
    },
  };
}
