import { complain } from './terminal.ts';

/** Says that Kiln itself failed. The stack is for those who look into it. */
export function reportOwnFailure(error: unknown): void {
  const detail = process.env.KILN_DEBUG ? `\n${stackOf(error)}` : '';
  const how = detail ? '' : ' with what KILN_DEBUG=1 adds to this';
  complain(`Kiln failed (${String(error)}); please report it${how}${detail}`);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}
