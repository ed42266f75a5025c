// Diagnostics of the traces shown: always in sight, one line until it is opened.
import { el } from '../../base/dom.ts';
import type { Diagnostic } from '../source/answers.ts';
import type { Trace } from '../source/trace.ts';
import { diagnostic_text } from '../words.ts';
import type { App } from './app.ts';
import { icon } from './icons.ts';

const worst = (seen: string[]) => ['data loss', 'warning'].find((severity) => seen.includes(severity)) ?? 'info';

const calls_only = (trace: Trace): Diagnostic => ({
  name: 'calls-only',
  severity: 'info',
  count: 1,
  remedy: trace.entry.unclosed
    ? 'the run is not closed yet: its calls are shown as its spool has them; messages, and what of a call was waiting, are not known'
    : 'all of it is being loaded: until then its calls are shown as its archive has them; messages, and what of a call was waiting, are not known',
});

export function notices(app: App) {
  const node = el('div', { class: 'notices', 'aria-label': 'Diagnostics', role: 'region' });
  let open = false;
  // What only the analysis finds: it takes its time, the trace's own are shown before.
  const found = new Map<Trace, Diagnostic[]>();
  const find = async (trace: Trace) => {
    if (found.has(trace) || trace.entry.kind === 'live' || trace.entry.passing || trace.facts.calls_only) return;
    found.set(trace, []);
    try {
      const { diagnostics } = await trace.report({});
      if (Array.isArray(diagnostics)) found.set(trace, diagnostics as Diagnostic[]);
      show();
    } catch {
      // the displays that need the analysis say why there is none
    }
  };
  const diagnostics_of = (trace: Trace) => {
    const own = [...(trace.facts.calls_only ? [calls_only(trace)] : []), ...trace.facts.diagnostics],
      names = new Set(own.map(({ name }) => name));
    return [...own, ...(found.get(trace) ?? []).filter(({ name }) => !names.has(name))];
  };
  const show = () => {
    const all = app.traces.flatMap((trace) => diagnostics_of(trace).map((one) => ({ one, trace })));
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
        title: open ? 'Show one line of them' : 'Show all of them, and what to do',
        onclick: () => {
          open = !open;
          show();
        },
      },
      icon(open ? 'fold' : 'unfold'),
      icon('warn'),
      el('span', { class: 'count' }, all.length === 1 ? '1 diagnostic' : `${all.length} diagnostics`),
      !open && el('span', { class: 'text' }, diagnostic_text(first.one)),
    );
    node.replaceChildren(toggle, ...(open ? [el('ul', {}, all.map(line))] : []));
  };
  const refresh = () => {
    for (const trace of app.traces) void find(trace);
    show();
  };
  app.listen((changed) => changed.has('traces') && refresh());
  refresh();
  return node;
}
