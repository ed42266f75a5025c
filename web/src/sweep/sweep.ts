// A sweep: the predicted time over one part of a what-if, or over two as lines of equal time; of further
// parts the reader chooses a value.
import { ascending, extent, least, max, min, tickStep, ticks } from 'd3-array';
import { el, type Row, svg, tip } from '../base/dom.ts';
import { axis_time, factor_text, seconds } from '../base/format.ts';
import { type Axis, axes_chart, card, heat_style, type Stop, walkable } from '../charts/chart.ts';
import { interval_text, linear_time_axis, plot } from '../charts/plot.ts';
import type { Sweep, SweepAxis, SweepCell } from '../data/types.ts';
import { cell_edges, contour_pieces } from './contours.ts';

const sweep_titles: Record<string, string> = {
  bandwidth: 'bandwidth, times',
  latency: 'latency',
  software: 'software time, times',
  compute: 'speed of computation, times',
};
export function sweep_axis(axis: SweepAxis): Axis {
  const lowest = min(axis.numbers) ?? 0,
    spread = (max(axis.numbers) ?? 0) / lowest;
  const label = (value: number) =>
    axis.kind === 'seconds' ? seconds(value, 2) : axis.kind === 'factor' ? '×' + +value.toPrecision(3) : (axis.values[value] ?? '');
  const few = axis.numbers.length <= 8 || axis.kind === 'name';
  return {
    kind: axis.kind !== 'name' && lowest > 0 && spread > 3 ? 'log' : 'linear',
    label,
    title: sweep_titles[axis.part] ?? axis.part,
    ...(few && { ticks: axis.numbers.map((number) => [number, label(number)]) }),
  };
}
export const cell_rows = (cell: SweepCell): Row[] => {
  const time = (name: string, s: number | null | undefined): Row[] => (typeof s === 'number' ? [[name, seconds(s)]] : []);
  return [
    ['predicted', seconds(cell.predicted_s, 4)],
    ...interval_text(cell.predicted_low_s, cell.predicted_high_s, seconds),
    ...(cell.gain ? [['speed-up', factor_text(cell.gain)] satisfies Row] : []),
    ...time('blocked, mean', cell.blocked_s),
    ...time('of it service', cell.blocked_service_s),
  ];
};

// Over the axis with this index.
function sweep_line(axis: SweepAxis, index: number, cells: SweepCell[]) {
  return plot({
    name: 'sweep',
    label: 'predicted time over ' + axis.part,
    width: 760,
    height: 380,
    x: { ...sweep_axis(axis), room: 1.1 },
    y: linear_time_axis('predicted time', 3),
    series: [
      {
        name: 'predicted',
        joined: true,
        points: cells.map((cell) => ({
          x: axis.numbers[cell.at[index] ?? 0] ?? NaN,
          y: cell.predicted_s,
          low: cell.predicted_low_s,
          high: cell.predicted_high_s,
          title: cell.what_if,
          rows: cell_rows(cell),
        })),
      },
    ],
  });
}

// So many of 1, 1.5, 2, 3, 5, 7 times a power of ten that about ten lie between.
export function wide_levels(least: number, most: number) {
  const decades = Math.log10(most / least),
    mantissas = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7]].findLast((list) => list.length * decades <= 10) ?? [1],
    list = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power)
    list.push(...mantissas.map((mantissa) => mantissa * 10 ** power));
  return list.filter((level) => level > least && level < most);
}

// The places of an axis in the order of their numbers, whatever the order they were given in.
const sorted = ({ numbers }: SweepAxis) =>
  numbers.map((number, index) => ({ number, index })).sort((a, b) => ascending(a.number, b.number));
const exactly = (axis: SweepAxis) => ({ ...sweep_axis(axis), low: min(axis.numbers) ?? 0, high: max(axis.numbers) ?? 1 });

