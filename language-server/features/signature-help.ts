/** What a call takes, and which of it is being written: functions, validators and methods of Faker. */
import type { Position, SignatureHelp, SignatureInformation } from 'vscode-languageserver/node';
import { type FakerMethod, fakerCatalogue } from '../../compiler/check/faker-catalogue.ts';
import { isBuiltInValidator } from '../../compiler/check/validations.ts';
import { FUNCTIONS, type FunctionName } from '../../compiler/program/program.ts';
import { typeName } from '../../compiler/program/type.ts';
import { type Token, tokenize } from '../../compiler/syntax/tokens.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { FUNCTION_TEXTS, VALIDATOR_TEXTS } from './built-ins.ts';

export function signatureAt(project: Project, file: KilnFile, position: Position): SignatureHelp | undefined {
  const { section, offset } = file.placeAt(position);
  const call = callAround(linesBefore(section.text, offset));
  const signature = call && signatureOf(project, call);
  if (!signature) return undefined;
  const last = (signature.parameters?.length ?? 0) - 1;
  // Behind an argument that may be repeated, each is that one.
  const isRepeated = signature.parameters?.[last]?.label === '…';
  const activeParameter = isRepeated ? Math.min(call.argument, last) : call.argument;
  return { signatures: [signature], activeSignature: 0, activeParameter };
}

/** In characters. A call is not longer than this. */
const LONGEST_CALL = 4_000;

/** Whole lines: half a line could begin within a text. */
function linesBefore(text: string, offset: number): string {
  const from = offset <= LONGEST_CALL ? 0 : text.indexOf('\n', offset - LONGEST_CALL);
  return from < 0 ? '' : text.slice(from, offset);
}

interface Call {
  /** `faker.person.firstName`. */
  readonly name: string;
  /** Which argument the cursor is in, from 0. */
  readonly argument: number;
  readonly isValidator: boolean;
}

interface Open {
  readonly sign: string;
  readonly name: string;
  readonly argument: number;
}

const CLOSERS: ReadonlySet<string> = new Set([')', ']', '}']);

/** The innermost call that is open at the end of a text. A list may be open in it. */
function callAround(before: string): Call | undefined {
  const { tokens } = tokenize(before);
  const open: Open[] = [];
  tokens.forEach(({ kind, text }, index) => {
    if (kind !== 'sign') return;
    if (text === '(' || text === '[' || text === '{')
      open.push({ sign: text, name: nameBefore(tokens, index), argument: 0 });
    else if (CLOSERS.has(text)) open.pop();
    else if (text === ',') {
      const last = open.pop();
      if (last) open.push({ ...last, argument: last.argument + 1 });
    }
  });
  while (open.at(-1)?.sign === '[') open.pop();
  const call = open.at(-1);
  if (call?.sign !== '(' || call.name === '') return undefined;
  const block = open.findLast(({ sign }) => sign === '{');
  return { name: call.name, argument: call.argument, isValidator: block?.name === 'validate' };
}

/** Names joined by dots. */
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
