/** Which operations a search finds: those that have each of its words in the path, the method, the name or the texts. */
import type { ImmutableCollection, ImmutableMap } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

type Tagged = ImmutableCollection<ImmutableMap>;

interface Listed {
  readonly size: number;
  filter(keep: (operation: ImmutableMap) => boolean): Listed;
}

/** In the place of Swagger UI's own, which looks at the names of groups alone. */
export function operationsFound(tagged: Tagged, phrase: string): Tagged {
  const words = wordsOf(phrase);
  return tagged
    .map((group, tag) => group.set('operations', found(group.get('operations') as Listed, tag, words)))
    .filter((group) => (group.get('operations') as Listed).size > 0);
}

function wordsOf(phrase: string): readonly string[] {
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function found(operations: Listed, tag: string, words: readonly string[]): Listed {
  return operations.filter((operation) => {
    const text = `${tag} ${textOf(operation)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function textOf(operation: ImmutableMap): string {
  const written = ['operationId', 'summary', 'description'].map((key) => operation.getIn(['operation', key]));
  return [operation.get('method'), operation.get('path'), ...written]
    .filter((part) => typeof part === 'string')
    .join(' ');
}
