/** The custom code of an application, as it is called: one function for each hook that has a source. */
export type HookFunction = (args: Readonly<Record<string, unknown>>, context: unknown) => unknown;

/**
 * The functions by `<file>#<export>`, the file relative to the project's folder with its extension:
 * `hooks/pricing.ts#priceLabel`.
 */
export type HookModules = Readonly<Record<string, HookFunction>>;
