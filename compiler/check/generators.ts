import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Generator } from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import { type Context, checkText, firstOfEach, type HookFolders } from './context.ts';

export function checkGenerators(
  context: Context,
  generators: readonly ast.GeneratorDeclaration[],
): readonly Generator[] {
  const checked = generators.map((written) => {
    const generator = written.generator === 'client' ? clientOf(context, written) : apidocsOf(context, written);
    return { generator, span: written.kindSpan };
  });
  firstOfEach(
    checked,
    ({ generator }) => (generator.kind === 'client' ? `client ${generator.output}` : 'apidocs'),
    ({ generator, span }, first) => reportSame(context, generator, span, first.span),
  );
  return checked.map(({ generator }) => generator);
}

/** A client that has no folder has been reported as such. */
function reportSame(context: Context, generator: Generator, span: Span, first: Span): void {
  if (generator.kind === 'apidocs')
    context.report('declared-twice', span, { noun: 'generator apidocs', name: undefined, first });
  else if (generator.output !== '') context.report('same-output', span, { output: generator.output, first });
}

function clientOf(context: Context, { target, output, basePath, kindSpan }: ast.GeneratorDeclaration): Generator {
  if (basePath) context.report('generator-property', basePath.span, { property: 'basePath', generator: 'client' });
  if (target && target.text !== 'ts' && target.text !== 'js') {
    const [, meant] = /^(type|java)script$/i.exec(target.text) ?? [];
    const near = meant ? { name: `${meant[0]?.toLowerCase()}s` } : undefined;
    context.report('unknown-target', target.span, { target: target.text, near });
  }
  if (output) checkText(output, context.report);
  if (!output) context.report('generator-without-output', kindSpan, {});
  else if (leavesFolder(output.value)) context.report('path-outside-project', output.span, { path: output.value });
  return { kind: 'client', target: target?.text === 'js' ? 'js' : 'ts', output: normalised(output?.value ?? '') };
}

function apidocsOf(context: Context, { target, output, basePath }: ast.GeneratorDeclaration): Generator {
  if (target) context.report('generator-property', target.span, { property: 'target', generator: 'apidocs' });
  if (output) context.report('generator-property', output.span, { property: 'output', generator: 'apidocs' });
  if (basePath && !/^\/([\w.~-]+(\/[\w.~-]+)*)?$/.test(basePath.value))
    context.report('bad-base-path', basePath.span, { path: basePath.value });
  return { kind: 'apidocs', basePath: basePath?.value ?? '/' };
}

function normalised(path: string): string {
  return path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
}

function leavesFolder(path: string): boolean {
  return path.startsWith('/') || path.includes('\\') || path.split('/').includes('..');
}

/** The folders of hooks: the folder of the default runtime, or `hooks` if there is none. */
export function hookFoldersOf(runtimes: readonly ast.RuntimeDeclaration[], report: Diagnostics['report']): HookFolders {
  const byName = new Map<string, string>();
  for (const { name, sourcePath } of runtimes) {
    if (sourcePath) checkText(sourcePath, report);
    if (!sourcePath) report('runtime-without-path', name.span, { name: name.text });
    else if (leavesFolder(sourcePath.value))
      report('path-outside-project', sourcePath.span, { path: sourcePath.value });
    byName.set(name.text, normalised(sourcePath?.value ?? ''));
  }
  const [first, second] = runtimes.filter((runtime) => runtime.default);
  if (first && second) report('two-default-runtimes', second.default as Span, { first: first.default as Span });
  const only = runtimes.length === 1 ? runtimes[0] : undefined;
  const chosen = (first ?? only)?.name.text ?? '';
  return { byName, default: byName.get(chosen) ?? 'hooks', used: new Set([chosen]), files: new Set() };
}

/** Reports runtimes that no hook uses. A hook without a runtime finds only code of the default one. */
export function reportUnusedRuntimes(
  { hookFolders, report }: Context,
  runtimes: readonly ast.RuntimeDeclaration[],
): void {
  const others = runtimes.filter((runtime) => runtime.sourcePath && !runtime.default);
  const unused = others.filter(({ name }) => !hookFolders.used.has(name.text));
  const mayBeDefault = unused.length === 1 && !runtimes.some((runtime) => runtime.default);
  for (const { name, sourcePath } of unused) {
    const path = mayBeDefault ? sourcePath?.span : undefined;
    report('unused-runtime', name.span, { name: name.text, folder: hookFolders.default, path });
  }
}
