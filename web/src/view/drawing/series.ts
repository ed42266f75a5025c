// Series of all ranks as displays use them: some of the ranks, their sum, mean and extremes in each bin.
import type { View } from '../display.ts';
import type { Series } from '../source/decode.ts';
import { selected_ranks } from './ranks.ts';

const MOST_BINS = 400;
// As many as are told apart in a picture of that width.
export const bins_for = (width: number) => Math.max(40, Math.min(MOST_BINS, Math.round(width / 2.5)));

// Rows are those of all ranks of the trace, or of the selected ones in their order.
export function rows_of_ranks(series: Series, ranks_of_trace: number, selected: readonly number[]): Map<number, number> {
  if (series.rows === ranks_of_trace) return new Map(selected.map((rank) => [rank, rank]));
  return new Map(selected.slice(0, series.rows).map((rank, row) => [rank, row]));
}
export const view_ranks = (view: View) => selected_ranks(view.look.selection.ranks, view.trace.facts.ranks.length);

export const row_of = (series: Series, row: number) => series.value.subarray(row * series.bins, (row + 1) * series.bins);

export interface Summary {
  sum: Float64Array;
  mean: Float64Array;
  least: Float64Array;
  most: Float64Array;
}
// Over the rows, in each bin; where no row has a value NaN.
export function summary(series: Series, rows: Iterable<number>): Summary {
  const { bins } = series,
    sum = new Float64Array(bins),
    count = new Uint32Array(bins),
    least = new Float64Array(bins).fill(Number.POSITIVE_INFINITY),
    most = new Float64Array(bins).fill(Number.NEGATIVE_INFINITY);
  for (const row of rows) {
    const values = row_of(series, row);
    for (let bin = 0; bin < bins; ++bin) {
      const value = values[bin] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      sum[bin] = (sum[bin] ?? 0) + value;
      count[bin] = (count[bin] ?? 0) + 1;
      least[bin] = Math.min(least[bin] ?? value, value);
      most[bin] = Math.max(most[bin] ?? value, value);
    }
  }
  const mean = sum.map((all, bin) => all / (count[bin] ?? 0));
  for (let bin = 0; bin < bins; ++bin) if (count[bin] === 0) least[bin] = most[bin] = sum[bin] = Number.NaN;
  return { sum, mean, least, most };
}
// The bin of an instant; null: it lies outside.
export function bin_at({ from_ns, bin_ns, bins }: Series, at_ns: number | null): number | null {
  if (at_ns === null || !(bin_ns > 0)) return null;
  const bin = Math.floor((at_ns - from_ns) / bin_ns);
  return bin >= 0 && bin < bins ? bin : at_ns === from_ns + bins * bin_ns ? bins - 1 : null;
}
// A series as a table: a row a bin, a column a rank.
export function series_table(series: Series, rows: ReadonlyMap<number, number>, unit: string) {
  const ranks = [...rows.keys()];
  return {
    columns: ['from_s', 'to_s', ...ranks.map((rank) => `rank_${rank}_${unit}`)],
    rows: Array.from({ length: series.bins }, (_, bin) => [
      (series.from_ns + bin * series.bin_ns) * 1e-9,
      (series.from_ns + (bin + 1) * series.bin_ns) * 1e-9,
      ...ranks.map((rank) => {
        const value = series.value[(rows.get(rank) ?? 0) * series.bins + bin] ?? Number.NaN;
        return Number.isFinite(value) ? value : null;
      }),
    ]),
  };
}
