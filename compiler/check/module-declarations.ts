/** The names that a declaration of a module declares at run time: none for types and for what is only `declare`d. */
import { isName, type Token, type Tokens } from './module-tokens.ts';

/** The cursor is at the beginning of a statement; a statement that declares nothing has no names. */
export function declaredNames(tokens: Tokens): readonly string[] {
  if (tokens.at('async') && tokens.isBefore('function')) tokens.next();
  if (tokens.at('abstract') && tokens.isBefore('class')) tokens.next();
  if (tokens.takes('function')) {
    tokens.takes('*');
    return nameHere(tokens);
  }
  if (tokens.takes('class') || tokens.takes('enum')) return nameHere(tokens);
  if (tokens.at('namespace') || tokens.at('module')) return namespaceNames(tokens);
  if (tokens.at('const') && tokens.isBefore('enum')) {
    tokens.next();
    return declaredNames(tokens);
  }
  if (tokens.takes('const') || tokens.takes('let') || tokens.takes('var')) return variableNames(tokens);
  return [];
}

function nameHere({ current }: Tokens): readonly string[] {
  return isName(current) ? [current.value] : [];
}

/** `namespace Geo.Shapes {` declares `Geo`. */
function namespaceNames(tokens: Tokens): readonly string[] {
  tokens.next();
  const names = nameHere(tokens);
  tokens.next();
  return tokens.at('{') || tokens.at('.') ? names : [];
}

/** `a = 1, { b, c: [d] } = e, f: Map<string, number> = g`. */
function variableNames(tokens: Tokens): readonly string[] {
  const names: string[] = [];
  do {
    names.push(...patternNames(tokens));
    tokens.takes('!');
    if (tokens.takes(':')) skipTo(tokens, ['=', ','], true);
    if (tokens.takes('=')) skipTo(tokens, [','], false);
  } while (tokens.takes(','));
  return names;
}

function patternNames(tokens: Tokens): readonly string[] {
  if (tokens.at('{')) return objectPatternNames(tokens);
  if (tokens.at('[')) return listPatternNames(tokens);
  const names = nameHere(tokens);
  tokens.next();
  return names;
}

/** `{ a, b: c, [key]: d, "e": f, g = 1, ...h }`. */
function objectPatternNames(tokens: Tokens): readonly string[] {
  const inside = (tokens.next()?.depth ?? 0) + 1;
  const names: string[] = [];
  while (tokens.current && !tokens.takes('}')) {
    tokens.takes('...');
    if (tokens.at('[')) tokens.skipBrackets();
    else if (!tokens.isBefore(':')) names.push(...nameHere(tokens));
    else tokens.next();
    if (tokens.takes(':')) names.push(...patternNames(tokens));
    skipElement(tokens, inside);
  }
  return names;
}

/** `[a, , b = 1, ...c]`. */
function listPatternNames(tokens: Tokens): readonly string[] {
  const inside = (tokens.next()?.depth ?? 0) + 1;
  const names: string[] = [];
  while (tokens.current && !tokens.takes(']')) {
    tokens.takes('...');
    if (!tokens.at(',')) names.push(...patternNames(tokens));
    skipElement(tokens, inside);
  }
  return names;
}

/** To behind the comma, or to the bracket that closes the pattern. */
function skipElement(tokens: Tokens, depth: number): void {
  while (tokens.current && tokens.current.depth >= depth) {
    const isComma = tokens.at(',') && tokens.current.depth === depth;
    tokens.next();
    if (isComma) return;
  }
}

// ── Where an initialiser or a type ends ─────────────────────────────────────────────────────────────────────────────

/** To the first of the signs that is outside of all brackets, angle brackets of types too, or to the statement's end. */
function skipTo(tokens: Tokens, signs: readonly string[], startsWithType: boolean): void {
  let isType = startsWithType;
  while (tokens.current) {
    if (tokens.at(';') || isStatementEnd(tokens)) return;
    if (signs.some((sign) => tokens.at(sign))) return;
    isType ||= tokens.at('as') || tokens.at('satisfies');
    if (tokens.at('<') && (isType || isTypeArguments(tokens))) skipAngles(tokens, TYPES);
    else if (isOpening(tokens.current)) tokens.skipBrackets();
    else tokens.next();
  }
}

function isOpening({ type, value }: Token): boolean {
  return type === 'TemplateHead' || (type === 'Punctuator' && ['(', '[', '{'].includes(value));
}

/** A line break ends a statement where two tokens that cannot follow each other stand around it. */
function isStatementEnd({ current, previous }: Tokens): boolean {
  if (!current?.startsLine || !previous || !endsExpression(previous)) return false;
  return isName(current) ? !CONTINUING.has(current.value) : LITERALS.has(current.type) || current.value === '@';
}

const LITERALS: ReadonlySet<Token['type']> = new Set(['StringLiteral', 'NumericLiteral', 'PrivateIdentifier']);

/** Words that join what is before them to what is behind. */
const CONTINUING: ReadonlySet<string> = new Set('in instanceof of as satisfies extends implements is'.split(' '));

/** Words that want something behind them. */
const WANTING: ReadonlySet<string> = new Set([
  ...CONTINUING,
  ...'function class new typeof void delete await yield async keyof infer readonly unique abstract asserts'.split(' '),
]);

function endsExpression({ type, value }: Token): boolean {
  if (type === 'IdentifierName') return !WANTING.has(value);
  if (type === 'Punctuator') return [')', ']', '}', '>', '>>', '>>>', '++', '--', '!'].includes(value);
  return type !== 'TemplateHead' && type !== 'TemplateMiddle';
}

/** Whether `<` begins the arguments or parameters of a type, as in `parse<A, B>(text)` and `<A, B>(a: A) => a`. */
function isTypeArguments(tokens: Tokens): boolean {
  const isPrefix = !tokens.previous || !endsExpression(tokens.previous);
  const ahead = tokens.copy();
  if (isPrefix) return skipAngles(ahead, TYPES);
  return skipAngles(ahead, TYPE_ARGUMENTS) && (ahead.at('(') || ahead.current?.type === 'NoSubstitutionTemplate');
}

/** To behind the `>` that closes the `<` here. False, where what is between them cannot be types. */
function skipAngles(tokens: Tokens, allowed: ReadonlySet<string>): boolean {
  let open = 0;
  while (tokens.current) {
    const { type, value } = tokens.current;
    if (type === 'Punctuator' && !allowed.has(value)) return false;
    if (value === '<') open += 1;
    if (/^>+$/.test(value)) open -= value.length;
    if (isOpening(tokens.current)) tokens.skipBrackets();
    else tokens.next();
    if (open <= 0) return true;
  }
  return false;
}

const TYPE_ARGUMENTS: ReadonlySet<string> = new Set('< > >> >>> , . | & ? : => ( [ { ... - +'.split(' '));

/** Parameters may have a default: `<T = string>`. */
const TYPES: ReadonlySet<string> = new Set([...TYPE_ARGUMENTS, '=']);
