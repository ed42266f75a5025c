// Diagnostics of the traces shown: always in sight, one line until it is opened.
import { el } from '../../base/dom.ts';
import { diagnostic_text } from '../words.ts';
import type { App } from './app.ts';
import { icon } from './icons.ts';

const worst = (seen: string[]) => ['data loss', 'warning'].find((severity) => seen.includes(severity)) ?? 'info';

export function notices(app: App) {
  const node = el('div', { class: 'notices', 'aria-label': 'Diagnostics', role: 'region' });
  let open = false;
  const show = () => {
    const all = app.traces.flatMap((trace) => trace.facts.diagnostics.map((one) => ({ one, trace })));
    node.hidden = all.length === 0;
    node.dataset.severity = worst(all.map(({ one }) => one.severity));
    const [first] = all;
    if (!first) return;
    const line = ({ one, trace }: (typeof all)[number]) =>
      el('li', { class: one.severity }, app.traces.length > 1 && el('b', {}, trace.facts.name, ': '), diagnostic_text(one));
    const toggle = el(
      'button',
      {
        type: 'button',
        class: 'summary',
        'aria-expanded': String(open),
        onclick: () => {
          open = !open;
          show();
        },
      },
      icon('warn'),
      el('span', { class: 'count' }, all.length === 1 ? '1 diagnostic' : `${all.length} diagnostics`),
      !open && el('span', { class: 'text' }, diagnostic_text(first.one)),
    );
    node.replaceChildren(toggle, ...(open ? [el('ul', {}, all.map(line))] : []));
  };
  app.listen((changed) => changed.has('traces') && show());
  show();
  return node;
}
