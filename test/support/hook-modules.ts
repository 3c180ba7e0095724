import { transform } from 'esbuild';
import type { HookFunction, HookModules } from '../../runtime/hooks/hook-code.ts';

/** The code of hooks from texts, by path; modules that import nothing. */
export async function hookModulesFromTexts(files: ReadonlyMap<string, string>): Promise<HookModules> {
  const modules = [...files].filter(([file]) => /\.m?[jt]s$/.test(file));
  const found = await Promise.all(modules.map(([file, text]) => exportsOf(file, text)));
  return Object.fromEntries(found.flat());
}

async function exportsOf(file: string, text: string): Promise<readonly (readonly [string, HookFunction])[]> {
  const { code } = await transform(text, { loader: 'ts', format: 'esm' });
  const module: Readonly<Record<string, HookFunction>> = await import(
    `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  );
  return Object.entries(module).map(([name, code]) => [`${file}#${name}`, code] as const);
}
