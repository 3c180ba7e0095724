/** The custom code of an application, as it is called: one function for each hook that has a source. */
export type HookFunction = (args: Readonly<Record<string, unknown>>, context: unknown) => unknown;

/**
 * The functions by `<file>#<export>`, the file relative to the project's folder with its extension:
 * `hooks/pricing.ts#priceLabel`.
 */
export type HookModules = Readonly<Record<string, HookFunction>>;

/** Where hooks were imported from: threads import them again. */
const URLS = new WeakMap<HookModules, string>();

export async function importHooks(url: string): Promise<HookModules> {
  const { default: modules }: { readonly default: HookModules } = await import(url);
  URLS.set(modules, url);
  return modules;
}

/** Undefined where the hooks are functions of the program around. */
export function urlOfHooks(modules: HookModules): string | undefined {
  return URLS.get(modules);
}
