/** The pages of the reference: together they show all that the language has. */
export const REFERENCE = [
  'docs/reference.md',
  'docs/sources.md',
  'docs/models.md',
  'docs/expressions.md',
  'docs/validators.md',
  'docs/endpoints.md',
  'docs/lists.md',
  'docs/inputs.md',
  'docs/rules.md',
  'docs/actions.md',
  'docs/changes.md',
  'docs/tools.md',
  'docs/authentication.md',
  'docs/hooks.md',
  'docs/populators.md',
  'docs/jobs.md',
  'docs/schedules.md',
  'docs/mail.md',
  'docs/webhooks.md',
  'docs/accounts.md',
  'docs/files.md',
] as const;

/** The documents in which nothing is shown that is not run. */
export const EXECUTED = [...REFERENCE, 'docs/cookbook.md', 'docs/api.md', 'docs/live.md'] as const;
