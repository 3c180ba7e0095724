/** Kiln's own code, which jobs call as they call hooks. It is trusted: it runs in the process of the server. */
import { OWN_CODE } from '../../compiler/definition/lookup.ts';
import type { OwnCode } from '../../compiler/definition/work.ts';
import type { HookContext } from '../hooks/context.ts';
import type { HookFunction, HookModules } from '../hooks/hook-code.ts';
import type { RunningJob } from '../request/exchange.ts';
import type { Value } from '../values/value.ts';
import type { HostSlots } from './host-slots.ts';
import { mailFrom, type SendMail } from './mail.ts';
import { receiverOf, sendWebhook, type WebhookParts, webhookBody } from './webhook.ts';

/** Missing where jobs are only checked: mails and webhooks are made, and not sent. */
export interface DeliverOptions {
  readonly sendMail?: SendMail | undefined;
  readonly slots?: Pick<HostSlots, 'use'>;
  readonly isPrivateAllowed?: boolean;
  /** Takes the ids of files, separated by blanks, or with `uploads/` in front those of uploads which records have taken. */
  readonly removeFiles?: (files: string) => Promise<void>;
}

/** So many at a time: the connections that are kept to the mail server, and what a receiver of webhooks is asked to bear. */
const LIMITS = {
  mail: { most: 5, seconds: 60 },
  webhook: { most: 2, seconds: 15 },
  files: { most: 5, seconds: 60 },
} as const;

export function ownCode({ sendMail, slots, isPrivateAllowed = false, removeFiles }: DeliverOptions = {}): HookModules {
  const mail: HookFunction = async (args, context) => {
    const job = jobOf(context);
    const sent = mailFrom(args as Readonly<Record<string, Value>>, job.id);
    await slots?.use('mail', LIMITS.mail, job, async (signal) => sendMail?.(sent, signal));
  };
  const webhook: HookFunction = async (args, context) => {
    const job = jobOf(context);
    const parts = args as unknown as WebhookParts;
    const options = { isPrivateAllowed };
    const { host } = receiverOf(parts, options);
    await slots?.use(`webhook ${host}`, LIMITS.webhook, job, (signal) => sendWebhook(parts, job.id, signal, options));
  };
  const body: HookFunction = async (args) => webhookBody(args);
  const remove: HookFunction = async (args, context) => {
    const { file } = args as { readonly file: string };
    await slots?.use('files', LIMITS.files, jobOf(context), async () => removeFiles?.(file));
  };
  const code = { mail, webhook, body, removeFile: remove } satisfies Record<OwnCode, HookFunction>;
  return Object.fromEntries(Object.entries(code).map(([name, run]) => [`${OWN_CODE}#${name}`, run]));
}

function jobOf(context: unknown): RunningJob {
  return (context as HookContext).job as RunningJob;
}
