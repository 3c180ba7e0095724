/** `setting NAME { type T, default e, secret }` declares an environment variable, and `setting(NAME)` reads it. */
import type * as ast from '../ast/ast.ts';
import { isOwnVariable } from '../definition/contract/variables.ts';
import { type NearName, nearName } from '../diagnostics/words/near-name.ts';
import type { Expression, Setting } from '../program/program.ts';
import { STRING, typeName } from '../program/type.ts';
import { type Context, pathText, reported, reportSecret, type Settings, textIfPath } from './context.ts';
import { checkFitting } from './fitting.ts';
import { isLiteral } from './literals.ts';
import { fieldType, type Names } from './members.ts';
import { emptyScope, POSITIONS, type Scope } from './scope.ts';

export const SETTING = 'setting';

/** Without their defaults, which `checkSettings` reads. */
export function declareSettings(declarations: readonly ast.SettingDeclaration[], names: Names): Settings {
  const settings = declarations.map((declaration): Setting => declareSetting(declaration, names));
  return { byName: new Map(settings.map((setting) => [setting.name, setting])), used: new Set() };
}

function declareSetting(declaration: ast.SettingDeclaration, names: Names): Setting {
  const { name, doc, secret, span: whole } = declaration;
  reportName(names, name);
  const type = declaration.type ? fieldType(names, declaration, name.text, 'setting') : STRING;
  if (type.many || type.base.kind === 'json')
    names.report('setting-type', declaration.type?.span ?? name.span, { name: name.text, type: typeName(type) });
  return { name: name.text, doc, default: null, secret: secret !== undefined, type, span: name.span, whole };
}

function reportName({ report }: Names, { text: name, span }: ast.Name): void {
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) report('bad-setting-name', span, { name, meant: upperCase(name) });
  else if (isOwnVariable(name)) report('reserved-setting', span, { name });
}

function upperCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/^_+/, '')
    .toUpperCase();
}

/** The settings with their defaults. */
export function checkSettings(context: Context, declarations: readonly ast.SettingDeclaration[]): readonly Setting[] {
  return declarations.map((declaration) => {
    const setting = context.settings.byName.get(declaration.name.text) as Setting;
    return { ...setting, default: declaration.default ? checkDefault(context, setting, declaration.default) : null };
  });
}

/** As it would be written in the environment. */
function checkDefault(context: Context, { name, type, secret }: Setting, written: ast.Expression): string | null {
  if (secret) return context.report('secret-default', written.span, { name }) ?? null;
  if (!isLiteral(written) || written.kind === 'null')
    return context.report('computed-setting', written.span, { name }) ?? null;
  const value = checkFitting(context, written, emptyScope(POSITIONS.default), { type, by: `\`${name}\``, takes: true });
  return value.kind === 'literal' && value.value !== null ? String(value.value) : null;
}

// ── Uses ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Where a request is answered. The database must not depend on the environment of one server. */
export function checkSettingCall(context: Context, call: ast.Call, scope: Scope): Expression {
  const { span } = call;
  const [argument, ...others] = call.arguments;
  const [name, ...steps] = argument?.kind === 'path' ? argument.steps : [];
  if (!name || steps.length + others.length > 0)
    return context.report('incomplete-setting', span, { name: quotedName(call) }) ?? reported(span);
  const setting = settingNamed(context, name, false, scope);
  if (!setting) return reported(name.span);
  const { noun, auth, secrets } = scope.position;
  if (!auth) return context.report('setting-not-here', span, { name: name.text, noun }) ?? reported(span);
  if (setting.secret && !secrets) return reportSecret(context, setting, span, noun) ?? reported(span);
  return { kind: 'path', root: { kind: 'setting', name: setting.name }, steps: [], type: setting.type, span };
}

/** The name in `setting("NAME")` and `env("NAME")`. */
function quotedName({ arguments: [argument, ...others] }: ast.Call): string | undefined {
  const isName = argument?.kind === 'string' && others.length === 0 && /^[A-Z]\w*$/.test(argument.value);
  return isName ? argument.value : undefined;
}

/** The setting that a call means as other languages write it: `env(NAME)` and `getenv("NAME")`. */
export function settingMeantBy(call: ast.Call): NearName | undefined {
  if (!/^(?:get)?env$/i.test(pathText(call.function))) return undefined;
  return { name: `${SETTING}(${textIfPath(call.arguments[0]) ?? quotedName(call) ?? 'NAME'})` };
}

/** The setting of that name, which is used here; undefined if there is none, which has been reported. */
export function settingNamed(
  { settings, witness, report }: Context,
  { text: name, span }: ast.Name,
  isSecret: boolean,
  scope = emptyScope(POSITIONS.set),
): Setting | undefined {
  const setting = settings.byName.get(name);
  if (!setting) {
    witness?.missed?.(span, scope, undefined);
    const top = isSecret ? { ...span, start: 0, end: 0 } : undefined;
    return report('unknown-setting', span, { name, top, near: nearName(name, settings.byName.values()) });
  }
  settings.used.add(setting);
  witness?.meant(span, { kind: 'setting', setting });
  return setting;
}
