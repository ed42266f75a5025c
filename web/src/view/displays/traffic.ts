// Bytes and messages over time, sent and received, of all ranks or of each: S4's pictures of traffic (Figures 5.1 to 5.14).
import { sum } from 'd3-array';
import { bytes_text, count_text, digits } from '../../base/format.ts';
import type { View } from '../display.ts';
import { bytes_ticks, count_ticks } from '../drawing/axis.ts';
import { series_colour } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { bins_for, row_of, rows_of_ranks, summary, view_ranks } from '../drawing/series.ts';
import { type Layer, time_chart, time_legend } from '../drawing/time_chart.ts';
import type { Series } from '../source/decode.ts';

const measure: Control = {
  option: 'measure',
  label: 'show',
  choices: () => [
    ['bytes', 'bytes'],
    ['messages', 'messages'],
  ],
};
const by: Control = {
  option: 'by',
  label: 'of',
  choices: () => [
    ['all', 'all ranks, sent and received'],
    ['sent', 'each rank, sent'],
    ['received', 'each rank, received'],
  ],
};
const MOST_LINES = 8; // more are one line of their mean, and a band from the least to the most

interface Traffic {
  unit: string;
  sent: Series;
  received: Series;
}

// Lines of a series: each rank's where they are few, else the mean with its extremes.
export function rank_lines(series: Series, ranks: number, selected: readonly number[], dark: boolean, most = MOST_LINES): Layer[] {
  const rows = rows_of_ranks(series, ranks, selected);
  if (rows.size <= most)
    return [...rows].map(([rank, row]) => ({ name: `rank ${rank}`, colour: series_colour(rank, dark), values: row_of(series, row) }));
  const { mean, least, most: high } = summary(series, rows.values());
  return [{ name: `mean of ${rows.size} ranks, least to most`, colour: series_colour(0, dark), values: mean, low: least, high }];
}

export const traffic = panel<Traffic>({
  name: 'traffic',
  title: 'Traffic over time',
  group: 'Time',
  about: 'When do the ranks send and receive how much?',
  controls: [measure, by],
  shows_instant: true,
  depends: (view) => [of_selection(view), chosen(measure, view)],
  async ask(view, signal) {
    const unit = chosen(measure, view),
      bins = bins_for(900),
      [sent, received] = await Promise.all([
        view.trace.series(`${unit}_sent`, bins, view.selection, signal),
        view.trace.series(`${unit}_received`, bins, view.selection, signal),
      ]);
    return { unit, sent, received };
  },
  draw(view, { unit, sent, received }, { width, height }) {
    const ranks = view.trace.facts.ranks.length,
      selected = view_ranks(view),
      all = (series: Series) => summary(series, rows_of_ranks(series, ranks, selected).values()).sum,
      totals = { sent: sum(all(sent)), received: sum(all(received)) };
    if (totals.sent === 0 && totals.received === 0) return nothing(`No messages begin or end here${why_none(view)}.`);
    const text = (value: number) => (unit === 'bytes' ? bytes_text(Math.round(value)) : digits(value)),
      total_text = (value: number) => (unit === 'bytes' ? bytes_text(Math.round(value)) : `${count_text(Math.round(value))} messages`),
      mode = chosen(by, view);
    const layers: Layer[] =
      mode === 'all'
        ? [
            { name: `sent, ${total_text(totals.sent)}`, colour: series_colour(0, view.palette.dark), values: all(sent) },
            { name: `received, ${total_text(totals.received)}`, colour: series_colour(1, view.palette.dark), values: all(received) },
          ]
        : rank_lines(mode === 'sent' ? sent : received, ranks, selected, view.palette.dark);
    const picture = time_chart(view, {
      label: `${unit} over time`,
      width,
      height: Math.max(160, height - 34),
      from_ns: sent.from_ns,
      bin_ns: sent.bin_ns,
      bins: sent.bins,
      layers: layers.map((layer) => ({ ...layer })),
      title: `${unit} in each ${digits(sent.bin_ns * 1e-6)} ms`,
      text,
      ticks: unit === 'bytes' ? bytes_ticks : count_ticks,
    });
    picture.setAttribute('data-sent', String(totals.sent));
    picture.setAttribute('data-received', String(totals.received));
    return {
      body: [time_legend(layers), picture],
      picture,
      table: () => ({
        columns: [
          'from_s',
          'to_s',
          ...(mode === 'all' ? [`sent_${unit}`, `received_${unit}`] : layers.map(({ name }) => `${name.replaceAll(' ', '_')}_${unit}`)),
        ],
        rows: Array.from({ length: sent.bins }, (_, bin) => [
          (sent.from_ns + bin * sent.bin_ns) * 1e-9,
          (sent.from_ns + (bin + 1) * sent.bin_ns) * 1e-9,
          ...layers.map(({ values }) => values[bin] ?? null),
        ]),
      }),
    };
  },
});
export const why_none = (view: View) =>
  view.look.selection.calls || view.look.selection.peers ? ', of the calls and peers that are selected' : '';
