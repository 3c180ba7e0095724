/** What Visual Studio Code is told. */
import type { ProjectFile } from './project-file.ts';

export const EDITOR_FILES: readonly ProjectFile[] = [
  {
    path: '.vscode/settings.json',
    text: json({
      'files.exclude': { '**/.kiln': true },
      'files.watcherExclude': { '**/.kiln/**': true },
      'editor.tabSize': 2,
      'files.insertFinalNewline': true,
    }),
  },
  { path: '.vscode/extensions.json', text: json({ recommendations: ['kiln.kiln', 'editorconfig.editorconfig'] }) },
  { path: '.vscode/tasks.json', text: json(tasks()) },
];

/** `kiln check` as the build task of Visual Studio Code: what it finds is shown at its place in the source. */
function tasks(): unknown {
  const task = {
    label: 'kiln check',
    type: 'shell',
    command: 'kiln check',
    group: { kind: 'build', isDefault: true },
    presentation: { reveal: 'silent' },
    problemMatcher: {
      owner: 'kiln',
      fileLocation: 'autoDetect',
      pattern: [
        { regexp: '^(error|warning)\\[([a-z0-9-]+)\\]: (.*)$', severity: 1, code: 2, message: 3 },
        { regexp: '^ *--> (.*):(\\d+):(\\d+)$', file: 1, line: 2, column: 3 },
      ],
    },
  };
  return { version: '2.0.0', tasks: [task] };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
