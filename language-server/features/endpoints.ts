/** The endpoints of a file as the last check has found them, each with its place in the text as it is now. */
import type { Range } from 'vscode-languageserver/node';
import { memoized } from '../../compiler/definition/memo.ts';
import type { Endpoint, Program } from '../../compiler/program/program.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { rangeOf } from './places.ts';

interface PlacedEndpoint {
  readonly endpoint: Endpoint;
  /** Of the words at its beginning: `create endpoint as post`. */
  readonly head: Range;
}

export function endpointsIn(project: Project, file: KilnFile, range?: Range): readonly PlacedEndpoint[] {
  const from = range ? file.offsetAt(range.start) : 0;
  const to = range ? file.offsetAt(range.end) : file.text.length;
  return file.sections.flatMap((section, index) => {
    const start = file.startOf(index);
    if (start > to || start + section.text.length < from) return [];
    const known = project.program ? endpointsBySection(project.program).get(section.id) : undefined;
    return (known ?? []).flatMap((endpoint) => {
      const head = rangeOf(project, { file, index, section }, endpoint.span, 'checked');
      return head ? [{ endpoint, head }] : [];
    });
  });
}

const endpointsBySection = memoized(({ endpoints }: Program): ReadonlyMap<string, readonly Endpoint[]> => {
  const found = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const list = found.get(endpoint.span.file);
    if (list) list.push(endpoint);
    else found.set(endpoint.span.file, [endpoint]);
  }
  return found;
});
