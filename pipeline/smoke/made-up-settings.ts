/** Values for the settings that an image must have: its test has none of the environments that it will run in. */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import { hasFiles } from '../../compiler/definition/files.ts';
import { isScalar, SCALARS } from '../../compiler/definition/scalars.ts';
import { standardSecrets } from '../../compiler/definition/signed-requests.ts';
import { sendsMail } from '../../compiler/definition/work.ts';

/** Each is of the type of its setting. One with a default keeps it. No mail leaves the sandbox. */
export function madeUpSettings(definition: Definition): Readonly<Record<string, string>> {
  const { settings = [], enums } = definition;
  const needed = settings.filter((setting) => setting.default === null);
  const standard = standardSecrets(definition);
  const own = needed.map(({ name, type }) => [name, standard.has(name) ? MADE_UP_SECRET : madeUp(type, enums)]);
  const mail = sendsMail(definition) ? { MAIL_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'made-up@example.com' } : {};
  // Every container has this folder.
  const files = hasFiles(definition) ? { FILES_URL: 'file:///dev/shm/files' } : {};
  return { ...mail, ...files, ...Object.fromEntries(own) };
}

const MADE_UP_SECRET = `whsec_${'made'.repeat(8)}`;

export function madeUp({ kind, enum: name, digits }: Type, enums: Definition['enums']): string {
  if (kind === 'enum') return enums.find((each) => each.name === name)?.values[0]?.name ?? '';
  if (kind === 'string') return 'made-up';
  if (kind === 'boolean') return 'false';
  if (digits) return digits.all === digits.places ? '0' : '1';
  return (isScalar(kind) && SCALARS[kind].form?.example) || '1';
}
