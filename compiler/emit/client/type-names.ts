/** The names of types in a client: as in the OpenAPI document, unless the client needs the name for itself. */
import { Names } from '../openapi/names.ts';

/** Words that no type can be called by. */
const RESERVED =
  'any asserts async await bigint boolean break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface intrinsic let never new null number object package private protected public return static string super switch symbol this throw true try type typeof undefined unknown unique var void while with yield'.split(
    ' ',
  );

/** `code` is what every client has in it: the types that it declares, and those of JavaScript that it relies on. */
export function typeNames(code: string): Names {
  const withoutWords = code.replace(/\/\*[\s\S]*?\*\/|'[^'\n]*'/g, '');
  const used = withoutWords.match(/\b[A-Z][A-Za-z0-9]+\b/g) ?? [];
  return new Names([...RESERVED, ...used]);
}
