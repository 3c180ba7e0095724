/** The parts of `client-runtime.ts` and `live-runtime.ts` as text, with the features that a client has. */
import parts from './client-runtime.json' with { type: 'json' };

export interface Features {
  readonly pages: boolean;
  readonly login: boolean;
  /** Whether a query has filters or lists. */
  readonly filters: boolean;
  readonly files: boolean;
  readonly live: boolean;
  readonly versions: boolean;
}

export function runtimeTypes(features: Features): string {
  return withFeatures(parts.types, features);
}

export function runtimeCode(features: Features): string {
  return withFeatures(features.live ? `${parts.code}\n${parts.live}` : parts.code, features);
}

/** The values of a client as `client.d.ts` declares them. */
export function valueDeclarations(): string {
  const [, fields = ''] =
    /^export class ApiError extends Error \{\n([\s\S]*?)\n\n {2}constructor/m.exec(parts.code) ?? [];
  return `export declare class ApiError extends Error {
${fields}
  constructor(message: string, about: ErrorFacts);
}

export declare function createClient(options: ClientOptions): Client;
`;
}

const CHOICE =
  /^ *\/\/ #if (pages|login|filters|files|live|versions)\n([\s\S]*?)(?: *\/\/ #else\n([\s\S]*?))? *\/\/ #end\n/gm;

function withFeatures(text: string, features: Features): string {
  return text.replace(CHOICE, (_, feature: keyof Features, lines: string, others = '') =>
    features[feature] ? lines : others.replace(/^( *)\/\/ /gm, '$1'),
  );
}
