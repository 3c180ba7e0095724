/** Kiln's own code, which jobs call as they call hooks. It is trusted: it runs in the process of the server. */
import { OWN_CODE } from '../../compiler/definition/lookup.ts';
import type { HookContext } from '../hooks/context.ts';
import type { HookFunction, HookModules } from '../hooks/hook-code.ts';
import type { RunningJob } from '../request/exchange.ts';
import type { Value } from '../values/value.ts';
import { mailFrom, type SendMail } from './mail.ts';

export interface DeliverOptions {
  /** Missing where no jobs are run. */
  readonly sendMail?: SendMail | undefined;
}

export function ownCode({ sendMail }: DeliverOptions = {}): HookModules {
  const mail: HookFunction = async (args, context) => {
    const { id, signal } = (context as HookContext).job as RunningJob;
    const made = mailFrom(args as Readonly<Record<string, Value>>, id);
    await sendMail?.(made, signal);
  };
  return { [`${OWN_CODE}#mail`]: mail };
}
