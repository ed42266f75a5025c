// One-sided communication by window and target, and the time in synchronising it.
import { el } from '../../base/dom.ts';
import { bytes_text, count_text, seconds } from '../../base/format.ts';
import { bytes_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { series_colour } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { sentence } from '../drawing/sentence.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';

interface OneSidedTotal {
  puts: number;
  gets: number;
  atomics: number;
  bytes_out: number;
  bytes_in: number;
  issue_s: number;
  synchronisations: number;
  synchronisation_s: number;
}
interface Window extends OneSidedTotal {
  window: number;
  name: string;
  waited_s: number;
  targets: (OneSidedTotal & { target: number })[];
}
interface Line extends OneSidedTotal {
  window: string;
  target: number | null; // null: all of the window
  waited_s: number | null;
}
// A line a window, below it one a target.
export const lines_of = (windows: readonly Window[]): Line[] =>
  windows.flatMap(({ window, name, targets, ...total }) => [
    { ...total, window: name || String(window), target: null },
    ...targets.map((one) => ({ ...one, window: name || String(window), waited_s: null })),
  ]);
const columns: Column<Line>[] = [
  { title: 'window', name: 'window', value: ({ window }) => window },
  { title: 'target', name: 'target', value: ({ target }) => target ?? 'all' },
  { title: 'puts', name: 'puts', value: ({ puts }) => puts, text: count_text },
  { title: 'gets', name: 'gets', value: ({ gets }) => gets, text: count_text },
  { title: 'atomics', name: 'atomics', value: ({ atomics }) => atomics, text: count_text },
  { title: 'out', name: 'bytes_out', value: (row) => row.bytes_out, text: bytes_text },
  { title: 'in', name: 'bytes_in', value: (row) => row.bytes_in, text: bytes_text },
  { title: 'issuing', name: 'issue_s', value: (row) => row.issue_s, text: (s) => seconds(s) },
  { title: 'synchronisations', name: 'synchronisations', value: (row) => row.synchronisations, text: count_text },
  { title: 'in them', name: 'synchronisation_s', value: (row) => row.synchronisation_s, text: (s) => seconds(s) },
  {
    title: 'waited',
    name: 'waited_s',
    value: ({ waited_s }) => waited_s,
    text: (s) => seconds(s),
    about: 'until the last member had entered a fence, or made or freed the window',
  },
];

export const one_sided = panel<{ windows: Window[]; rule: string }>({
  name: 'one-sided',
  title: 'One-sided communication',
  group: 'Messages',
  about: 'What is put and got by window and target, and what does synchronising it cost?',
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<{ windows: Window[]; rule: string }>('one-sided', view.selection, signal),
  draw(view, { windows, rule }, { width }) {
    if (windows.length === 0) return nothing('There is no one-sided communication here.');
    const rows = lines_of(windows),
      dark = view.palette.dark,
      [out, into] = [series_colour(0, dark), series_colour(1, dark)],
      targets = rows.filter(({ target }) => target !== null);
    const picture = bar_chart({
      label: 'bytes by window and target',
      width,
      text: (value) => bytes_text(Math.round(value)),
      ticks: bytes_ticks,
      bars: targets.slice(0, 128).map(
        (row): Bar => ({
          label: `${row.window}, to ${row.target}`,
          title: `${row.window}, target ${row.target}`,
          segments: [
            { name: 'out', colour: out, value: row.bytes_out },
            { name: 'in', colour: into, value: row.bytes_in },
          ],
          rows: [['operations', count_text(row.puts + row.gets + row.atomics)]],
          data: { window: row.window, target: row.target ?? '', out: row.bytes_out, in: row.bytes_in },
          choose: () =>
            view.change({
              selection: { ...view.look.selection, peers: view.look.selection.peers === String(row.target) ? '' : String(row.target) },
            }),
        }),
      ),
    });
    return {
      body: [
        time_legend([
          { name: 'out', colour: out, values: [] },
          { name: 'in', colour: into, values: [] },
        ]),
        picture,
        rows_table({ columns, rows, name: 'one-sided' }),
        el('p', { class: 'display-note' }, sentence(rule)),
      ],
      picture,
      table: () => saved_table(columns, rows),
    };
  },
});
