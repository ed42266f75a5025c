// A spoke a rank (S5's Kiviat graph): a share of its time at the instant, and its least, mean and most over what is selected.

import { type Row, svg, tip } from '../../base/dom.ts';
import { percent } from '../../base/format.ts';
import { type Stop, walkable } from '../../charts/chart.ts';
import { series_colour } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { at_most, spread_of } from '../drawing/ranks.ts';
import { bin_at, row_of, rows_of_ranks, view_ranks } from '../drawing/series.ts';
import { time_legend } from '../drawing/time_chart.ts';
import type { Series } from '../source/decode.ts';
import { toggle_ranks } from './ranks.ts';

const measure: Control = {
  option: 'measure',
  label: 'show',
  choices: () => [
    ['utilisation', 'utilisation'],
    ['compute', 'compute'],
    ['library', 'library'],
    ['blocked', 'blocked'],
  ],
};
const BINS = 100,
  MOST_SPOKES = 64;

export interface Spoke {
  label: string;
  ranks: number[];
  least: number;
  mean: number;
  most: number;
  now: number | null;
}
// Utilisation is what is not idle; idle is a rank that waits while the other side has not begun: blocked, algorithmic. (The question
// `utilisation` counts a call for several messages as idle until the first of them was sent only.)
export function spokes_of(
  series: Series,
  ranks: number,
  selected: readonly number[],
  utilisation: boolean,
  at_ns: number | null,
  most = MOST_SPOKES,
): Spoke[] {
  const rows = rows_of_ranks(series, ranks, selected),
    bin = bin_at(series, at_ns),
    shown = (value: number) => (utilisation ? 1 - value : value);
  return at_most([...rows.keys()], most).flatMap(({ label, ranks: members }) => {
    const values = members.map((rank) => Array.from(row_of(series, rows.get(rank) ?? 0), shown)),
      spread = spread_of(values.flat()),
      now = bin === null ? null : (spread_of(values.map((one) => one[bin] ?? Number.NaN))?.mean ?? null);
    return spread ? [{ label, ranks: members, least: spread.least, mean: spread.mean, most: spread.most, now }] : [];
  });
}

export const kiviat = panel<Series>({
  name: 'kiviat',
  title: 'Kiviat graph',
  group: 'Ranks',
  about: 'Is the load even? A spoke a rank: its utilisation now, and its least, mean and most.',
  controls: [measure],
  shows_instant: true,
  depends: (view) => [of_selection(view), chosen(measure, view)],
  ask(view, signal) {
    const what = chosen(measure, view);
    return view.trace.series(what === 'utilisation' ? 'algorithmic' : what, BINS, view.selection, signal);
  },
  draw(view, series, { width, height }) {
    const what = chosen(measure, view),
      spokes = spokes_of(series, view.trace.facts.ranks.length, view_ranks(view), what === 'utilisation', view.look.at_ns);
    if (spokes.length === 0) return nothing('No rank is selected.');
    const size = Math.max(180, Math.min(width, height - 30)),
      centre = size / 2,
      radius = centre - 34,
      dark = view.palette.dark,
      place = (i: number, value: number) => {
        const angle = (2 * Math.PI * i) / spokes.length - Math.PI / 2,
          far = radius * Math.max(0, Math.min(1, value));
        return [centre + far * Math.cos(angle), centre + far * Math.sin(angle)] as const;
      };
    const polygon = (value: (spoke: Spoke) => number, attributes: Record<string, string | number>) =>
      svg('polygon', {
        points: spokes
          .map((spoke, i) =>
            place(i, value(spoke))
              .map((at) => at.toFixed(1))
              .join(','),
          )
          .join(' '),
        ...attributes,
      });
    const colours = {
        most: series_colour(2, dark),
        mean: series_colour(0, dark),
        least: series_colour(6, dark),
        now: series_colour(1, dark),
      },
      with_now = spokes.some(({ now }) => now !== null);
    const stops: Stop[] = [];
    const marks = spokes.map((spoke, i) => {
      const [x, y] = place(i, 1),
        [tx, ty] = [centre + (x - centre) * (1 + 18 / radius), centre + (y - centre) * (1 + 18 / radius) + 4],
        rows: Row[] = [
          ...(spoke.now === null ? [] : [['at the instant', percent(spoke.now)] satisfies Row]),
          ['mean', percent(spoke.mean)],
          ['least', percent(spoke.least)],
          ['most', percent(spoke.most)],
        ];
      const shown = i % Math.ceil((spokes.length * 30) / (2 * Math.PI * radius)) === 0;
      const node = svg(
        'g',
        { class: 'choosable', 'data-rank': spoke.ranks[0] ?? '', 'data-mean': spoke.mean, onclick: () => toggle_ranks(view, spoke.ranks) },
        svg('line', { x1: centre, y1: centre, x2: x, y2: y, stroke: 'var(--line)' }),
        svg('line', { x1: centre, y1: centre, x2: x, y2: y, stroke: 'transparent', 'stroke-width': 12 }),
        svg('circle', { cx: place(i, spoke.mean)[0], cy: place(i, spoke.mean)[1], r: 3.5, fill: colours.mean }),
        spoke.now !== null && svg('circle', { cx: place(i, spoke.now)[0], cy: place(i, spoke.now)[1], r: 3.5, fill: colours.now }),
        shown && svg('text', { x: tx, y: ty, 'text-anchor': 'middle' }, spoke.label),
      );
      stops.push({ node, title: `rank ${spoke.label}`, rows });
      return tip(node, `rank ${spoke.label}`, rows);
    });
    const picture = svg(
      'svg',
      { class: 'kiviat', viewBox: `0 0 ${size} ${size}`, width: size, height: size, role: 'img', 'aria-label': `${what} of each rank` },
      [0.25, 0.5, 0.75, 1].map((share) => [
        svg('circle', { cx: centre, cy: centre, r: radius * share, fill: 'none', stroke: 'var(--grid)' }),
        svg('text', { x: centre + 3, y: centre - radius * share - 2, class: 'tick' }, percent(share, 0)),
      ]),
      polygon(({ most }) => most, { fill: 'none', stroke: colours.most, 'stroke-dasharray': '5 3' }),
      polygon(({ mean }) => mean, { fill: colours.mean, 'fill-opacity': 0.16, stroke: colours.mean, 'stroke-width': 2 }),
      polygon(({ least }) => least, { fill: 'none', stroke: colours.least, 'stroke-dasharray': '2 3' }),
      with_now && polygon(({ now }) => now ?? 0, { fill: 'none', stroke: colours.now, 'stroke-width': 2 }),
      marks,
    );
    const layer = (name: string, colour: string) => ({ name, colour, values: [] });
    return {
      note: with_now ? null : 'Least, mean and most over the selected time; choose an instant to see that too.',
      body: [
        time_legend([
          ...(with_now ? [layer('at the instant', colours.now)] : []),
          layer('mean', colours.mean),
          layer('least', colours.least),
          layer('most', colours.most),
        ]),
        walkable(picture, stops),
      ],
      picture,
      table: () => ({
        columns: ['ranks', `${what}_mean`, `${what}_least`, `${what}_most`, `${what}_at_instant`],
        rows: spokes.map((spoke) => [spoke.label, spoke.mean, spoke.least, spoke.most, spoke.now]),
      }),
    };
  },
});
