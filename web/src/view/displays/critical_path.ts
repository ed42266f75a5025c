// The chain of ranks and calls that the run's length comes from: what it is made of, and its parts, each a place to go to.
import { el } from '../../base/dom.ts';
import { count_text, percent, seconds } from '../../base/format.ts';
import { seconds_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { colour_of_part, series_colour } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { toggle_ranks } from './ranks.ts';

interface PathPart {
  rank: number;
  what: string;
  from_s: number;
  to_s: number;
}
interface CriticalPath {
  length_s: number;
  compute_s: number;
  compute_share: number;
  calls: Record<string, { time_s: number; share: number }>;
  ranks: { rank: number; compute_s: number; calls_s: number; visits: number }[];
  parts: PathPart[];
  parts_omitted: number;
  rule: string;
}
// Computation and each call on the path, the longest first.
export const composition = ({ compute_s, calls }: Pick<CriticalPath, 'compute_s' | 'calls'>) =>
  [{ name: 'computation', time_s: compute_s }, ...Object.entries(calls).map(([name, { time_s }]) => ({ name, time_s }))]
    .filter(({ time_s }) => time_s > 0)
    .sort((a, b) => b.time_s - a.time_s);

const columns: Column<PathPart>[] = [
  { title: 'rank', name: 'rank', value: ({ rank }) => rank },
  { title: 'in', name: 'what', value: ({ what }) => what },
  { title: 'from', name: 'from_s', value: ({ from_s }) => from_s, text: (s) => seconds(s, 5) },
  { title: 'takes', name: 'time_s', value: ({ from_s, to_s }) => to_s - from_s, text: (s) => seconds(s) },
];

export const critical_path = panel<CriticalPath>({
  name: 'critical-path',
  title: 'Critical path',
  group: 'Program',
  about: 'Which chain of ranks and calls makes the run as long as it is?',
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<CriticalPath>('critical-path', view.selection, signal),
  draw(view, path, { width }) {
    if (path.parts.length === 0) return nothing('There is no path: the selected time has nothing of the program.');
    const made_of = composition(path),
      compute = colour_of_part(view, 'compute'),
      call_colour = series_colour(0, view.palette.dark);
    const what_bar = ({ name, time_s }: (typeof made_of)[number]): Bar => ({
      label: name,
      title: `${name} on the critical path`,
      segments: [{ name: 'time', colour: name === 'computation' ? compute : call_colour, value: time_s }],
      rows: [['of the path', percent(time_s / path.length_s)]],
      data: { what: name, time: time_s },
      ...(name !== 'computation' && { choose: () => view.change({ selection: { ...view.look.selection, calls: name } }) }),
    });
    const ranks = [...path.ranks].sort((a, b) => b.compute_s + b.calls_s - a.compute_s - a.calls_s).slice(0, 16);
    const picture = bar_chart({
      label: 'what the critical path is made of',
      width,
      text: (s) => seconds(s),
      ticks: seconds_ticks,
      bars: made_of.slice(0, 12).map(what_bar),
      longest: path.length_s,
    });
    const by_rank = bar_chart({
      label: 'ranks on the critical path',
      width,
      text: (s) => seconds(s),
      ticks: seconds_ticks,
      longest: path.length_s,
      bars: ranks.map(
        ({ rank, compute_s, calls_s, visits }): Bar => ({
          label: `rank ${rank}`,
          title: `rank ${rank} on the critical path`,
          segments: [
            { name: 'computation', colour: compute, value: compute_s },
            { name: 'in calls', colour: call_colour, value: calls_s },
          ],
          rows: [
            ['of the path', percent((compute_s + calls_s) / path.length_s)],
            ['visits', count_text(visits)],
          ],
          data: { rank },
          choose: () => toggle_ranks(view, [rank]),
        }),
      ),
    });
    const longest = [...path.parts].sort((a, b) => b.to_s - b.from_s - a.to_s + a.from_s);
    const show = ({ rank, from_s, to_s }: PathPart) => {
      const room = Math.max(1e3, (to_s - from_s) * 1e9);
      view.change({ at_ns: from_s * 1e9 });
      view.show({ from_ns: from_s * 1e9 - room, to_ns: to_s * 1e9 + room, rank, call: null });
    };
    return {
      note: `${seconds(path.length_s)}: ${percent(path.compute_share)} computation, ${percent(1 - path.compute_share)} in calls. Followed ${path.rule}.`,
      body: [
        picture,
        el(
          'h4',
          {},
          `Ranks it runs through${path.ranks.length > ranks.length ? `, the first ${ranks.length} of ${path.ranks.length}` : ''}`,
        ),
        by_rank,
        el(
          'h4',
          {},
          `Its parts, the longest first${path.parts_omitted > 0 ? ` (${count_text(path.parts_omitted)} more are not listed)` : ''}`,
        ),
        rows_table({ columns, rows: longest, name: 'critical-path', choose: show }),
      ],
      picture,
      table: () => saved_table(columns, path.parts),
    };
  },
});
