/**
 * Mistakes of people who come from other languages, as data: one file for each origin, one block for each mistake.
 *
 *     ── what it is about · where it stands ──
 *     type «varchar(255)»                          the source, with each place that must be marked
 *     → fixed
 *     type string, validate { maxLength(255) }     the source after its own edits, where they mend it
 *     → says
 *     …                                            every message
 *
 * UPDATE_GOLDEN=1 rewrites what comes behind the arrows; the diff is then for a person to read.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Mistake {
  readonly title: string;
  readonly place: string;
  /** With `«` and `»` around each place that must be marked. */
  readonly source: string;
  readonly fixed: string | undefined;
  readonly says: string;
}

export interface MistakeFile {
  readonly path: string;
  readonly origin: string;
  readonly mistakes: readonly Mistake[];
}

const TITLE = /^── (.+) · (\S+) ──$/;

export function mistakeFiles(): readonly MistakeFile[] {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt'));
  return names.sort().map((name) => {
    const path = join(import.meta.dirname, name);
    return { path, origin: basename(name, '.txt'), mistakes: mistakesFrom(readFileSync(path, 'utf8')) };
  });
}

export function updateMistakes(path: string, mistakes: readonly Mistake[]): void {
  writeFileSync(path, mistakes.map(blockFrom).join('\n'));
}

function mistakesFrom(text: string): readonly Mistake[] {
  return text
    .split(/^(?=── )/m)
    .filter((block) => block.trim() !== '')
    .map(mistakeFrom);
}

function mistakeFrom(block: string): Mistake {
  const [head = '', ...lines] = block.split('\n');
  const [, title, place] = TITLE.exec(head) ?? [];
  if (!title || !place) throw new Error(`not a title: ${head}`);
  const [source = '', ...sections] = lines.join('\n').split(/^→ /m);
  const section = (name: string) => sections.find((one) => one.startsWith(name))?.slice(name.length + 1);
  return {
    title,
    place,
    source: source.trimEnd(),
    fixed: section('fixed')?.trimEnd(),
    says: section('says')?.trimEnd() ?? '',
  };
}

function blockFrom({ title, place, source, fixed, says }: Mistake): string {
  const after = fixed === undefined ? [] : ['→ fixed', fixed];
  return `${[`── ${title} · ${place} ──`, source, ...after, '→ says', says].join('\n')}\n`;
}

/** A program in which nothing is wrong, around the place in which a mistake stands for `…`. */
const PROGRAM = {
  models: `enum Status { draft, published }

model User {
  field name { type string }
  field email { type string, unique }
  relation posts { from Post, through author }
}

model Comment {
  reference post { to Post, on delete cascade }
  field body { type string }
}

auth { model User }
`,
  post: `
model Post {
  reference author { to User }
  field title { type string }
  field slug { type string, unique }
  field status { type Status, default "draft" }
  field published { type boolean, default false }
  field views { type integer, default 0 }
  field published_at { type timestamp, nullable }
  relation comments { from Comment, through post }
`,
  api: `
api {
  entrypoint Post as post {
`,
};

const inPost = (text: string) => `${PROGRAM.models}${PROGRAM.post}${text}}\n`;
const inEntrypoint = (text: string) => `${inPost('')}${PROGRAM.api}${text}  }\n}\n`;

/** What stands around a mistake, by the name of its place. */
export const AROUND: Readonly<Record<string, string>> = {
  alone: '…\n',
  file: `${inPost('')}\n…\n`,
  model: inPost('  …\n'),
  field: inPost('  field extra { … }\n'),
  reference: inPost('  reference extra { … }\n'),
  computed: inPost('  computed extra { … }\n'),
  validate: inPost('  field extra { type string, validate { … } }\n'),
  enum: `${inPost('')}\nenum Color { … }\n`,
  remark: `${PROGRAM.models.replace('model Comment {', 'model Remark {\n  …').replace('}\n\nauth', '}\n\nauth')}${PROGRAM.post.replace('Comment', 'Remark')}}\n`,
  api: `${inPost('')}\napi {\n  …\n}\n`,
  entrypoint: inEntrypoint('    …\n    get endpoint {}\n'),
  'other-entrypoint': inEntrypoint('    …\n'),
  list: inEntrypoint('    list endpoint { … }\n'),
  filter: inEntrypoint('    list endpoint { filter { … } }\n'),
  authorize: inEntrypoint('    get endpoint { authorize { … } }\n'),
  role: inEntrypoint('    get endpoint { authorize { … } }\n').replace(
    'model User {',
    'enum Role { member, admin }\n\nmodel User {\n  field role { type Role, default "member" }',
  ),
  action: inEntrypoint('    POST one "publish" { authorize { true } action { … } }\n'),
  populate: `${inPost('')}\npopulator Dev { populate User { … } }\n`,
};
