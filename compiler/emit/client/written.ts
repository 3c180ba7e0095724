/** Pieces of TypeScript, written as a formatter would. */

export const WIDTH = 120;

/** Documentation in front of a declaration, on lines of its own; nothing where there is none. */
export function docComment(doc: string | null | undefined, indent = ''): string {
  if (doc === null || doc === undefined || doc.trim() === '') return '';
  const lines = doc
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

export function propertyName(name: string): string {
  return isIdentifier(name) ? name : quoted(name);
}

/** A text as a literal, in the quotes that need fewer escapes. */
export function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (text.includes("'")) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}

/** On one line where it fits behind `before`, otherwise one part on each. */
export function list(parts: readonly string[], open: string, close: string, before: number, indent: string): string {
  const line = `${open}${parts.join(', ')}${close}`;
  if (before + line.length <= WIDTH) return line;
  const inner = `${indent}  `;
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}
