/** Behind the head of an endpoint: the inputs that it takes although nobody lists them. */
import { type InlayHint, InlayHintKind, type Range } from 'vscode-languageserver/node';
import type { Input } from '../../compiler/program/program.ts';
import { typeName } from '../../compiler/program/type.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { endpointsIn } from './endpoints.ts';

export function inlayHintsIn(project: Project, file: KilnFile, range: Range): readonly InlayHint[] {
  return endpointsIn(project, file, range).flatMap(({ endpoint, head }) => {
    const implicit = endpoint.inputs.filter(({ named }) => !named);
    if (implicit.length === 0) return [];
    return [
      {
        position: head.end,
        label: `takes ${shortList(implicit.map(nameOf))}`,
        kind: InlayHintKind.Parameter,
        paddingLeft: true,
        tooltip: { kind: 'markdown', value: tooltipOf(implicit) },
      },
    ];
  });
}

const MOST_NAMES = 8;

function shortList(names: readonly string[]): string {
  const left = names.length - MOST_NAMES;
  return left > 1 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${left} more` : names.join(', ');
}

/** With `?` where a client may leave it out. */
function nameOf({ path, required }: Input): string {
  return `${path.join('.')}${required ? '' : '?'}`;
}

function tooltipOf(inputs: readonly Input[]): string {
  const lines = inputs.map((input) => `- \`${nameOf(input)}\`: ${typeName(input.type)}`);
  return ['Inputs that this endpoint takes without listing them:', '', ...lines].join('\n');
}
