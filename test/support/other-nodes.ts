/** The programs of other versions of Node: `KILN_TEST_NODES` has them, with colons between. */
export function otherNodes(): readonly string[] {
  return (process.env.KILN_TEST_NODES ?? '').split(':').filter((program) => program !== '');
}
