// Series of measured points over one quantity: axes, intervals, lines, legend, and a walk over the points
// with the arrow keys. All charts of the machine are made of it.
import { el, svg, tip, tooltip } from '../base/dom.ts';
import { count_text, percent, seconds, ticks } from '../base/format.ts';
import { chart, frame, linear, logarithmic } from './chart.ts';

export const series_colour = (i) => `var(--series-${i % 8})`;
export const series_dash = (i) => (i < 8 ? null : '6 4');

// Powers of the base between low and high, so many that at most nine labels stand on an axis.
export function power_ticks(low, high, base, label) {
  const list = [],
    first = Math.floor(Math.log(low) / Math.log(base) + 1e-9),
    last = Math.ceil(Math.log(high) / Math.log(base) - 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 8));
  for (let power = first; power <= last; power += step)
    if (base ** power >= low * 0.999 && base ** power <= high * 1.001) list.push([base ** power, label(base ** power)]);
  return list;
}
export function size_label(n) {
  if (n < 1024) return String(+n.toFixed(1));
  return n < 1048576 ? `${+(n / 1024).toFixed(1)} Ki` : `${+(n / 1048576).toFixed(1)} Mi`;
}

// Tick labels of an axis: powers where it is logarithmic and wide enough for two of them.
export function axis_ticks(axis, most) {
  if (axis.ticks) return axis.ticks;
  if (axis.kind === 'log') {
    const list = power_ticks(axis.low, axis.high, axis.base ?? 10, axis.label);
    if (list.length > 1) return list;
  }
  return ticks(axis.low, axis.high, most)
    .filter((value) => axis.kind !== 'log' || value > 0)
    .map((value) => [value, axis.label(value)]);
}

// The range that holds all values, with some room; a logarithmic axis keeps only what is above zero.
export function fit_axis(axis, values) {
  const seen = values.filter((value) => Number.isFinite(value) && (axis.kind !== 'log' || value > 0));
  let low = Math.min(...seen, ...(axis.include ?? [])),
    high = Math.max(...seen, ...(axis.include ?? []));
  if (!(low <= high)) return null;
  if (axis.kind === 'log') return { ...axis, low: low / (axis.room ?? 1.25), high: high * (axis.room ?? 1.25) };
  if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const room = (high - low) * 0.06;
  const at_zero = (axis.include ?? []).includes(0);
  return { ...axis, low: at_zero && low === 0 ? 0 : low - room, high: at_zero && high === 0 ? 0 : high + room };
}
export const scale_of = (axis, from, to) => (axis.kind === 'log' ? logarithmic : linear)(axis.low, axis.high, from, to);

// The pointer's tooltips for who has no pointer: the chart takes the focus, arrow keys go from point to
// point. stops: [{node, title, rows}] from left to right.
export function walkable(picture, stops) {
  if (stops.length === 0) return picture;
  let at = -1;
  picture.setAttribute('tabindex', '0');
  picture.setAttribute('data-stops', String(stops.length));
  const leave = () => {
    stops[at]?.node.classList.remove('current');
    tooltip.hide();
  };
  picture.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') return leave();
    if (!step) return;
    event.preventDefault();
    leave();
    at = at < 0 ? (step > 0 ? 0 : stops.length - 1) : (at + step + stops.length) % stops.length;
    const { node, title, rows } = stops[at],
      box = node.getBoundingClientRect();
    node.classList.add('current');
    tooltip.show(box.left + box.width / 2, box.top + box.height / 2, title, rows);
  });
  picture.addEventListener('blur', leave);
  return picture;
}

