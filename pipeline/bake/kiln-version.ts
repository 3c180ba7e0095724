// Put there by scripts/build.mjs.
declare const KILN_VERSION: string | undefined;

export const kilnVersion = typeof KILN_VERSION === 'undefined' ? 'development' : KILN_VERSION;
