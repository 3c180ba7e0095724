/** From a request to its operation in the reference. */
import type { JSX } from 'preact';
import type { LiveDetails } from '../../runtime/console/live/live-request.ts';
import { apiDocument } from '../state/api-document.ts';
import { hrefTo } from '../state/route.ts';
import { useStore } from '../state/store.ts';

interface OperationLinkProps {
  readonly details: LiveDetails;
  /** `/api/post/:post_slug` */
  readonly route: string;
}

export function OperationLink({ details: { method }, route }: OperationLinkProps): JSX.Element {
  const loaded = useStore(apiDocument);
  const id = loaded.kind === 'loaded' ? operationIdIn(loaded.value.paths, method, route) : undefined;
  return id === undefined ? <code>{route}</code> : <a href={hrefTo('reference', [id])}>{id}</a>;
}

type Paths = Readonly<Record<string, object | undefined>>;

function operationIdIn(paths: Paths, method: string, route: string): string | undefined {
  const item = paths[route.replace(/:(\w+)/g, '{$1}')] as
    | Readonly<Record<string, { operationId?: string }>>
    | undefined;
  return item?.[method.toLowerCase()]?.operationId;
}
