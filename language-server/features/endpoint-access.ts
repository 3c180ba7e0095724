/** Who may call one endpoint, in the words of `kiln access`. Only what the rule asks for is made a definition. */
import { databaseNames } from '../../compiler/define/database-names.ts';
import { endpointsFrom } from '../../compiler/define/endpoints.ts';
import { modelFrom } from '../../compiler/define/models.ts';
import { keptFor } from '../../compiler/definition/kept.ts';
import type { ModelsByName } from '../../compiler/definition/rules-written-out.ts';
import { accessRuleOf } from '../../compiler/difference/access-rules.ts';
import { OWN_NAMES } from '../../compiler/difference/former-names.ts';
import type { Endpoint, Program } from '../../compiler/program/program.ts';

/** `anyone`, `signed in`, or the condition; undefined where an error keeps it from being known. */
export function accessText(program: Program, endpoint: Endpoint): string | undefined {
  try {
    const [defined] = endpointsFrom([endpoint]);
    if (!defined) return undefined;
    const source = { models: modelsByName(program), auth: program.auth?.model.name ?? '', names: OWN_NAMES };
    const { who, says, shows } = accessRuleOf(defined, source).access;
    const callers = who === 'condition' ? says : who;
    return shows === undefined ? callers : `${callers}; records: ${shows}`;
  } catch {
    // A definition is made of programs without errors, and this one may have some.
    return undefined;
  }
}

const modelsByName = keptFor((program: Program): ModelsByName => {
  const names = databaseNames(program);
  const written = new Map(program.models.map((model) => [model.name, model]));
  const defined = new Map<string, ReturnType<typeof modelFrom>>();
  return {
    get: (name) => {
      const model = written.get(name);
      if (model && !defined.has(name)) defined.set(name, modelFrom(model, names));
      return defined.get(name);
    },
  };
});
