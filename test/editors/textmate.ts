/** Tokens of Kiln sources by the engine that Visual Studio Code colours with. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import onig from 'vscode-oniguruma';
import textmate, { type IGrammar, type IOnigLib, type IRawGrammar } from 'vscode-textmate';

/** One token: where it stands in the source, and its scopes without that of the language, the innermost last. */
export interface ScopedToken {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly scopes: readonly string[];
}

const require = createRequire(import.meta.url);
const GRAMMAR = require('../../editors/vscode/kiln.tmLanguage.json') as { readonly scopeName: string };

async function regularExpressions(): Promise<IOnigLib> {
  await onig.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  return {
    createOnigScanner: (patterns) => new onig.OnigScanner(patterns),
    createOnigString: (text) => new onig.OnigString(text),
  };
}

async function loadedGrammar(): Promise<IGrammar> {
  const registry = new textmate.Registry({
    onigLib: regularExpressions(),
    loadGrammar: async (scope) =>
      scope === GRAMMAR.scopeName
        ? textmate.parseRawGrammar(JSON.stringify(GRAMMAR), 'kiln.json')
        : inertGrammar(scope),
  });
  const grammar = await registry.loadGrammar(GRAMMAR.scopeName);
  if (!grammar) throw new Error('The grammar did not load.');
  return grammar;
}

/** Stands where the editor has a grammar of JavaScript, whose colours are not ours. */
function inertGrammar(scopeName: string): IRawGrammar {
  return textmate.parseRawGrammar(JSON.stringify({ scopeName, patterns: [] }), `${scopeName}.json`);
}

const grammar = await loadedGrammar();

export function tokensOf(source: string): readonly ScopedToken[] {
  let state = textmate.INITIAL;
  let place = 0;
  return source.split(/(\r\n|\r|\n)/).flatMap((line, index) => {
    const start = place;
    place += line.length;
    if (index % 2 === 1) return [];
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => scopedToken(line, start, startIndex, endIndex, scopes));
  });
}

function scopedToken(line: string, place: number, from: number, to: number, scopes: readonly string[]): ScopedToken {
  const end = Math.min(to, line.length);
  return { start: place + from, end: place + end, text: line.slice(from, end), scopes: scopes.slice(1) };
}
