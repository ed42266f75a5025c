// A sweep: the predicted time over one part of a what-if, or over two as lines of equal time; of further
// parts the reader chooses a value.
import { el, svg, tip } from '../base/dom.ts';
import { axis_time, factor_text, round_step, seconds, ticks } from '../base/format.ts';
import { card, chart, frame } from '../charts/chart.ts';
import { axis_ticks, fit_axis, interval_text, plot, scale_of, walkable } from '../charts/plot.ts';
import { cell_edges, contour_pieces } from './contours.ts';

export const sweep_titles = {
  bandwidth: 'bandwidth, times',
  latency: 'latency',
  software: 'software time, times',
  compute: 'speed of computation, times',
};
export function sweep_axis(axis) {
  const spread = Math.max(...axis.numbers) / Math.min(...axis.numbers);
  const label =
    axis.kind === 'seconds' ? (s) => seconds(s, 2) : axis.kind === 'factor' ? (x) => '×' + +x.toPrecision(3) : (i) => axis.values[i] ?? '';
  const few = axis.numbers.length <= 8 || axis.kind === 'name';
  return {
    kind: axis.kind !== 'name' && Math.min(...axis.numbers) > 0 && spread > 3 ? 'log' : 'linear',
    label,
    title: sweep_titles[axis.part] ?? axis.part,
    room: 1,
    ticks: few ? axis.numbers.map((number) => [number, label(number)]) : undefined,
  };
}
export const cell_rows = (cell) => [
  ['predicted', seconds(cell.predicted_s, 4)],
  ...interval_text(cell.predicted_low_s, cell.predicted_high_s, (s) => seconds(s)),
  ...(cell.gain ? [['speed-up', factor_text(cell.gain)]] : []),
  ...(Number.isFinite(cell.blocked_s) ? [['blocked, mean', seconds(cell.blocked_s)]] : []),
  ...(Number.isFinite(cell.blocked_service_s) ? [['of it service', seconds(cell.blocked_service_s)]] : []),
];

export function sweep_line(sweep, cells) {
  const [axis] = sweep.axes;
  const points = cells.map((cell) => ({
    x: axis.numbers[cell.at[0]],
    y: cell.predicted_s,
    low: cell.predicted_low_s,
    high: cell.predicted_high_s,
    title: cell.what_if,
    rows: cell_rows(cell),
  }));
  const x = sweep_axis(axis);
  if (x.kind === 'log') x.room = 1.1;
  return plot({
    name: 'sweep',
    label: 'predicted time over ' + axis.part,
    width: 760,
    height: 380,
    x,
    y: { kind: 'linear', label: (s) => seconds(s, 3), title: 'predicted time', include: [0] },
    series: [{ name: 'predicted', points, joined: true }],
  });
}

// So many of 1, 1.5, 2, 3, 5, 7 times a power of ten that about ten lie between.
export function wide_levels(least, most) {
  const digits_of = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7]],
    decades = Math.log10(most / least);
  const mantissas = digits_of.findLast((list) => list.length * decades <= 10) ?? digits_of[0],
    list = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power)
    for (const mantissa of mantissas)
      if (mantissa * 10 ** power > least && mantissa * 10 ** power < most) list.push(mantissa * 10 ** power);
  return list;
}

