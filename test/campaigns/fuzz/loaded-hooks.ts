import type { HookModules } from '../../../runtime/hooks/hook-code.ts';

/** The code of hooks from the text of their module, for populators that call them. */
export async function loadedHooks(text: string | null): Promise<HookModules> {
  if (text === null) return {};
  // Bundles of CommonJS packages look for a file of their own, which a module without one does not have.
  const module = await import(`data:text/javascript;base64,${Buffer.from(withoutFile(text)).toString('base64')}`);
  return (module as { readonly default: HookModules }).default;
}

function withoutFile(text: string): string {
  return text.replaceAll('import.meta.url', "'file:///hooks.mjs'");
}
