/** Elements without a framework. Texts are always texts: nothing here reads HTML. */
type Child = Node | string | null;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | boolean>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function drawing<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAttributes(made, attributes);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function setAttributes(made: Element, attributes: Readonly<Record<string, string | number | boolean>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
}

/** What the server has put in the page. */
export function found<T extends Element = HTMLElement>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** A drawing of 24 by 24 made of lines. */
export function icon(path: string): SVGSVGElement {
  return drawing('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, drawing('path', { d: path }));
}

/** A text in which backticks are around code. */
export function withCode(text: string): readonly (Node | string)[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part));
}
