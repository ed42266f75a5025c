// Where the time of the ranks goes, over time: S5's utilisation profile with the parts of the analysis.
import { sum } from 'd3-array';
import { percent } from '../../base/format.ts';
import type { View } from '../display.ts';
import { part_colours } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { bins_for, rows_of_ranks, summary, view_ranks } from '../drawing/series.ts';
import { type Layer, time_chart, time_legend } from '../drawing/time_chart.ts';
import type { Series } from '../source/decode.ts';

const parts = ['compute', 'library', 'service', 'algorithmic'] as const;
type Shares = Record<(typeof parts)[number], Series>;

// The mean over the ranks of each part's share in each bin, and over all of the time.
export function utilisation_layers(shares: Shares, ranks: number, selected: readonly number[]) {
  return parts.map((part) => {
    const series = shares[part],
      values = summary(series, rows_of_ranks(series, ranks, selected).values()).mean;
    return { part, values, share: values.length > 0 ? sum(values.filter(Number.isFinite)) / values.length : 0 };
  });
}

const ask = async (view: View, signal: AbortSignal): Promise<Shares> => {
  const bins = bins_for(900),
    [compute, library, service, algorithmic] = await Promise.all(
      parts.map((part) => view.trace.series(part, bins, view.selection, signal)),
    );
  if (!compute || !library || !service || !algorithmic) throw new Error('a part of the series is missing');
  return { compute, library, service, algorithmic };
};

export const utilisation = panel<Shares>({
  name: 'utilisation',
  title: 'Utilisation over time',
  group: 'Time',
  about: 'How much of the ranks is computing, in calls and waiting at each time?',
  shows_instant: true,
  depends: of_selection,
  ask,
  draw(view, shares, { width, height }) {
    const { compute } = shares,
      ranks = view_ranks(view);
    if (compute.rows === 0 || ranks.length === 0) return nothing('No rank is selected.');
    const colours = part_colours(view),
      found = utilisation_layers(shares, view.trace.facts.ranks.length, ranks);
    const layers = found.map(({ part, values, share }): Layer => {
      const one = colours.find((colour) => colour.part === part);
      return { name: `${one?.title ?? part} ${percent(share)}`, about: one?.about ?? '', colour: one?.colour ?? '', values };
    });
    const picture = time_chart(view, {
      label: 'parts of the time of the ranks over time',
      width,
      height: Math.max(160, height - 34),
      from_ns: compute.from_ns,
      bin_ns: compute.bin_ns,
      bins: compute.bins,
      layers,
      stacked: true,
      title: `share of ${ranks.length === 1 ? `rank ${ranks[0]}` : `${ranks.length} ranks`}`,
      text: (value) => percent(value, value < 0.1 && value > 0 ? 1 : 0),
      top: 1,
    });
    for (const { part, share } of found) picture.setAttribute(`data-${part}`, String(share));
    return {
      body: [time_legend(layers), picture],
      picture,
      table: () => ({
        columns: ['from_s', 'to_s', ...parts.map((part) => `${part}_share`)],
        rows: Array.from({ length: compute.bins }, (_, bin) => [
          (compute.from_ns + bin * compute.bin_ns) * 1e-9,
          (compute.from_ns + (bin + 1) * compute.bin_ns) * 1e-9,
          ...found.map(({ values }) => values[bin] ?? null),
        ]),
      }),
    };
  },
});
