/** What operators have to know about the settings of a release: which variables they must set, and which they may. */
import type { Definition, Setting } from '../definition/definition.ts';
import { isWithin } from '../definition/digits.ts';
import type { Type } from '../definition/expression.ts';
import { quoted, typeName } from './api-rules.ts';
import type { SettingChange } from './difference.ts';

/** What must be set comes first. */
export function settingChanges(before: Definition, after: Definition): readonly SettingChange[] {
  const [former, latter] = [settingsByName(before), settingsByName(after)];
  const gone = [...former.keys()].filter((name) => !latter.has(name));
  const changes = [
    ...[...latter.values()].flatMap((setting) => changesOf(former.get(setting.name), setting)),
    ...gone.map((name) => changeOf(name, 'optional', 'is not read any more')),
  ];
  return changes.sort((a, b) => orderOf(a) - orderOf(b));
}

function settingsByName({ settings = [] }: Definition): ReadonlyMap<string, Setting> {
  return new Map(settings.map((setting) => [setting.name, setting]));
}

function orderOf({ level }: SettingChange): number {
  return level === 'required' ? 0 : 1;
}

function changeOf(name: string, level: SettingChange['level'], says: string): SettingChange {
  return { level, says: `${quoted(name)} ${says}`, subject: { kind: 'setting', name } };
}

function changesOf(former: Setting | undefined, setting: Setting): readonly SettingChange[] {
  const { name, type, default: value, secret } = setting;
  const changes: SettingChange[] = [];
  const say = (level: SettingChange['level'], says: string) => changes.push(changeOf(name, level, says));
  if (!former && value === null) say('required', 'is new and must be set: it has no default');
  else if (!former) say('optional', `is new, with the default ${quoted(value ?? '')}`);
  else {
    const [was, is] = [sizedName(former.type), sizedName(type)];
    if (was !== is)
      say(isWider(former.type, type) ? 'optional' : 'required', `is of the type ${quoted(is)} now, not ${quoted(was)}`);
    if (former.default !== value && value === null) say('required', 'must be set: it has no default any more');
    else if (former.default !== value) say('optional', `has the default ${quoted(value ?? '')} now`);
    if (former.secret !== secret) say('optional', secret ? 'is secret now' : 'is not secret any more');
  }
  return changes;
}

/** Whether every text that was valid still is. */
function isWider(former: Type, { kind, digits }: Type): boolean {
  const isNumber = former.kind === 'integer' || former.kind === kind;
  return isNumber && (kind === 'float' || (kind === 'decimal' && (!digits || isWithin(former.digits, digits))));
}

function sizedName(type: Type): string {
  const { digits } = type;
  return typeName(type) + (digits ? `(${digits.all}, ${digits.places})` : '');
}
