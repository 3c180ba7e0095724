/** The settings that an application declares, read from the environment once, when the server is started. */
import type { Definition, Setting } from '../../compiler/definition/definition.ts';
import { enumValuesIn } from '../../compiler/definition/lookup.ts';
import { standardSecrets } from '../../compiler/definition/signed-requests.ts';
import { valueFromText } from './kinds.ts';
import { standardKey } from './signing-key.ts';
import type { Value } from './value.ts';

/** By name. Secret ones cannot be enumerated, so that neither the log nor JSON shows them with the others. */
export type SettingValues = Readonly<Record<string, Value>>;

interface SettingsRead {
  readonly settings: SettingValues;
  /** All that is wrong, one sentence each: never with the value of a secret. */
  readonly problems: readonly string[];
}

export function settingsFromEnvironment(
  definition: Pick<Definition, 'settings' | 'enums'> & Partial<Definition>,
  environment: Readonly<Record<string, string | undefined>>,
): SettingsRead {
  const { settings: declared = [] } = definition;
  const enumValues = enumValuesIn(definition);
  const problems: string[] = [];
  const standard = standardSecrets(definition);
  const values = declared.map((setting) => {
    // A variable that is empty counts as not set.
    const text = environment[setting.name]?.trim() || setting.default;
    const read = text === null ? null : valueFromText(text, setting.type, enumValues);
    if (!read?.ok) problems.push(problemOf(setting, text, read?.message));
    else if (standard.has(setting.name) && standardKey(String(read.value)) === null)
      problems.push(`${setting.name} must be \`whsec_\` and at least 16 bytes in Base64.`);
    return [setting.name, read?.ok ? read.value : null] as const;
  });
  return { settings: settingValues(declared, Object.fromEntries(values)), problems };
}

/** The settings as they were sent by `allSettings`. */
export function settingValues(declared: readonly Setting[], values: Readonly<Record<string, Value>>): SettingValues {
  const settings = { ...values };
  for (const { name } of declared.filter(({ secret }) => secret))
    Object.defineProperty(settings, name, { enumerable: false });
  return Object.freeze(settings);
}

/** All settings, secret ones too, for another thread: what cannot be enumerated is not sent. */
export function allSettings(declared: readonly Setting[], settings: SettingValues): Readonly<Record<string, Value>> {
  return Object.fromEntries(declared.map(({ name }) => [name, settings[name] ?? null]));
}

function problemOf({ name, type, secret }: Setting, text: string | null, message: string | undefined): string {
  if (message === undefined)
    return `${name} is not set: it is a setting of the application (${type.enum ?? type.kind}).`;
  return secret ? `${name} ${message}.` : `${name} ${message}, but it is \`${text}\`.`;
}
