import type { Type } from '../../compiler/definition/definition.ts';
import { type Checked, checkValue, type EnumValues, refused } from './input-value.ts';

/** The value of a parameter of the path or of the query, where everything arrives as text. */
export function valueFromText(text: string, type: Type, enumValues: EnumValues): Checked {
  if (type.many) return valueFromJson(text, type, enumValues);
  switch (type.kind) {
    case 'integer':
      return INTEGER.test(text) ? checkValue(Number(text), type, enumValues) : refused('must be an integer');
    case 'float':
      return NUMBER.test(text) ? checkValue(Number(text), type, enumValues) : refused('must be a number');
    case 'boolean':
      return checkValue(text === 'true' || (text === 'false' ? false : text), type, enumValues);
    case 'decimal':
      return decimalFromText(text, type, enumValues);
    case 'json':
    case 'record':
    case 'any':
      return valueFromJson(text, type, enumValues);
    default:
      return checkValue(text, type, enumValues);
  }
}

const INTEGER = /^-?\d+$/;
/** As in JSON, but with any number of zeros in front. */
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** In JSON it is a text in quotes; here there are none. */
function decimalFromText(text: string, type: Type, enumValues: EnumValues): Checked {
  const checked = checkValue(text, type, enumValues);
  return checked.ok ? checked : refused('must be a decimal, such as 12.50');
}

function valueFromJson(text: string, type: Type, enumValues: EnumValues): Checked {
  try {
    return checkValue(JSON.parse(text), type, enumValues);
  } catch {
    return refused('must be JSON');
  }
}
