// Time x rank x measure: as a map, and as a surface that can be turned (S5's three-dimensional display).
import { extent, sum, ticks } from 'd3-array';
import { tooltip } from '../../base/dom.ts';
import { bytes_text, digits, nanoseconds, percent } from '../../base/format.ts';
import type { View } from '../display.ts';
import { strength_scale } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { heat_map } from '../drawing/heat.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { at_most, type RankGroup } from '../drawing/ranks.ts';
import { rows_of_ranks, series_table, summary, view_ranks } from '../drawing/series.ts';
import { surface_canvas } from '../drawing/surface3d.ts';
import type { Series } from '../source/decode.ts';

const measures = (view: View) =>
  [
    ['blocked', 'blocked'],
    ['compute', 'compute'],
    ['library', 'library'],
    ['algorithmic', 'blocked, algorithmic'],
    ['service', 'blocked, service'],
    ['bytes_sent', 'bytes sent'],
    ['bytes_received', 'bytes received'],
    ['messages_sent', 'messages sent'],
    ['messages_received', 'messages received'],
    ['calls', 'calls'],
    ['regions', 'regions'],
    ['queue_messages', 'messages waiting for it'],
    ['queue_bytes', 'bytes waiting for it'],
    ['outgoing_messages', 'its messages, under way'],
    ['outgoing_bytes', 'its bytes, under way'],
    ...view.trace.facts.values.map(({ name }): readonly [string, string] => [`value:${name}`, name]),
  ] as const satisfies readonly (readonly [string, string])[];
const measure: Control = { option: 'measure', label: 'measure', choices: measures };
const shape: Control = {
  option: 'shape',
  label: 'as',
  choices: () => [
    ['map', 'map'],
    ['surface', 'surface, to be turned'],
  ],
};
const MAP_BINS = 240,
  SURFACE_BINS = 72,
  MOST_ROWS = { map: 160, surface: 48 };

export const measure_text = (name: string) => (value: number) =>
  /^(compute|library|blocked|algorithmic|service)$/.test(name)
    ? percent(value)
    : name.includes('bytes')
      ? bytes_text(Math.round(value))
      : digits(value);

// One row a group of ranks: their mean.
export function grouped(series: Series, ranks: number, groups: readonly RankGroup[]): Series {
  const value = new Float32Array(groups.length * series.bins);
  groups.forEach((group, row) => {
    value.set(summary(series, rows_of_ranks(series, ranks, group.ranks).values()).mean, row * series.bins);
  });
  return { ...series, rows: groups.length, value };
}

export const surface = panel<Series>({
  name: 'surface',
  title: 'Surface: time, rank, measure',
  group: 'Time',
  about: 'Where in time and on which ranks is a measure high?',
  controls: [measure, shape],
  shows_instant: true,
  depends: (view) => [of_selection(view), chosen(measure, view), chosen(shape, view)],
  ask: (view, signal) =>
    view.trace.series(
      chosen(measure, view),
      chosen(shape, view) === 'map' ? MAP_BINS : SURFACE_BINS,
      { ...view.selection, ranks: '' },
      signal,
    ),
  draw(view, series, { width, height }) {
    const ranks = view.trace.facts.ranks.length,
      selected = view_ranks(view),
      what = chosen(measure, view),
      as_map = chosen(shape, view) === 'map',
      text = measure_text(what),
      [low, high] = extent(series.value);
    if (selected.length === 0) return nothing('No rank is selected.');
    if (low === undefined || high === undefined || (low === 0 && high === 0))
      return nothing(`Nothing of this measure is in this time: ${what.replaceAll('_', ' ')} is zero or was not given.`);
    const groups = at_most(selected, as_map ? MOST_ROWS.map : MOST_ROWS.surface),
      shown = grouped(series, ranks, groups),
      least = Math.min(0, low),
      colours = strength_scale(view.palette.dark),
      colour = (value: number) => colours((value - least) / (high - least || 1));
    const place = (row: number, bin: number, at: { x: number; y: number }) =>
      tooltip.show(at.x, at.y, `rank ${groups[row]?.label ?? ''}`, [
        [what.replaceAll('_', ' '), value_text(shown.value[row * shown.bins + bin] ?? Number.NaN, text)],
        ['from', nanoseconds(series.from_ns + bin * series.bin_ns)],
        ['to', nanoseconds(series.from_ns + (bin + 1) * series.bin_ns)],
      ]);
    const choose = (row: number, bin: number) => {
      const from = series.from_ns + bin * series.bin_ns;
      view.change({ at_ns: from + series.bin_ns / 2 });
      view.show({ from_ns: from - 4 * series.bin_ns, to_ns: from + 5 * series.bin_ns, rank: groups[row]?.ranks[0] ?? 0 });
    };
    const room = { width, height: Math.max(200, height) };
    const canvas = as_map
      ? heat_map(view, { ...room, series: shown, labels: groups.map(({ label }) => label), colour, place, choose })
      : surface_canvas(view, {
          ...room,
          series: shown,
          labels: groups.map(({ label }) => label),
          least,
          most: high,
          colour,
          ticks: ticks(least, high, 4).map((value) => [value, text(value)]),
        });
    canvas.setAttribute('data-sum', String(sum(series.value)));
    canvas.setAttribute('data-least', String(low));
    canvas.setAttribute('data-most', String(high));
    return {
      note: `From ${text(low)} (${view.palette.dark ? 'dark' : 'light'}) to ${text(high)} (${view.palette.dark ? 'bright' : 'dark'})${groups.some((group) => group.ranks.length > 1) ? '; each row is the mean of several ranks' : ''}. ${as_map ? 'A click goes there.' : 'Drag to turn it; arrow keys do too.'}`,
      body: canvas,
      canvas,
      table: () => series_table(series, rows_of_ranks(series, ranks, selected), what.replaceAll(/\W+/g, '_')),
    };
  },
});
const value_text = (value: number, text: (value: number) => string) => (Number.isFinite(value) ? text(value) : 'none');
