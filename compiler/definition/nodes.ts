/** A part of a definition is plain data. What stands in it is found without knowing its form. */
export type Node = Readonly<Record<string, unknown>>;

/** Whether there is such an object in it, however deep. */
export function hasNode(part: unknown, is: (node: Node) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (Array.isArray(part)) return part.some((item) => hasNode(item, is));
  const node = part as Node;
  if (is(node)) return true;
  for (const key in node) if (hasNode(node[key], is)) return true;
  return false;
}

/** All objects in it, from the outside in. */
export function* nodesIn(part: unknown): Generator<Node> {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) yield part as Node;
  for (const inner of Object.values(part)) yield* nodesIn(inner);
}
