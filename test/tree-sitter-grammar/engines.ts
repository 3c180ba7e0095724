/** The engines that load on this machine, and why the others do not. */
import { type Grammar, loadNativeGrammar, loadWasmGrammar } from '../../compiler/syntax/load-grammar.ts';

export const wasm: Grammar = await loadWasmGrammar();

let nativeProblem = '';

export const native: Grammar | undefined = nativeGrammar();

function nativeGrammar(): Grammar | undefined {
  try {
    return loadNativeGrammar();
  } catch (error) {
    nativeProblem = (error as Error).message.split('\n')[0] ?? '';
    return undefined;
  }
}

/** Declares the same tests for each engine; one that does not load shows as pending, with the reason. */
export function withEachEngine(declare: (grammar: Grammar) => void): void {
  describe('with WebAssembly', () => declare(wasm));
  if (native) describe('with the native engine', () => declare(native));
  else it.skip(`with the native engine: ${nativeProblem}`);
}