// series: [{name, colour, dash, points: [{x, y, low, high, title, rows}], joined: a line through the points,
// curve: [[x, y], ...] drawn without points}]; axes: {kind: 'linear' | 'log', label, title, base, include}.
// legend: false, 'always', or (true) where there is more than one series. null where there is nothing to
// draw. The limits stand in the picture's data, so that what is drawn can be read back from it.
export function plot({ name, label, width = 560, height = 290, x, y, series, under, over, legend = true }) {
  const points = series.flatMap((one) => one.points ?? []),
    curves = series.flatMap((one) => one.curve ?? []);
  const fx = fit_axis(x, [...points.map((point) => point.x), ...curves.map((at) => at[0])]);
  const fy = fit_axis(y, [...points.flatMap((point) => [point.y, point.low, point.high]), ...curves.map((at) => at[1])]);
  if (!fx || !fy) return null;
  const margin = { left: 66, right: 18, top: 26, bottom: 46 };
  const to_x = scale_of(fx, margin.left, width - margin.right),
    to_y = scale_of(fy, height - margin.bottom, margin.top);
  const shown = (px, py) => Number.isFinite(px) && Number.isFinite(py) && (fx.kind !== 'log' || px > 0) && (fy.kind !== 'log' || py > 0);
  const path = (list) =>
    list
      .filter(([px, py]) => shown(px, py))
      .map(([px, py]) => `${to_x(px).toFixed(2)},${to_y(py).toFixed(2)}`)
      .join(' ');
  const stops = [];
  const drawn = series.map((one, i) => {
    const colour = one.colour ?? series_colour(i),
      dash = one.dash ?? series_dash(i);
    const line = (list, kind) =>
      list.length > 1 &&
      svg('polyline', {
        class: kind,
        'data-series': one.name,
        points: path(list),
        fill: 'none',
        stroke: colour,
        'stroke-width': 1.6,
        'stroke-dasharray': dash,
      });
    const seen = (one.points ?? []).filter((point) => shown(point.x, point.y));
    return [
      one.curve && line(one.curve, 'curve'),
      one.joined &&
        line(
          seen.map((point) => [point.x, point.y]),
          'joined',
        ),
      seen.map((point) => {
        const low = fy.kind === 'log' && !(point.low > 0) ? fy.low : point.low;
        const node = svg('circle', {
          class: 'mark',
          'data-series': one.name,
          cx: to_x(point.x),
          cy: to_y(point.y),
          r: 3.4,
          fill: one.hollow ? 'var(--paper)' : colour,
          stroke: one.hollow ? colour : null,
        });
        stops.push({ node, title: point.title, rows: point.rows, x: point.x });
        return [
          Number.isFinite(point.low) &&
            Number.isFinite(point.high) &&
            svg('line', {
              class: 'interval',
              x1: to_x(point.x),
              x2: to_x(point.x),
              y1: to_y(low),
              y2: to_y(point.high),
              stroke: colour,
              'stroke-width': 1.5,
            }),
          tip(node, point.title, point.rows),
        ];
      }),
    ];
  });
  const picture = chart(
    width,
    height,
    label,
    frame(width, height, margin, to_x, to_y, axis_ticks(fx, 8), axis_ticks(fy, 5), fx.title, fy.title),
    under?.(to_x, to_y, fx, fy, margin),
    drawn,
    over?.(to_x, to_y, fx, fy, margin),
  );
  for (const [key, value] of Object.entries({
    chart: name,
    xKind: fx.kind,
    xLow: fx.low,
    xHigh: fx.high,
    yKind: fy.kind,
    yLow: fy.low,
    yHigh: fy.high,
    left: margin.left,
    right: width - margin.right,
    top: margin.top,
    bottom: height - margin.bottom,
  }))
    picture.dataset[key] = value;
  picture.style.maxWidth = `${width * 1.1}px`; // letters of a chart in a wide card stay as small as elsewhere
  stops.sort((a, b) => a.x - b.x);
  const keys =
    legend &&
    (series.length > 1 || legend === 'always') &&
    el(
      'div',
      { class: 'legend' },
      series.map((one, i) =>
        el(
          'span',
          { class: 'key' },
          svg(
            'svg',
            { width: 20, height: 10, 'aria-hidden': 'true' },
            svg('line', {
              x1: 0,
              x2: 20,
              y1: 5,
              y2: 5,
              stroke: one.colour ?? series_colour(i),
              'stroke-width': 2.5,
              'stroke-dasharray': one.dash ?? series_dash(i),
            }),
          ),
          one.name,
        ),
      ),
    );
  return [keys, walkable(picture, stops)];
}

// Axes that many charts share.
export const bytes_axis = { kind: 'log', base: 4, label: size_label, title: 'bytes in the message' };
export const time_axis = (title) => ({ kind: 'log', label: (s) => seconds(s, 2), title });
export const share_axis = (title, include = [0]) => ({ kind: 'linear', label: (v) => percent(v, 0), title, include });
// An empty message stands at 1 byte on a logarithmic axis.
export const on_log = (bytes) => (typeof bytes === 'number' ? Math.max(bytes, 1) : NaN);
export const bytes_title = (bytes) =>
  typeof bytes === 'number' ? `${count_text(bytes)} byte${bytes === 1 ? '' : 's'}` : 'a size not given';
export const interval_text = (low, high, text) =>
  Number.isFinite(low) && Number.isFinite(high) ? [['95%', `${text(low)} \u2013 ${text(high)}`]] : [];
// Rows of a table as one series for each value of `key`, in the order in which they come.
export function by_key(rows, key) {
  const groups = new Map();
  for (const row of rows) {
    const name = key(row);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(row);
  }
  return [...groups];
}
