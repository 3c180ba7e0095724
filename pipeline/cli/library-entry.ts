/** The module that `import … from 'kiln-lang'` loads. The build puts its code beside that of the command line. */
export const { compile, createApp, startServer } = await import('../library/library.ts');
