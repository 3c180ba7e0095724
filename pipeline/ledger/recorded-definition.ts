import { DEFINITION_VERSION, type Definition } from '../../compiler/definition/definition.ts';
import { LedgerRefusal } from './ledger-refusal.ts';

/** What a release or an image has as its `definition.json`. `what` is for the sentence: `release 3`. */
export function recordedDefinition(text: string, what: string): Definition {
  const { definition, version } = parsed(text);
  if (definition !== undefined && version === DEFINITION_VERSION) return definition;
  if (typeof version !== 'number')
    throw new LedgerRefusal('damaged', `${what} has a \`definition.json\` that is not a definition`);
  const known = `its definition has version ${version}, and this Kiln reads version ${DEFINITION_VERSION}`;
  throw new LedgerRefusal('newer', `${what} was made by a newer Kiln: ${known}; update Kiln`);
}

function parsed(text: string): { readonly definition?: Definition; readonly version?: unknown } {
  try {
    const definition = JSON.parse(text) as Definition;
    return { definition, version: definition.version };
  } catch {
    return {};
  }
}
