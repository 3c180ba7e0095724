/** What the compiler makes of JSX, in place of Preact: pages are written once, so the package has no renderer (`scripts/command-line.mjs`). */
export function jsx(type: unknown, props: object): object {
  return { type, props };
}

export { jsx as jsxs };

export function Fragment({ children }: { readonly children: unknown }): unknown {
  return children;
}
