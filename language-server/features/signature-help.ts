/** The signature of a call and its current argument: functions, validators and methods of Faker. */
import type { Position, SignatureHelp, SignatureInformation } from 'vscode-languageserver/node';
import { type FakerMethod, fakerCatalogue } from '../../compiler/check/faker-catalogue.ts';
import { isBuiltInValidator } from '../../compiler/check/validations.ts';
import { FUNCTIONS, type FunctionName } from '../../compiler/program/program.ts';
import { typeName } from '../../compiler/program/type.ts';
import { bracesAsWritten } from '../../compiler/syntax/braces.ts';
import { isSign, type Token, tokenize } from '../../compiler/syntax/tokens.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { FUNCTION_TEXTS, ruleCall, SETTING_CALL, VALIDATOR_TEXTS } from './built-ins.ts';
import { unclosedIn } from './hole.ts';

export function signatureAt(project: Project, file: KilnFile, position: Position): SignatureHelp | undefined {
  const { section, offset } = file.placeAt(position);
  const call = callAround(section.text.slice(0, offset));
  const signature = call && signatureOf(project, call);
  if (!signature) return undefined;
  const last = (signature.parameters?.length ?? 0) - 1;
  // Every further argument is the repeated one, if the last may be repeated.
  const isRepeated = signature.parameters?.[last]?.label === '…';
  const activeParameter = isRepeated ? Math.min(call.argument, last) : call.argument;
  return { signatures: [signature], activeSignature: 0, activeParameter };
}

interface Call {
  /** `faker.person.firstName`. */
  readonly name: string;
  /** The index of the argument with the cursor, from 0. */
  readonly argument: number;
  readonly isValidator: boolean;
}

/** The innermost call that is open at the end of a text. A list may be open in it. */
function callAround(before: string): Call | undefined {
  const { tokens } = tokenize(before);
  const open = unclosedIn(tokens);
  const at = open.findLastIndex((index) => !isSign(tokens[index], '['));
  const call = open[at] ?? -1;
  const name = nameBefore(tokens, call);
  if (!isSign(tokens[call], '(') || name === '') return undefined;
  const block = open.findLast((index) => isSign(tokens[index], '{'));
  const isValidator = block !== undefined && nameBefore(tokens, block) === 'validate';
  return { name, argument: commasBetween(tokens, call, open[at + 1] ?? tokens.length), isValidator };
}

/** Counts the commas, without those within brackets. */
function commasBetween(tokens: readonly Token[], from: number, to: number): number {
  const { partner } = bracesAsWritten(tokens);
  let count = 0;
  for (let at = from + 1; at < to; at = (partner.get(at) ?? at) + 1) if (isSign(tokens[at], ',')) count++;
  return count;
}

/** The names before an index, joined by dots. */
function nameBefore(tokens: readonly Token[], index: number): string {
  const parts: string[] = [];
  for (let at = index - 1; at >= 0; at -= 2) {
    const { kind, text } = tokens[at] as Token;
    if (kind !== 'word') break;
    parts.unshift(text);
    if (tokens[at - 1]?.text !== '.') break;
  }
  return parts.join('.');
}

function signatureOf({ context }: Project, { name, isValidator }: Call): SignatureInformation | undefined {
  if (name.startsWith('faker.')) return fakerSignature(name);
  const own = isValidator ? context?.validators.get(name) : undefined;
  if (own) {
    const [, ...args] = own.arguments;
    const parameters = args.map((argument) => `${argument.name}: ${typeName(argument.type)}`);
    return signature(`${name}(${parameters.join(', ')})`, own.doc ?? undefined);
  }
  if (!isValidator && name === SETTING_CALL.name) return signature('setting(NAME)', SETTING_CALL.doc ?? undefined);
  const rule = isValidator ? undefined : context?.rules.byName.get(name);
  if (rule) return signature(ruleCall(rule), rule.doc ?? undefined);
  const text = isValidator
    ? isBuiltInValidator(name) && VALIDATOR_TEXTS[name]
    : isFunction(name) && FUNCTION_TEXTS[name];
  return text ? signature(text.call, text.text) : undefined;
}

function isFunction(name: string): name is FunctionName {
  return (FUNCTIONS as readonly string[]).includes(name);
}

const ANY_NUMBER = 99;

function fakerSignature(name: string): SignatureInformation | undefined {
  const [, module = '', method = '', ...more] = name.split('.');
  const known = more.length === 0 ? fakerCatalogue[module]?.[method] : undefined;
  if (!known) return undefined;
  return signature(`${name}(${fakerParameters(known).join(', ')})`, undefined);
}

function fakerParameters({ takes = [], required, most }: FakerMethod): readonly string[] {
  const named = takes.map((kinds, index) => `${kinds.join(' or ')}${index < required ? '' : '?'}`);
  return most === ANY_NUMBER ? [...named, '…'] : named;
}

/** `call` is `round(number, places?)`. */
function signature(call: string, text: string | undefined): SignatureInformation {
  const inner = call.slice(call.indexOf('(') + 1, -1);
  const labels = inner === '' ? [] : inner.split(', ');
  return {
    label: call,
    parameters: labels.map((label) => ({ label })),
    ...(text === undefined ? {} : { documentation: { kind: 'markdown', value: text } }),
  };
}
