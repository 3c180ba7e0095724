/**
 * Where the page is: at `/docs`, or where `generator apidocs { basePath … }` puts it. The page links to all
 * that it needs relative to itself, so that it works below whatever path a reverse proxy serves the application at.
 */
import { DOCS, HEALTH, METRICS, OPENAPI, READY, type Segment } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Route } from '../request/exchange.ts';

export type PagePath = readonly string[];

export const USUAL: PagePath = [DOCS];
export function isUsual(path: PagePath): boolean {
  return path.join('/') === USUAL.join('/');
}

/** A page has no business in the place of these. */
const OPERATIONS: ReadonlySet<string> = new Set([HEALTH, READY, METRICS, OPENAPI]);

/** `routes` are those of the application, which go first: where they have the path already, the page is at `/docs`. */
export function pagePathOf({ generators }: Definition, routes: readonly Route[]): PagePath {
  const generator = generators.find((each) => each.kind === 'apidocs');
  const wanted = generator?.basePath.split('/').filter((part) => part !== '') ?? [];
  const isFree =
    wanted.length > 0 && !OPERATIONS.has(wanted.join('/')) && !routes.some((route) => isInTheWay(route, wanted));
  return isFree ? wanted : USUAL;
}

const ANY = null;

function isInTheWay({ method, path }: Route, wanted: PagePath): boolean {
  const ours = [wanted, [...wanted, 'models.json'], [...wanted, 'assets', ANY]];
  return method === 'GET' && ours.some((texts) => mayAnswer(path, texts));
}

function mayAnswer(path: readonly Segment[], texts: readonly (string | null)[]): boolean {
  const fits = (segment: Segment, text: string | null | undefined): boolean =>
    text === ANY || segment.kind === 'parameter' || segment.text === text;
  return path.length === texts.length && path.every((segment, at) => fits(segment, texts[at]));
}

export interface Links {
  /** To what is below the page: empty, or with a slash at its end. */
  readonly below: string;
  /** To the root of the application, with a slash at its end. */
  readonly root: string;
}

/** `/docs` and `/docs/` are the same page, but a browser resolves links against them differently. */
export function linksFrom(path: PagePath, hasSlash: boolean): Links {
  const steps = hasSlash ? path.length : path.length - 1;
  return { below: hasSlash ? './' : `./${path.at(-1)}/`, root: steps === 0 ? './' : '../'.repeat(steps) };
}

/** For the page at the root of the application, whose parts are below `path` too. */
export function linksFromRoot(path: PagePath): Links {
  return { below: `./${path.join('/')}/`, root: './' };
}
