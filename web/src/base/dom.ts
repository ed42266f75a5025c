// Elements, and errors: an error of the page is shown in the page and in <html data-errors>, never swallowed.
export const root = document.documentElement;
root.dataset.errors ??= '0';

export function report_error(message) {
  root.dataset.errors = String(Number(root.dataset.errors) + 1);
  const box = document.getElementById('errors');
  box.hidden = false;
  box.append('This report has a fault: ' + message + '\n');
}
addEventListener('error', (event) => report_error(event.message));
addEventListener('unhandledrejection', (event) => report_error(String(event.reason)));
addEventListener('securitypolicyviolation', (event) => report_error('refused ' + event.violatedDirective));

// Text always becomes a text node: nothing from the data is ever interpreted.
export function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) if (child !== undefined && child !== null && child !== false) node.append(child);
  return node;
}
export const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const svg = (name, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

export const colour = (name) =>
  getComputedStyle(root)
    .getPropertyValue('--' + name)
    .trim();

// What has to be painted again when the size, the colour scheme or the medium changes.
export const repainters = [];
let repaint_asked = false;
export function repaint_now() {
  for (const repaint of repainters) repaint();
}
export function repaint_all() {
  if (repaint_asked) return;
  repaint_asked = true;
  requestAnimationFrame(() => {
    repaint_asked = false;
    repaint_now();
  });
}
addEventListener('resize', repaint_all);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint_all);
addEventListener('beforeprint', repaint_now);

export const tooltip = {
  node: null,
  // rows: [label, value] pairs; the first line is the title.
  show(x, y, title, rows) {
    this.node ??= document.body.appendChild(el('div', { id: 'tooltip', role: 'status' }));
    this.node.replaceChildren(
      el('b', {}, title),
      ...rows.map(([label, value]) => el('div', { class: 'row' }, el('span', {}, label), el('span', {}, value))),
    );
    this.node.hidden = false;
    const box = this.node.getBoundingClientRect();
    this.node.style.left = Math.max(4, x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16) + 'px';
    this.node.style.top = Math.max(4, y + 16 + box.height > innerHeight ? y - 12 - box.height : y + 16) + 'px';
  },
  hide() {
    if (this.node) this.node.hidden = true;
  },
};
// A tooltip on an element of a chart, for the pointer and for the keyboard.
export function tip(node, title, rows) {
  node.addEventListener('pointermove', (event) => tooltip.show(event.clientX, event.clientY, title, rows));
  node.addEventListener('pointerleave', () => tooltip.hide());
  node.setAttribute('aria-label', title + ': ' + rows.map((row) => row.join(' ')).join(', '));
  return node;
}
