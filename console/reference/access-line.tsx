/** Who may call an operation. The rule itself is told in development alone. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { accessRules, wantAccessRules } from '../state/access-rules.ts';
import { type Access, type ApiOperation, accessOf } from '../state/operations.ts';
import { useStore } from '../state/store.ts';
import { Icon } from '../ui/icons.tsx';

const WORDS: Readonly<Record<Access, string>> = {
  anyone: 'Anyone may call it.',
  optional: 'Anyone may call it. The response may depend on who is signed in.',
  'signed-in': 'Only callers who are signed in.',
  rule: 'Only callers whom a rule of the application allows.',
};

export function AccessLine({ operation }: { readonly operation: ApiOperation }): JSX.Element {
  useEffect(wantAccessRules, []);
  const rules = useStore(accessRules);
  const access = accessOf(operation.operation);
  const known = rules[`${operation.method.toUpperCase()} ${operation.path}`];
  return (
    <div class="access">
      <Icon name={access === 'anyone' || access === 'optional' ? 'user' : 'lock'} />
      <div>
        <p>{WORDS[access]}</p>
        {access === 'rule' && known && (
          <p>
            Rule: <code>{known.rule}</code>
          </p>
        )}
        {known && known.records !== null && (
          <p>
            Records: <code>{known.records}</code>
          </p>
        )}
      </div>
    </div>
  );
}
