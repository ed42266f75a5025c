// Elements, tooltips, tables. Nothing here touches the page before it is asked to, so that tests can do without one.

// Of the page's own skeleton (src/report/html.cpp).
export function element_with_id(id: string) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

// What is nothing or false is left out, so that `condition && el(...)` can stand among the children.
export type Child = Node | string | null | undefined | false | Child[];
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

// Text always becomes a text node: nothing from the data is ever interpreted.
export function fill<E extends Element>(node: E, attributes: Attributes, children: Child[] = []): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    // Through the object model: a content policy without 'unsafe-inline' refuses the attribute.
    else if (name === 'style') (node as E & ElementCSSInlineStyle).style.cssText = String(value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...nodes_of(children));
  return node;
}
export function nodes_of(children: Child[]): (Node | string)[] {
  return children.flatMap((child) => (Array.isArray(child) ? nodes_of(child) : child || child === '' ? [child] : []));
}
export const el = <K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes, ...children: Child[]) =>
  fill(document.createElement(name), attributes, children);
export const svg = <K extends keyof SVGElementTagNameMap>(name: K, attributes: Attributes, ...children: Child[]) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

export const colour = (name: string) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue('--' + name)
    .trim();

// What has to be painted again when the size, the colour scheme or the medium changes.
export const repainters: (() => void)[] = [];
let repaint_asked = false;
export function repaint_now() {
  for (const repaint of repainters) repaint();
}
function repaint_all() {
  if (repaint_asked) return;
  repaint_asked = true;
  requestAnimationFrame(() => {
    repaint_asked = false;
    repaint_now();
  });
}
export function repaint_when_needed() {
  addEventListener('resize', repaint_all);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint_all);
  addEventListener('beforeprint', repaint_now);
}

// A tooltip's lines: what, and its value.
export type Row = [label: string, value: string];
let tooltip_node: HTMLElement | null = null;
export const tooltip = {
  show(x: number, y: number, title: string, rows: Row[]) {
    tooltip_node ??= document.body.appendChild(el('div', { id: 'tooltip', role: 'status' }));
    tooltip_node.replaceChildren(
      el('b', {}, title),
      ...rows.map(([label, value]) => el('div', { class: 'row' }, el('span', {}, label), el('span', {}, value))),
    );
    tooltip_node.hidden = false;
    const box = tooltip_node.getBoundingClientRect();
    tooltip_node.style.left = Math.max(4, x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16) + 'px';
    tooltip_node.style.top = Math.max(4, y + 16 + box.height > innerHeight ? y - 12 - box.height : y + 16) + 'px';
  },
  hide() {
    if (tooltip_node) tooltip_node.hidden = true;
  },
};
// A tooltip on an element of a chart, for the pointer and for the keyboard.
export function tip<E extends SVGElement>(node: E, title: string, rows: Row[]): E {
  node.addEventListener('pointermove', (event) => tooltip.show(event.clientX, event.clientY, title, rows));
  node.addEventListener('pointerleave', () => tooltip.hide());
  node.setAttribute('aria-label', title + ': ' + rows.map((row) => row.join(' ')).join(', '));
  return node;
}

// Buttons of which one is chosen; `draw` is called with the first one at once.
export function choice<K extends string>(label: string, kinds: K[], draw: (kind: K) => void) {
  const choose = (kind: K) => {
    draw(kind);
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === kind));
  };
  const buttons = kinds.map((kind) => el('button', { type: 'button', onclick: () => choose(kind) }, kind));
  if (kinds[0]) choose(kinds[0]);
  return el('div', { class: 'legend' }, label, buttons);
}

// A table that scrolls when it is long. heads: the text of each column, left-aligned where the class is ''.
export type Head = [text: string, align: 'number' | 'picture' | 'bar' | ''];
export const number_heads = (first: string, ...others: string[]): Head[] => [[first, ''], ...others.map((text): Head => [text, 'number'])];
export const table = (kind: string, heads: Head[], rows: Child, scroll = 'scroll dense') =>
  el(
    'div',
    { class: scroll },
    el(
      'table',
      { class: kind },
      heads.length > 0 &&
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            heads.map(([text, align]) => el('th', { class: align, scope: 'col' }, text)),
          ),
        ),
      el('tbody', {}, rows),
    ),
  );
// A row of it: `first` on the left (null: none), then numbers.
export const number_row = (attributes: Attributes, first: Child, ...numbers: string[]) =>
  el('tr', attributes, first !== null && el('td', {}, first), numbers.map(number_cell));
export const number_cell = (text: string) => el('td', { class: 'number' }, text);
