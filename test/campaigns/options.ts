/** What the command line of a campaign says. */
import { parseArgs } from 'node:util';

interface CampaignOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly clients: number;
  /** The applications to run; empty for all. */
  readonly examples: readonly string[];
  /** The operations to call, by id; empty for all. */
  readonly operations: readonly string[];
}

export function campaignOptions(args: readonly string[], clients: number): CampaignOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      clients: { type: 'string', default: String(clients) },
      example: { type: 'string', multiple: true, default: [] },
      operation: { type: 'string', multiple: true, default: [] },
    },
  });
  return {
    minutes: positive('--minutes', values.minutes),
    seed: positive('--seed', values.seed),
    clients: positive('--clients', values.clients),
    examples: values.example,
    operations: values.operation,
  };
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && Number.isFinite(number))) throw new Error(`${option} takes a number above 0, not \`${text}\``);
  return number;
}

/** One line that is written over; where nobody watches, nothing. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}
