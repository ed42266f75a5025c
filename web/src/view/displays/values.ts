// The values that the program gave over time, a curve a rank, and its values and markers as tables.
import { el } from '../../base/dom.ts';
import { count_text, seconds } from '../../base/format.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { bins_for, rows_of_ranks, series_table, view_ranks } from '../drawing/series.ts';
import { type Column, rows_table } from '../drawing/tables.ts';
import { time_chart, time_legend } from '../drawing/time_chart.ts';
import type { Series } from '../source/decode.ts';
import { rank_lines } from './traffic.ts';

const which: Control = {
  option: 'value',
  label: 'value',
  choices: (view) =>
    view.trace.facts.values.length > 0
      ? view.trace.facts.values.map(({ name, unit }) => [name, unit ? `${name} (${unit})` : name] as const)
      : [['', 'none']],
};
interface ValueTotal {
  name: string;
  count: number;
  first?: number;
  last?: number;
  least?: number;
  most?: number;
  mean?: number;
}
interface Marker {
  text: string;
  count: number;
  first_s: number;
  last_s: number;
}
interface Values {
  series: Series | null;
  values: ValueTotal[];
  markers: Marker[];
}
const number = (value: number) => (Number.isInteger(value) && Math.abs(value) < 1e6 ? count_text(value) : String(+value.toPrecision(6)));
const value_columns: Column<ValueTotal>[] = [
  { title: 'value', name: 'value', value: ({ name }) => name },
  { title: 'given', name: 'count', value: ({ count }) => count, text: count_text },
  ...(['first', 'last', 'least', 'mean', 'most'] as const).map(
    (key): Column<ValueTotal> => ({ title: key, name: key, value: (row) => row[key] ?? null, text: number }),
  ),
];
const marker_columns: Column<Marker>[] = [
  { title: 'marker', name: 'marker', value: ({ text }) => text },
  { title: 'set', name: 'count', value: ({ count }) => count, text: count_text },
  { title: 'first at', name: 'first_s', value: ({ first_s }) => first_s, text: (s) => seconds(s, 4) },
  { title: 'last at', name: 'last_s', value: ({ last_s }) => last_s, text: (s) => seconds(s, 4) },
];

export const values = panel<Values>({
  name: 'values',
  title: 'Values and markers',
  group: 'Program',
  about: 'How do the values that the program gives of itself change, and when did it set which marker?',
  controls: [which],
  shows_instant: true,
  depends: (view) => [of_selection(view), chosen(which, view)],
  async ask(view, signal) {
    const name = chosen(which, view),
      [series, { values, markers }] = await Promise.all([
        name ? view.trace.series(`value:${name}`, bins_for(900), view.selection, signal) : null,
        view.trace.ask<Omit<Values, 'series'>>('values', view.selection, signal),
      ]);
    return { series, values, markers };
  },
  draw(view, { series, values: totals, markers }, { width, height }) {
    if (totals.length === 0 && markers.length === 0)
      return nothing(
        view.trace.facts.values.length + view.trace.facts.markers > 0
          ? 'No value was given and no marker set in the selected time.'
          : 'There are no values and markers: whatwire instrument --watch makes values of variables, whatwire record --memory of the memory of each process, and the program can give its own (ww_value_double and ww_marker of whatwire/marker.h).',
      );
    const name = chosen(which, view),
      count = view.trace.facts.ranks.length,
      selected = view_ranks(view),
      layers = series ? rank_lines(series, count, selected, view.palette.dark, 16).map((layer) => ({ ...layer, steps: true })) : [],
      some = layers.some(({ values: list }) => Array.from(list).some(Number.isFinite));
    const picture =
      series && some
        ? time_chart(view, {
            label: `${name} over time`,
            width,
            height: Math.max(180, Math.min(320, height * 0.55)),
            from_ns: series.from_ns,
            bin_ns: series.bin_ns,
            bins: series.bins,
            layers,
            title: name,
            text: number,
          })
        : null;
    const jump = (from_s: number, to_s: number) => {
      const [from_ns, to_ns] = [from_s * 1e9, to_s * 1e9],
        room = Math.max(1000, (to_ns - from_ns) * 0.1, (view.window[1] - view.window[0]) * 0.02);
      view.change({ at_ns: from_ns });
      view.show({ from_ns: from_ns - room, to_ns: to_ns + room });
    };
    return {
      body: [
        picture && [time_legend(layers), picture],
        totals.length > 0 &&
          rows_table({
            columns: value_columns,
            rows: totals,
            name: 'values',
            choose: (row) => view.set_option('value', row.name),
            chosen: (row) => row.name === name,
          }),
        markers.length > 0 && [
          el('h4', {}, 'Markers'),
          rows_table({ columns: marker_columns, rows: markers, name: 'markers', choose: (row) => jump(row.first_s, row.first_s) }),
        ],
      ],
      ...(picture && { picture }),
      table: () =>
        series && some
          ? series_table(series, rows_of_ranks(series, count, selected), name.replaceAll(/\W+/g, '_'))
          : {
              columns: marker_columns.map((column) => column.name),
              rows: markers.map((row) => marker_columns.map((column) => column.value(row))),
            },
    };
  },
});
