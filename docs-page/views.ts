/** Two views of one API, by the fragment of the address: `#models` and `#models/Order`, and all else is operations. */
import { element, found } from './browser/element.ts';

type View = 'operations' | 'models';

const MODELS = /^#models(?:\/(.*))?$/;
const TAG = /^#\/([^/]+)$/;

/** Each is opened when it is first looked at: a reader of the models does not wait for the operations. */
interface Opened {
  /** A group of operations, or a model; null for none in particular. */
  show(name: string | null): void;
}

type Openers = Readonly<Record<View, () => Promise<Opened>>>;

const opened: { [V in View]?: Promise<Opened> } = {};

export function followViews(openers: Openers): void {
  addEventListener('hashchange', () => follow(openers));
  follow(openers);
}

function follow(openers: Openers): void {
  const [isModels, model = ''] = MODELS.exec(location.hash) ?? [];
  const [, tag = ''] = TAG.exec(location.hash) ?? [];
  const [view, name] = isModels === undefined ? (['operations', tag] as const) : (['models', model] as const);
  draw(view);
  opened[view] ??= openers[view]().catch((error: Error) => failed(view, error));
  void opened[view].then(({ show }) => show(decoded(name)));
}

function failed(view: View, { message }: Error): Opened {
  found(`#${view}-view`).replaceChildren(element('p', { class: 'notice', role: 'alert' }, message));
  return { show: () => undefined };
}

/** Whatever somebody typed into the address. */
function decoded(name: string): string | null {
  try {
    return name === '' ? null : decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** The sections are not named as the fragments are: the viewer scrolls to what a link names, and keeps the event to itself. */
function draw(view: View): void {
  for (const each of ['operations', 'models'] as const) found(`#${each}-view`).hidden = each !== view;
  document.body.dataset.view = view;
  for (const link of document.querySelectorAll('.views a')) {
    const isCurrent = (link.getAttribute('href') === '#models') === (view === 'models');
    if (isCurrent) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}
