/** Types as other languages write them. */
import { type Scalar, scalarMeantBy } from '../definition/scalars.ts';

export interface ForeignType {
  /** The name of a type, a model or an enum. */
  readonly name: string;
  readonly scalar: Scalar | undefined;
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** The number of characters in `varchar(80)`. */
  readonly length: string | undefined;
  /** The values of an enum that is written out. */
  readonly values: readonly string[] | undefined;
}

interface Notation {
  readonly written: RegExp;
  readonly isList?: boolean;
  readonly isNullable?: boolean;
}

/** From the longest to the shortest. The group `name` is the type inside. */
const NOTATIONS: readonly Notation[] = [
  { written: /^\[\s*(?<name>\w+)\s*!?\s*\]\s*!?$/, isList: true },
  { written: /^(?:Array|List|Set|list|set)\s*[<[]\s*(?<name>\w+)\s*[>\]]$/, isList: true },
  { written: /^(?<name>\w+)\s*\[\s*\]$/, isList: true },
  { written: /^(?:Optional|Maybe|Option)\s*[<[]\s*(?<name>\w+)\s*[>\]]$/, isNullable: true },
  { written: /^(?<name>\w+)\s*\|\s*(?:null|undefined)$/, isNullable: true },
  { written: /^(?<name>\w+)\s*\?$/, isNullable: true },
  { written: /^(?<name>\w+)\s*!$/ },
  { written: /^(?<name>\w+)\s*\(\s*(?<length>\d+)\s*\)$/ },
  { written: /^(?<name>\w+)\s*\(\s*\d+\s*,\s*\d+\s*\)$/ },
  { written: /^enum\s*[({[](?<values>[^(){}[\]]+)[)}\]]$/i },
  { written: /^(?<values>(?:"\w+"|'\w+')(?:\s*\|\s*(?:"\w+"|'\w+'))+)$/ },
  { written: /^"(?<name>\w+)"$/ },
  { written: /^(?<name>\w+)$/ },
];

/** Begins a type and goes on as far as one of the notations may. */
export const TYPE_TEXT =
  '(?:\\[\\s*\\w+\\s*!?\\s*\\](?:\\s*!)?|(?:Array|List|Set|list|set|Optional|Maybe|Option)\\s*[<[]\\s*\\w+\\s*[>\\]]|[Ee][Nn][Uu][Mm]\\s*[({[][^(){}[\\]]{1,200}[)}\\]]|(?:"\\w+"|\'\\w+\')(?:\\s*\\|\\s*(?:"\\w+"|\'\\w+\'))*|\\w+(?:\\s*\\[\\s*\\]|\\s*\\(\\s*\\d+\\s*(?:,\\s*\\d+\\s*)?\\)|\\s*\\|\\s*(?:null|undefined)\\b|\\?|!)?)';

export function foreignType(text: string): ForeignType | undefined {
  for (const { written, isList = false, isNullable = false } of NOTATIONS) {
    const groups = written.exec(text.trim())?.groups;
    if (!groups) continue;
    const { name = '', length, values } = groups;
    return {
      name,
      scalar: scalarMeantBy(name),
      isList,
      isNullable,
      length,
      values: values === undefined ? undefined : valuesFrom(values),
    };
  }
  return undefined;
}

function valuesFrom(text: string): readonly string[] {
  return text.split(/[,|]/).map((value) => value.trim().replace(/^["':]|["']$/g, ''));
}