function sweep_contours(across: SweepAxis, up: SweepAxis, cells: SweepCell[]) {
  const width = 760,
    height = 480,
    margin = { left: 84, right: 24, top: 26, bottom: 46 },
    [least = 0, most = 0] = extent(cells, (cell) => cell.predicted_s),
    by_place = new Map(cells.map((cell) => [`${cell.at[0]},${cell.at[1]}`, cell])),
    columns = sorted(across),
    rows = sorted(up),
    cell_at = (c: number, r: number) => by_place.get(`${columns[c]?.index},${rows[r]?.index}`),
    stops: Stop[] = [];
  // Times that are far apart are coloured, and their lines chosen, by their ratio.
  const wide = least > 0 && most > 3 * least;
  const share = (s: number) => (!(most > least) ? 0 : wide ? Math.log(s / least) / Math.log(most / least) : (s - least) / (most - least));
  const name = { name: 'sweep', label: `predicted time over ${across.part} and ${up.part}`, width, height, margin };
  const picture = axes_chart(name, exactly(across), exactly(up), (x, y) => {
    const xs = columns.map(({ number }) => x(number)),
      ys = rows.map(({ number }) => y(number)),
      x_edges = cell_edges(xs);
    const heat = cell_edges(ys).map(([bottom, top], r) =>
      x_edges.map(([left, right], c) => {
        const cell = cell_at(c, r);
        if (!cell) return null;
        const node = svg('rect', {
          class: 'heat',
          'data-column': columns[c]?.index,
          'data-row': rows[r]?.index,
          x: Math.min(left, right),
          y: Math.min(bottom, top),
          width: Math.max(1, Math.abs(right - left)),
          height: Math.max(1, Math.abs(bottom - top)),
          style: heat_style(share(cell.predicted_s)),
        });
        stops.push({ node, title: cell.what_if, rows: cell_rows(cell) });
        return tip(node, cell.what_if, cell_rows(cell));
      }),
    );
    const lines = (!(most > least) ? [] : wide ? wide_levels(least, most) : ticks(least, most, 8)).map((level) => {
      const pieces = contour_pieces(xs, ys, (c, r) => cell_at(c, r)?.predicted_s ?? NaN, level),
        at = pieces[pieces.length >> 1]?.[0];
      if (!at) return null;
      const colour = share(level) > 0.55 ? 'var(--paper)' : 'var(--ink)';
      return [
        svg('path', {
          class: 'contour',
          'data-level': level,
          d: pieces.map(([a, b]) => `M${a[0].toFixed(2)},${a[1].toFixed(2)}L${b[0].toFixed(2)},${b[1].toFixed(2)}`).join(''),
          fill: 'none',
          stroke: colour,
          'stroke-width': 1.3,
          style: 'pointer-events: none',
        }),
        svg(
          'text',
          {
            x: Math.min(Math.max(at[0], margin.left + 30), width - margin.right - 30),
            y: Math.min(Math.max(at[1] - 4, margin.top + 12), height - margin.bottom - 4),
            'text-anchor': 'middle',
            style: `pointer-events: none; font-size: 11px; fill: ${colour}`,
          },
          wide ? seconds(level, 2) : axis_time(level, tickStep(least, most, 8)),
        ),
      ];
    });
    return { under: [heat, lines] };
  });
  return walkable(picture, stops);
}

export function sweep_section(sweep: Sweep) {
  const chosen = sweep.axes.slice(2).map(() => 0),
    holder = el('div', { class: 'sweep' }),
    [across, up] = sweep.axes;
  const draw = () => {
    const cells = sweep.cells.filter((cell) => chosen.every((place, i) => cell.at[i + 2] === place));
    // of a grid of one row or column the line along it
    if (across && up && across.values.length > 1 && up.values.length > 1) holder.replaceChildren(sweep_contours(across, up, cells));
    else if (up && up.values.length > 1) holder.replaceChildren(...sweep_line(up, 1, cells));
    else if (across) holder.replaceChildren(...sweep_line(across, 0, cells));
  };
  const choices = sweep.axes.slice(2).map((axis, i) => {
    const select = el(
      'select',
      {
        onchange: () => {
          chosen[i] = select.selectedIndex;
          draw();
        },
      },
      axis.values.map((value) => el('option', {}, value)),
    );
    return el('label', { class: 'choice' }, axis.part + ' ', select);
  });
  draw();
  const best = least(sweep.cells, (cell) => cell.predicted_s);
  return el(
    'section',
    { class: 'program sweep' },
    el('h2', {}, sweep.name),
    card(
      'The predicted time over ' + sweep.axes.map((axis) => axis.part).join(' and '),
      [
        `Recorded: ${seconds(sweep.recorded_s, 4)}. `,
        typeof sweep.replayed_s === 'number' &&
          `Replayed: ${seconds(sweep.replayed_s, 4)}, which a speed-up divides by the predicted time. `,
        sweep.gain_withheld && el('b', {}, `Speed-ups are withheld: ${sweep.gain_withheld}. `),
        best && `Quickest: ${seconds(best.predicted_s, 4)} at ${best.what_if}. `,
        'Point at a place, or walk with the arrow keys, for its values.',
      ],
      choices.length > 0 && el('p', { class: 'note' }, choices),
      holder,
    ),
  );
}