export function sweep_contours(sweep, cells) {
  const [across, up] = sweep.axes,
    width = 760,
    height = 480,
    margin = { left: 84, right: 24, top: 26, bottom: 46 };
  const fx = fit_axis(sweep_axis(across), across.numbers),
    fy = fit_axis(sweep_axis(up), up.numbers);
  const exact = (axis, numbers) => ({ ...axis, low: Math.min(...numbers), high: Math.max(...numbers) });
  const ax = exact(fx, across.numbers),
    ay = exact(fy, up.numbers);
  const to_x = scale_of(ax, margin.left, width - margin.right),
    to_y = scale_of(ay, height - margin.bottom, margin.top);
  const by_place = new Map(cells.map((cell) => [cell.at[0] + ',' + cell.at[1], cell]));
  // in the order of their numbers, whatever the order they were given in
  const sorted = (numbers) => numbers.map((_, i) => i).sort((a, b) => numbers[a] - numbers[b]);
  const columns = sorted(across.numbers),
    rows = sorted(up.numbers);
  const xs = columns.map((i) => to_x(across.numbers[i])),
    ys = rows.map((i) => to_y(up.numbers[i]));
  const cell_at = (c, r) => by_place.get(columns[c] + ',' + rows[r]);
  const value = (c, r) => cell_at(c, r)?.predicted_s ?? NaN;
  const seen = cells.map((cell) => cell.predicted_s),
    least = Math.min(...seen),
    most = Math.max(...seen);
  // Times that are far apart are coloured, and their lines chosen, by their ratio.
  const wide = least > 0 && most > 3 * least;
  const share = (s) => (!(most > least) ? 0 : wide ? Math.log(s / least) / Math.log(most / least) : (s - least) / (most - least));
  const stops = [],
    x_edges = cell_edges(xs),
    y_edges = cell_edges(ys);
  const heat = rows.map((_, r) =>
    columns.map((_, c) => {
      const cell = cell_at(c, r);
      if (!cell) return null;
      const [left, right] = x_edges[c],
        [bottom, top] = y_edges[r];
      const node = svg('rect', {
        class: 'heat',
        'data-column': columns[c],
        'data-row': rows[r],
        x: Math.min(left, right),
        y: Math.min(bottom, top),
        width: Math.max(1, Math.abs(right - left)),
        height: Math.max(1, Math.abs(bottom - top)),
        style: `fill: color-mix(in oklab, var(--heat-high) ${(share(cell.predicted_s) * 100).toFixed(1)}%, var(--heat-low))`,
      });
      const all = cell_rows(cell);
      stops.push({ node, title: cell.what_if, rows: all });
      return tip(node, cell.what_if, all);
    }),
  );
  const step = most > least ? round_step(most - least, 8) : 0;
  const lines = (step <= 0 ? [] : wide ? wide_levels(least, most) : ticks(least, most, 8)).map((level) => {
    const pieces = contour_pieces(xs, ys, value, level);
    if (pieces.length === 0) return null;
    const colour = share(level) > 0.55 ? 'var(--paper)' : 'var(--ink)';
    const at = pieces[pieces.length >> 1][0];
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
        wide ? seconds(level, 2) : axis_time(level, step),
      ),
    ];
  });
  const picture = chart(
    width,
    height,
    `predicted time over ${across.part} and ${up.part}`,
    heat,
    lines,
    frame(width, height, margin, to_x, to_y, axis_ticks(ax, 8), axis_ticks(ay, 6), ax.title, ay.title),
  );
  for (const [key, data] of Object.entries({
    chart: 'sweep',
    xKind: ax.kind,
    xLow: ax.low,
    xHigh: ax.high,
    yKind: ay.kind,
    yLow: ay.low,
    yHigh: ay.high,
    left: margin.left,
    right: width - margin.right,
    top: margin.top,
    bottom: height - margin.bottom,
  }))
    picture.dataset[key] = data;
  picture.style.maxWidth = `${width * 1.1}px`;
  return walkable(picture, stops);
}

export function sweep_section(sweep) {
  const chosen = sweep.axes.slice(2).map(() => 0),
    holder = el('div', { class: 'sweep' });
  const draw = () => {
    const cells = sweep.cells.filter((cell) => chosen.every((place, i) => cell.at[i + 2] === place));
    const flat = sweep.axes.length < 2 || sweep.axes[0].values.length < 2 || sweep.axes[1].values.length < 2;
    // of a grid of one row or column the line along it
    const along = sweep.axes.findIndex((axis) => axis.values.length > 1);
    const line = along > 0 && along < 2 ? { ...sweep, axes: [sweep.axes[along]] } : sweep;
    holder.replaceChildren(
      ...[
        flat
          ? sweep_line(line, along > 0 && along < 2 ? cells.map((cell) => ({ ...cell, at: [cell.at[along]] })) : cells)
          : sweep_contours(sweep, cells),
      ]
        .flat()
        .filter(Boolean),
    );
  };
  const choices = sweep.axes.slice(2).map((axis, i) =>
    el(
      'label',
      { class: 'choice' },
      axis.part + ' ',
      el(
        'select',
        {
          onchange: (event) => {
            chosen[i] = event.target.selectedIndex;
            draw();
          },
        },
        axis.values.map((value) => el('option', {}, value)),
      ),
    ),
  );
  draw();
  const best = sweep.cells.reduce((a, b) => (b.predicted_s < a.predicted_s ? b : a), sweep.cells[0]);
  return el(
    'section',
    { class: 'program sweep' },
    el('h2', {}, sweep.name),
    card(
      'The predicted time over ' + sweep.axes.map((axis) => axis.part).join(' and '),
      [
        `Recorded: ${seconds(sweep.recorded_s, 4)}. `,
        sweep.replayed_s && `Replayed: ${seconds(sweep.replayed_s, 4)}, which a speed-up divides by the predicted time. `,
        sweep.gain_withheld && el('b', {}, `Speed-ups are withheld: ${sweep.gain_withheld}. `),
        best && `Quickest: ${seconds(best.predicted_s, 4)} at ${best.what_if}. `,
        'Point at a place, or walk with the arrow keys, for its values.',
      ],
      choices.length > 0 && el('p', { class: 'note' }, choices),
      holder,
    ),
  );
}
