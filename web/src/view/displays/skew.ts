// Collectives: how long the first waited for the last to arrive (skew), and how long it took from then on (transfer).

import { el } from '../../base/dom.ts';
import { bytes_text, count_text, percent, seconds } from '../../base/format.ts';
import { seconds_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { colour_of_part } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';

interface Entry {
  op: string;
  comm: string;
  first_ns: number;
  last_ns: number;
  left_ns: number;
  last_rank: number;
  bytes: number;
}
interface OfOperation {
  op: string;
  count: number;
  skew_s: number;
  transfer_s: number;
}
interface Skews {
  collectives: Entry[];
  by_op: OfOperation[];
  left_out?: number;
}
const skew_s = ({ first_ns, last_ns }: Entry) => (last_ns - first_ns) * 1e-9;
const transfer_s = ({ last_ns, left_ns }: Entry) => (left_ns - last_ns) * 1e-9;
const time = (s: number) => seconds(s);
const columns: Column<Entry>[] = [
  { title: 'operation', name: 'operation', value: ({ op }) => op },
  { title: 'communicator', name: 'communicator', value: ({ comm }) => comm },
  { title: 'first entry', name: 'first_s', value: ({ first_ns }) => first_ns * 1e-9, text: (s) => seconds(s, 5) },
  { title: 'skew', name: 'skew_s', value: skew_s, text: time, about: 'from the first entry to the last' },
  { title: 'transfer', name: 'transfer_s', value: transfer_s, text: time, about: 'from the last entry to the end' },
  { title: 'last rank', name: 'last_rank', value: ({ last_rank }) => last_rank },
  { title: 'bytes', name: 'bytes', value: ({ bytes }) => bytes, text: bytes_text },
];
// How often each rank was the last, of those collectives that waited for it longer than the transfer took.
export function last_ranks(collectives: readonly Entry[]): { rank: number; times: number; skew_s: number }[] {
  const by_rank = new Map<number, { rank: number; times: number; skew_s: number }>();
  for (const entry of collectives) {
    if (skew_s(entry) <= transfer_s(entry)) continue;
    const one = by_rank.get(entry.last_rank) ?? { rank: entry.last_rank, times: 0, skew_s: 0 };
    ++one.times;
    one.skew_s += skew_s(entry);
    by_rank.set(entry.last_rank, one);
  }
  return [...by_rank.values()].sort((a, b) => b.skew_s - a.skew_s);
}

export const skew = panel<Skews>({
  name: 'skew',
  title: 'Collectives: skew and transfer',
  group: 'Calls',
  about: 'Do collectives wait for ranks that come late, or for the network?',
  depends: of_selection,
  ask: (view, signal) => view.trace.json<Skews>('skew', view.selection, signal),
  draw(view, { collectives, by_op, left_out }, { width }) {
    if (collectives.length === 0) return nothing('No collective operation is in what is selected.');
    const late = colour_of_part(view, 'algorithmic'),
      wire = colour_of_part(view, 'service'),
      ops = [...by_op].sort((a, b) => b.skew_s + b.transfer_s - a.skew_s - a.transfer_s),
      lasts = last_ranks(collectives),
      longest = [...collectives].sort((a, b) => b.left_ns - b.first_ns - a.left_ns + a.first_ns);
    const picture = bar_chart({
      label: 'skew and transfer of collectives',
      width,
      text: time,
      ticks: seconds_ticks,
      bars: ops.map(
        (one): Bar => ({
          label: `${one.op} \u00d7 ${count_text(one.count)}`,
          title: one.op,
          segments: [
            { name: 'skew', colour: late, value: one.skew_s },
            { name: 'transfer', colour: wire, value: one.transfer_s },
          ],
          rows: [
            ['skew, share', percent(one.skew_s / (one.skew_s + one.transfer_s || 1))],
            ['mean skew', seconds(one.skew_s / one.count)],
            ['mean transfer', seconds(one.transfer_s / one.count)],
          ],
          data: { op: one.op, skew: one.skew_s, transfer: one.transfer_s, count: one.count },
          chosen: view.look.selection.calls === one.op,
          ...(view.trace.facts.names.includes(one.op) && {
            choose: () => view.change({ selection: { ...view.look.selection, calls: view.look.selection.calls === one.op ? '' : one.op } }),
          }),
        }),
      ),
    });
    const show = (entry: Entry) => {
      const room = Math.max(1000, (entry.left_ns - entry.first_ns) * 0.25);
      view.change({ at_ns: entry.last_ns });
      view.show({ from_ns: entry.first_ns - room, to_ns: entry.left_ns + room, rank: entry.last_rank, call: null });
    };
    return {
      note:
        'Skew: from the first entry to the last; transfer: from the last entry until all had left.' +
        (lasts[0]
          ? ` Rank ${lasts[0].rank} was the last ${lasts[0].times === 1 ? 'once' : `${count_text(lasts[0].times)} times`} where skew outweighed the transfer, ${seconds(lasts[0].skew_s)} in all.`
          : ''),
      body: [
        time_legend([
          { name: 'skew', colour: late, values: [] },
          { name: 'transfer', colour: wire, values: [] },
        ]),
        picture,
        el('h4', {}, `Each collective, the longest first${left_out ? ` (${count_text(left_out)} are not listed)` : ''}`),
        rows_table({ columns, rows: longest, name: 'skew', choose: show }),
      ],
      picture,
      table: () => saved_table(columns, longest),
    };
  },
});
