/** Above each endpoint: its route, and who may call it. */
import type { CodeLens } from 'vscode-languageserver/node';
import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import { pathOf } from '../../compiler/program/endpoint-path.ts';
import type { Endpoint } from '../../compiler/program/program.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { accessText } from './endpoint-access.ts';
import { endpointsIn } from './endpoints.ts';

/** What finds an endpoint again when its lens comes into view. */
export interface LensData {
  readonly uri: string;
  readonly section: string;
  readonly start: number;
  readonly route: string;
}

export function codeLensesOf(project: Project, file: KilnFile): readonly CodeLens[] {
  return endpointsIn(project, file).map(({ endpoint, head }) => {
    const { file: section, start } = endpoint.span;
    const data: LensData = { uri: file.uri, section, start, route: routeOf(endpoint) };
    return { range: head, data };
  });
}

/** The access is looked up only for what is in view: a file may have thousands of endpoints. */
export function resolvedLens(project: Project | undefined, lens: CodeLens): CodeLens {
  const { section, start, route } = lens.data as LensData;
  const endpoint = project?.program?.endpoints.find(({ span }) => span.file === section && span.start === start);
  const access = project?.program && endpoint && accessText(project.program, endpoint);
  return { ...lens, command: { title: [route, ...(access ? [shortened(access)] : [])].join(' · '), command: '' } };
}

function routeOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${pathTemplate(pathOf(endpoint))}`;
}

const LONGEST = 120;

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
