import { DEFINITION_VERSION, type Definition } from '../../compiler/definition/definition.ts';
import { definitionFromText } from '../../compiler/definition/definition-from-text.ts';
import { LedgerRefusal } from './ledger-refusal.ts';

/**
 * What a release or an image has as its `definition.json`. `what` is for the sentence: `release 3`. What `like` has too
 * is shared with it.
 */
export function recordedDefinition(text: string, what: string, like?: Definition): Definition {
  const { definition, version } = parsed(text, like);
  if (definition !== undefined && version === DEFINITION_VERSION) return definition;
  if (typeof version !== 'number')
    throw new LedgerRefusal('damaged', `${what} has a \`definition.json\` that is not a definition`);
  const known = `its definition has version ${version}, and this Kiln reads version ${DEFINITION_VERSION}`;
  throw new LedgerRefusal('newer', `${what} was made by a newer Kiln: ${known}; update Kiln`);
}

function parsed(
  text: string,
  like: Definition | undefined,
): { readonly definition?: Definition; readonly version?: unknown } {
  try {
    const definition = (like ? definitionFromText(text, like) : JSON.parse(text)) as Definition;
    return { definition, version: definition.version };
  } catch {
    return {};
  }
}
