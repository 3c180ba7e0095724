/**
 * Gives the variables of bundles short names, which esbuild can do only together with the names of functions and classes.
 * Those are kept, so that a stack still says where an error comes from.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { minify } from 'oxc-minify';

export async function shortenNames(file) {
  const { code, errors } = await minify(file, await readFile(file, 'utf8'), {
    compress: false,
    mangle: { toplevel: true, keepNames: { function: true, class: true } },
  });
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0].message}`);
  await writeFile(file, code);
}
