/**
 * Swagger UI, with a layout of ours around the operations alone: title, search and tokens are the page's own. Requests
 * go to the server that the page came from, below the path that a reverse proxy may have put in front of it.
 */
import type {
  Component,
  GetComponent,
  ImmutableMap,
  Options,
  Rendered,
  System,
} from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import type { OpenApiDocument } from '../compiler/emit/openapi/document.ts';
import { SERVER } from './browser/address.ts';
import { LOCK } from './icons.ts';
import { operationCounts } from './open-api.ts';
import { operationsFound } from './search.ts';
import { currentToken } from './session.ts';

export interface Viewer {
  search(phrase: string): void;
  /** Opens the group and scrolls to it. */
  show(tag: string | null): void;
}

/** Above that, groups begin closed: a browser draws several hundred operations slowly. */
const MOST_OPEN = 200;

/** Apart from what is ours, so that a browser which has it does not load it again with each release. */
const swaggerUi = import('swagger-ui-dist/swagger-ui-es-bundle.js');

export async function viewerIn(place: HTMLElement, document: OpenApiDocument): Promise<Viewer> {
  const { default: createViewer } = await swaggerUi;
  return new Promise((resolve) => {
    const ui = createViewer({
      ...SETTINGS,
      domNode: place,
      spec: { ...document, servers: [{ url: SERVER }] },
      docExpansion: operationsIn(document) > MOST_OPEN ? 'none' : 'list',
      onComplete: () => resolve(viewerFrom(ui.getSystem(), place)),
    });
  });
}

function operationsIn(document: OpenApiDocument): number {
  return [...operationCounts(document).values()].reduce((sum, count) => sum + count, 0);
}

function viewerFrom(system: System, place: HTMLElement): Viewer {
  const { layoutActions, specSelectors } = system;
  const open = (tag: string): void => layoutActions.show(['operations-tag', tag], true);
  return {
    search(phrase) {
      layoutActions.updateFilter(phrase.trim() === '' ? false : phrase);
      if (phrase.trim() !== '') for (const tag of specSelectors.taggedOperations().keySeq()) open(tag);
    },
    show(tag) {
      if (tag === null) return;
      open(tag);
      const heading = place.querySelector(`[data-tag="${CSS.escape(tag)}"]`);
      heading?.scrollIntoView({ block: 'start' });
      heading?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true });
    },
  };
}

const SETTINGS = {
  layout: 'Operations',
  plugins: [frame],
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  validatorUrl: null,
  // An address of another document in the query would make the page show, and call, what others wrote.
  queryConfigEnabled: false,
  persistAuthorization: false,
  requestInterceptor: (request) => {
    const token = currentToken();
    if (token !== null && request.url.startsWith(`${SERVER}/`)) request.headers.Authorization = `Bearer ${token}`;
    return request;
  },
} as const satisfies Partial<Options>;

function frame({ React }: System): object {
  const { createElement } = React;
  const openDialog = (event: Event): void => {
    event.stopPropagation();
    globalThis.document.dispatchEvent(new CustomEvent('kiln-authorise'));
  };
  return {
    fn: { opsFilter: operationsFound },
    components: {
      Operations: ({ getComponent }: { readonly getComponent: GetComponent }) =>
        createElement(
          'div',
          { className: 'swagger-ui' },
          createElement(getComponent('SvgAssets')),
          createElement(getComponent('errors', true)),
          createElement(getComponent('operations', true)),
        ),
    },
    wrapComponents: {
      authorizeOperationBtn: () => () => createElement('button', { ...TOKEN_BUTTON, onClick: openDialog }, lock(React)),
      response: (Original: Component) => (props: ResponseProps) =>
        isProblem(props.code) ? folded(React, Original, props) : createElement(Original, props),
    },
  };
}

const NEEDS_TOKEN = 'This operation asks for a token';
const TOKEN_BUTTON = { type: 'button', className: 'needs-token', title: NEEDS_TOKEN, 'aria-label': NEEDS_TOKEN };

function lock({ createElement }: System['React']): Rendered {
  const path = createElement('path', { d: LOCK });
  return createElement('svg', { viewBox: '0 0 24 24', className: 'icon', 'aria-hidden': true }, path);
}

interface ResponseProps {
  readonly code: string;
  readonly response: ImmutableMap;
}

function isProblem(code: string): boolean {
  return /^[45]/.test(code);
}

function folded({ createElement }: System['React'], Original: Component, props: ResponseProps): Rendered {
  const description = String(props.response.get('description') ?? '');
  const row = createElement('tbody', null, createElement(Original, props));
  return createElement(
    'tr',
    { className: 'problem' },
    createElement(
      'td',
      { colSpan: 3 },
      createElement(
        'details',
        null,
        createElement(
          'summary',
          null,
          createElement('code', null, props.code),
          createElement('span', null, description),
        ),
        createElement('table', null, row),
      ),
    ),
  );
}
