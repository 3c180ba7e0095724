export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
