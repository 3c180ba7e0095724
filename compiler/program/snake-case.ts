/** `BlogPost` → `blog_post`, `HTTPServer` → `http_server`. Names of tables, columns and segments of paths. */
export function snakeCase(name: string): string {
  if (name === name.toLowerCase()) return name;
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
