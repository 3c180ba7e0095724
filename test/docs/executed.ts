/** The documents in which nothing is shown that is not run. */
export const EXECUTED = [
  'docs/reference.md',
  'docs/language.md',
  'docs/cookbook.md',
  'docs/api.md',
  'docs/authentication.md',
  'docs/hooks.md',
  'docs/jobs.md',
  'docs/mail.md',
  'docs/accounts.md',
  'docs/populators.md',
  'docs/schedules.md',
  'docs/webhooks.md',
] as const;
