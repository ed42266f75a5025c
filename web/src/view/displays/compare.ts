// Two runs of one program, aligned by the sequence of their calls: when and on which rank the second is later, and in which calls it
// falls behind.
import { max } from 'd3-array';
import { el, tooltip } from '../../base/dom.ts';
import { count_text, nanoseconds, percent, seconds } from '../../base/format.ts';
import type { View } from '../display.ts';
import { difference_scale } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { heat_map } from '../drawing/heat.ts';
import { nothing, panel } from '../drawing/panel.ts';
import { selected_ranks } from '../drawing/ranks.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import type { TraceEntry } from '../source/answers.ts';
import type { Source } from '../source/source.ts';
import { list_traces } from '../source/trace.ts';

interface Lag {
  name: string;
  count: number;
  later_s: number; // sum over the ranks
}
interface Step {
  rank: number;
  name: string;
  in_call: boolean; // else in the computation before it
  call: number;
  a_from_ns: number;
  a_to_ns: number;
  b_from_ns: number;
  b_to_ns: number;
  later_ns: number;
  grew_ns: number;
}
export interface Comparison {
  elapsed_a_s: number;
  elapsed_b_s: number;
  ranks_a: number;
  ranks_b: number;
  bin_ns: number;
  bins: number;
  ranks: {
    rank: number;
    calls_a: number;
    calls_b: number;
    aligned: number;
    begin_later_ns: number;
    end_later_ns: number;
    later_ns: number[];
  }[];
  computing: Lag;
  not_aligned: Lag;
  calls: Lag[];
  steps: Step[];
  left_out: number;
}
// What can be shown, also what has not been: known once it was asked for.
const listed = new WeakMap<Source, TraceEntry[]>();
const other: Control = {
  option: 'with',
  label: 'this run and',
  choices: (view) => {
    const entries = listed.get(view.trace.source) ?? view.all_traces.map(({ entry }) => entry),
      others = entries.filter(({ number }) => number !== view.trace.number),
      shown = view.traces[1]?.number,
      first = others.filter(({ number }) => number === shown);
    const list = [...first, ...others.filter(({ number }) => number !== shown)];
    return list.length > 0
      ? list.map(({ number, name, spec }) => [String(number), spec ? `${name}, predicted with ${spec}` : name])
      : [['', 'none']];
  },
};
// Computing, what is not aligned and each call, those that changed most first.
export const lags_of = ({ computing, not_aligned, calls }: Pick<Comparison, 'computing' | 'not_aligned' | 'calls'>): Lag[] =>
  [computing, not_aligned, ...calls].filter(({ count }) => count > 0).sort((a, b) => Math.abs(b.later_s) - Math.abs(a.later_s));
// "+1.20 ms", "−30 µs".
export const signed_time = (s: number) => (s < 0 ? '\u2212' : s > 0 ? '+' : '') + seconds(Math.abs(s));

const ns_text = (ns: number) => signed_time(ns * 1e-9);
const lag_columns = (ranks: number): Column<Lag>[] => [
  { title: 'in', name: 'in', value: ({ name }) => name },
  { title: 'aligned', name: 'count', value: ({ count }) => count, text: count_text },
  { title: 'later, mean of the ranks', name: 'later_mean_s', value: ({ later_s }) => later_s / ranks, text: signed_time },
  { title: 'sum', name: 'later_sum_s', value: ({ later_s }) => later_s, text: signed_time },
];
const step_columns: Column<Step>[] = [
  { title: 'rank', name: 'rank', value: ({ rank }) => rank },
  { title: 'where', name: 'where', value: ({ name, in_call }) => (in_call ? name : `computing before ${name}`) },
  { title: 'at', name: 'at_s', value: ({ a_from_ns }) => a_from_ns * 1e-9, text: (s) => seconds(s, 5) },
  { title: 'here', name: 'a_s', value: ({ a_from_ns, a_to_ns }) => (a_to_ns - a_from_ns) * 1e-9, text: (s) => seconds(s) },
  { title: 'there', name: 'b_s', value: ({ b_from_ns, b_to_ns }) => (b_to_ns - b_from_ns) * 1e-9, text: (s) => seconds(s) },
  { title: 'grew by', name: 'grew_s', value: ({ grew_ns }) => grew_ns * 1e-9, text: signed_time },
  { title: 'later after it', name: 'later_s', value: ({ later_ns }) => later_ns * 1e-9, text: signed_time },
];

