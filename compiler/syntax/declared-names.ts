/** The models and enums of one file, as far as they can be told from a text that may not be readable. */
const DECLARATION = /^[ \t]*(?:export\s+)?(model|enum|type|class|interface|table)\s+([A-Za-z_]\w*)/gm;

export interface DeclaredNames {
  readonly models: ReadonlySet<string>;
  readonly enums: ReadonlySet<string>;
}

export function declaredNames(text: string): DeclaredNames {
  const models = new Set<string>();
  const enums = new Set<string>();
  for (const [, word, name] of text.matchAll(DECLARATION)) (word === 'enum' ? enums : models).add(name as string);
  return { models, enums };
}

/** The model that is meant by the name of a table, of a column or of a relation: `User` for `users` and `user_id`. */
export function modelMeantBy(name: string, { models }: DeclaredNames): string | undefined {
  const wanted = [name, singular(name), name.replace(/_?id$/i, '')].map(plain);
  return [...models].find((model) => wanted.includes(plain(model)));
}

/** The name that a model has where a table has this one: `BlogPost` for `blog_posts`. */
export function modelName(table: string): string {
  return capitalised(singular(table));
}

/** `BlogPost` for `blog_post`. */
export function capitalised(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function singular(name: string): string {
  if (/ies$/i.test(name)) return name.replace(/ies$/i, 'y');
  if (/(?:s|x|ch|sh)es$/i.test(name)) return name.replace(/es$/i, '');
  return name.replace(/([^s])s$/i, '$1');
}

/** The reference of another model to this one, for a relation. */
export function referenceBetween(text: string, from: string, to: string): string | undefined {
  const body = new RegExp(`\\bmodel\\s+${from}\\b[^{]*\\{([\\s\\S]{0,5000}?)\\n\\}`).exec(text)?.[1];
  const references = [...(body ?? '').matchAll(/\breference\s+(\w+)\s*\{[^}]*\bto\s+(\w+)/g)];
  return references.find((reference) => reference[2] === to)?.[1];
}
