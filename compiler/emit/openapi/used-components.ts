import type { Components, OpenApiDocument } from './document.ts';

/** The components that the paths lead to, whether at once or through others. */
export function onlyUsed(components: Components, paths: OpenApiDocument['paths']): Components {
  const used = new Set<string>();
  const find = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string') follow(inner);
      else find(inner);
    }
  };
  const follow = (ref: string): void => {
    if (used.has(ref)) return;
    used.add(ref);
    const [section = '', name = ''] = ref.slice('#/components/'.length).split('/');
    find((components as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[section]?.[name]);
  };
  find(paths);
  return {
    ...components,
    schemas: kept(components.schemas, 'schemas', used),
    responses: kept(components.responses, 'responses', used),
    headers: kept(components.headers, 'headers', used),
  };
}

function kept<T>(section: Readonly<Record<string, T>>, name: string, used: ReadonlySet<string>): Record<string, T> {
  return Object.fromEntries(Object.entries(section).filter(([key]) => used.has(`#/components/${name}/${key}`)));
}