export const compare = panel<Comparison | null>({
  name: 'compare',
  title: 'Difference of two runs',
  group: 'Program',
  about: 'When, on which rank and in which calls does another run fall behind this one, or get ahead?',
  controls: [other],
  shows_instant: true,
  depends: (view) => [view.option('with'), view.traces.map(({ number }) => number)],
  async ask(view, signal) {
    listed.set(view.trace.source, (await list_traces(view.trace.source, signal)).traces);
    const b = chosen(other, view);
    return b === '' ? null : ((await view.trace.source.json('data/compare', { a: view.trace.number, b, bins: 240 }, signal)) as Comparison);
  },
  draw(view, answer, { width, height }) {
    if (!answer)
      return nothing(
        'There is one run only. Open two, as "whatwire view before.ww after.ww", or let a what-if be predicted in "Move the wire".',
      );
    const wanted = new Set(selected_ranks(view.look.selection.ranks, view.trace.facts.ranks.length)),
      ranks = answer.ranks.filter(({ rank }) => wanted.has(rank)),
      aligned = ranks.reduce((sum, rank) => sum + rank.aligned, 0),
      calls = ranks.reduce((sum, rank) => sum + Math.max(rank.calls_a, rank.calls_b), 0);
    if (ranks.length === 0) return nothing('None of the selected ranks is in both runs.');
    if (aligned === 0) return nothing('The two have no call in common: they are not runs of one program.');
    const most = max(ranks, ({ later_ns }) => max(later_ns, Math.abs)) || 1,
      scale = difference_scale(view.palette.dark),
      value = Float32Array.from(ranks.flatMap(({ later_ns }) => later_ns)),
      series = { rows: ranks.length, bins: answer.bins, from_ns: 0, bin_ns: answer.bin_ns, value };
    const canvas = heat_map(view, {
      width,
      height: Math.max(160, Math.min(height * 0.5, 30 + 26 * ranks.length)),
      series,
      labels: ranks.map(({ rank }) => String(rank)),
      colour: (ns) => scale(ns / most),
      place: (row, bin, at) =>
        tooltip.show(at.x, at.y, `rank ${ranks[row]?.rank ?? ''}`, [
          ['later', ns_text(value[row * answer.bins + bin] ?? 0)],
          ['at', nanoseconds((bin + 0.5) * answer.bin_ns)],
        ]),
      choose: (row, bin) => go(view, (bin - 4) * answer.bin_ns, (bin + 5) * answer.bin_ns, ranks[row]?.rank ?? 0),
    });
    canvas.setAttribute('data-most', String(most));
    canvas.setAttribute('data-aligned', String(aligned));
    const lags = lags_of(answer),
      steps = answer.steps.filter(({ rank }) => wanted.has(rank)),
      change = answer.elapsed_b_s - answer.elapsed_a_s;
    return {
      note:
        `This run takes ${seconds(answer.elapsed_a_s, 4)}, the other ${seconds(answer.elapsed_b_s, 4)}: ${signed_time(change)} (${signed_percent_of(change, answer.elapsed_a_s)}). ` +
        `${percent(aligned / calls)} of the calls are aligned, by rank and in their order. Blue: earlier than here, orange: later, at most ${seconds(most * 1e-9)}.` +
        (answer.ranks_a !== answer.ranks_b
          ? ` They have ${answer.ranks_a} and ${answer.ranks_b} ranks; the first ${answer.ranks.length} are compared.`
          : ''),
      body: [
        canvas,
        el('h4', {}, 'Where the difference comes from, all ranks'),
        rows_table({ columns: lag_columns(answer.ranks.length), rows: lags, name: 'lags', choose: ({ name }) => select_call(view, name) }),
        el('h4', {}, `The largest steps${answer.left_out > 0 ? ` (${count_text(answer.left_out)} smaller ones are not listed)` : ''}`),
        rows_table({
          columns: step_columns,
          rows: steps,
          name: 'steps',
          choose: ({ rank, a_from_ns, a_to_ns }) => {
            const room = Math.max(1e3, (a_to_ns - a_from_ns) * 0.5);
            go(view, a_from_ns - room, a_to_ns + room, rank);
          },
        }),
      ],
      canvas,
      table: () => saved_table(step_columns, steps),
    };
  },
});
const signed_percent_of = (change: number, of: number) => (change < 0 ? '\u2212' : '+') + percent(Math.abs(change) / (of || 1));
function go(view: View, from_ns: number, to_ns: number, rank: number) {
  view.change({ at_ns: (from_ns + to_ns) / 2 });
  view.show({ from_ns, to_ns, rank, call: null });
}
function select_call(view: View, name: string) {
  if (view.trace.facts.names.includes(name))
    view.change({ selection: { ...view.look.selection, calls: view.look.selection.calls === name ? '' : name } });
}
