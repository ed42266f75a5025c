// Waits followed to their causes: what the network is to blame for, and which ranks make others wait.
import { el } from '../../base/dom.ts';
import { percent, seconds } from '../../base/format.ts';
import { seconds_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { colour_of_part, series_colour } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { sentence } from '../drawing/sentence.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';
import { toggle_ranks } from './ranks.ts';

interface DelayRow {
  rank: number;
  blocked_s: number;
  blocked_by_network_s: number | null;
  blocked_by_algorithm_s: number | null;
  delays_others_direct_s: number;
  delays_others_propagated_s: number;
}
interface Delays {
  elapsed_s: number;
  elapsed_without_network_s: number | null;
  blocked_s: number;
  blocked_by_network_s: number | null;
  blocked_by_algorithm_s: number | null;
  ranks: DelayRow[];
  rule: string;
}
const time = (s: number) => seconds(s);
const columns: Column<DelayRow>[] = [
  { title: 'rank', name: 'rank', value: ({ rank }) => rank },
  { title: 'makes others wait', name: 'delays_others_s', value: (row) => made_wait(row), text: time },
  { title: 'directly', name: 'delays_others_direct_s', value: (row) => row.delays_others_direct_s, text: time },
  { title: 'through others', name: 'delays_others_propagated_s', value: (row) => row.delays_others_propagated_s, text: time },
  { title: 'waits itself', name: 'blocked_s', value: ({ blocked_s }) => blocked_s, text: time },
  { title: 'for the network', name: 'blocked_by_network_s', value: (row) => row.blocked_by_network_s, text: time },
  { title: 'for the algorithm', name: 'blocked_by_algorithm_s', value: (row) => row.blocked_by_algorithm_s, text: time },
];
const made_wait = (row: DelayRow) => row.delays_others_direct_s + row.delays_others_propagated_s;
export const culprits = (ranks: readonly DelayRow[]) => [...ranks].sort((a, b) => made_wait(b) - made_wait(a));

export const delays = panel<Delays>({
  name: 'delays',
  title: 'Causes of waiting',
  group: 'Program',
  about: 'Who makes others wait, and how much of the waiting is the network to blame for?',
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<Delays>('delays', view.selection, signal),
  draw(view, answer, { width }) {
    if (!(answer.blocked_s > 0)) return nothing('No rank waited here.');
    const dark = view.palette.dark,
      ranks = culprits(answer.ranks),
      direct = series_colour(1, dark),
      through = series_colour(6, dark),
      wire = colour_of_part(view, 'service'),
      algorithm = colour_of_part(view, 'algorithmic'),
      { blocked_by_network_s: network_s, blocked_by_algorithm_s: algorithm_s } = answer;
    const bar = (row: DelayRow, segments: Bar['segments'], title: string): Bar => ({
      label: `rank ${row.rank}`,
      title,
      segments,
      data: { rank: row.rank, made: made_wait(row) },
      choose: () => toggle_ranks(view, [row.rank]),
    });
    const picture = bar_chart({
      label: 'who makes others wait',
      width,
      text: time,
      ticks: seconds_ticks,
      bars: ranks.slice(0, 64).map((row) =>
        bar(
          row,
          [
            { name: 'directly', colour: direct, value: row.delays_others_direct_s },
            { name: 'through others', colour: through, value: row.delays_others_propagated_s },
          ],
          `rank ${row.rank} makes others wait`,
        ),
      ),
    });
    const split =
      network_s !== null &&
      bar_chart({
        label: 'what each rank waits for',
        width,
        text: time,
        ticks: seconds_ticks,
        bars: ranks.slice(0, 64).map((row) =>
          bar(
            row,
            [
              { name: 'the network', colour: wire, value: row.blocked_by_network_s ?? 0 },
              { name: 'the algorithm', colour: algorithm, value: row.blocked_by_algorithm_s ?? 0 },
            ],
            `rank ${row.rank} waits`,
          ),
        ),
      });
    return {
      note:
        network_s !== null && algorithm_s !== null
          ? `Of ${seconds(answer.blocked_s)} of waiting ${percent(network_s / answer.blocked_s)} are the network's and would go on one without cost` +
            (answer.elapsed_without_network_s !== null
              ? `, where the run takes ${seconds(answer.elapsed_without_network_s)} instead of ${seconds(answer.elapsed_s)}`
              : '') +
            `; ${percent(algorithm_s / answer.blocked_s)} are the algorithm's.`
          : `${seconds(answer.blocked_s)} of waiting. How much of it is the network's needs the run on a network without cost, which is not there.`,
      body: [
        el('h4', {}, 'Who makes others wait'),
        time_legend([
          { name: 'directly', colour: direct, values: [] },
          { name: 'through ranks that wait for it themselves', colour: through, values: [] },
        ]),
        picture,
        split && [
          el('h4', {}, 'What each rank waits for'),
          time_legend([
            { name: 'the network', about: 'would go on a network without cost', colour: wire, values: [] },
            { name: 'the algorithm', about: 'no network shortens it', colour: algorithm, values: [] },
          ]),
          split,
        ],
        rows_table({ columns, rows: ranks, name: 'delays', choose: ({ rank }) => toggle_ranks(view, [rank]) }),
        el('p', { class: 'display-note' }, sentence(answer.rule)),
      ],
      picture,
      table: () => saved_table(columns, ranks),
    };
  },
});
