// What the charts share: the four parts of a rank's time, legends, scales, axes, grids of cells, and a walk over the marks
// with the arrow keys. Scales and ticks are d3's.
import { max, min, ticks } from 'd3-array';
import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3-scale';
import { type Attributes, type Child, el, type Row, svg, tooltip } from '../base/dom.ts';

export const parts = [
  { key: 'compute', name: 'compute', about: "the program's own work" },
  { key: 'library', name: 'library', about: 'inside MPI, not waiting' },
  { key: 'algorithmic', name: 'blocked, algorithmic', about: 'waiting before the partner had begun to send: no wire shortens it' },
  { key: 'service', name: 'blocked, service', about: 'waiting while the message was on its way: a faster wire shortens it' },
] as const;

export const legend = (...keys: Child[]) => el('div', { class: 'legend' }, keys);
export const legend_key = (sign: Child, name: string, about?: string) => el('span', { class: 'key', title: about }, sign, name);
export const parts_legend = (...more: Child[]) =>
  legend(
    parts.map(({ key, name, about }) => legend_key(el('span', { class: 'swatch', style: `background: var(--${key})` }), name, about)),
    more,
  );

export const card = (title: string, note: Child, ...children: Child[]) =>
  el('div', { class: 'card' }, el('h3', {}, title), note && el('p', { class: 'note' }, note), children);
export const pair = (...cards: Child[]) => el('div', { class: 'pair' }, cards);

export type At = [x: number, y: number];
export type Scale = ScaleContinuousNumeric<number, number>;
export const linear = (low: number, high: number, from: number, to: number): Scale => scaleLinear([low, high], [from, to]);
export interface Margin {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
export type Tick = [value: number, label: string];
export interface Axis {
  kind: 'linear' | 'log';
  label: (value: number) => string;
  title?: string;
  base?: number; // of a logarithmic axis, whose labels stand at powers of it
  include?: number[]; // values that must be on it
  room?: number; // a logarithmic axis goes on by this factor at both ends
  low?: number; // where they are given, nothing is fitted
  high?: number;
  ticks?: Tick[];
}
export interface FittedAxis extends Axis {
  low: number;
  high: number;
}

// Powers of the base between low and high, so many that at most nine labels stand on an axis.
function power_ticks({ low, high, base = 10 }: FittedAxis) {
  const first = Math.floor(Math.log(low) / Math.log(base) + 1e-9),
    last = Math.ceil(Math.log(high) / Math.log(base) - 1e-9),
    step = Math.max(1, Math.ceil((last - first) / 8)),
    list = [];
  for (let power = first; power <= last; power += step) list.push(base ** power);
  return list.filter((value) => value >= low * 0.999 && value <= high * 1.001);
}
// Tick labels of an axis: powers where it is logarithmic and wide enough for two of them.
export function axis_ticks(axis: FittedAxis, about: number): Tick[] {
  if (axis.ticks) return axis.ticks.filter(([value]) => value >= axis.low && value <= axis.high);
  const powers = axis.kind === 'log' ? power_ticks(axis) : [];
  const list = powers.length > 1 ? powers : ticks(axis.low, axis.high, about).filter((value) => axis.kind !== 'log' || value > 0);
  return list.map((value) => [value, axis.label(value)]);
}

// The range that holds all values, with some room; a logarithmic axis keeps only what is above zero. null: no values.
export function fit_axis(axis: Axis, values: Iterable<number | null | undefined>): FittedAxis | null {
  if (axis.low !== undefined && axis.high !== undefined) return { ...axis, low: axis.low, high: axis.high };
  const include = axis.include ?? [],
    seen = [...values, ...include].filter((value) => Number.isFinite(value) && (axis.kind !== 'log' || Number(value) > 0));
  let low = min(seen, Number),
    high = max(seen, Number);
  if (low === undefined || high === undefined) return null;
  if (axis.kind === 'log') return { ...axis, low: low / (axis.room ?? 1.25), high: high * (axis.room ?? 1.25) };
  if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const room = (high - low) * 0.06,
    at_zero = include.includes(0);
  return { ...axis, low: at_zero && low === 0 ? 0 : low - room, high: at_zero && high === 0 ? 0 : high + room };
}
const scale_of = (axis: FittedAxis, from: number, to: number): Scale =>
  (axis.kind === 'log' ? scaleLog : scaleLinear)([axis.low, axis.high], [from, to]);

// Grid, ticks and axis titles around the ranges of the scales.
export function frame(x: Scale, y: Scale, x_ticks: Tick[], y_ticks: Tick[], x_title = '', y_title = ''): Child[] {
  const [left = 0, right = 0] = x.range(),
    [bottom = 0, top = 0] = y.range();
  return [
    y_ticks.map(([value, label]) => [
      svg('line', { class: 'grid', x1: left, x2: right, y1: y(value), y2: y(value) }),
      svg('text', { class: 'tick', x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, label),
    ]),
    x_ticks.map(([value, label]) => [
      svg('line', { class: 'grid', x1: x(value), x2: x(value), y1: top, y2: bottom }),
      svg('text', { class: 'tick', x: x(value), y: bottom + 17, 'text-anchor': 'middle' }, label),
    ]),
    svg('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
    x_title && svg('text', { x: (left + right) / 2, y: bottom + 36, 'text-anchor': 'middle' }, x_title),
    y_title && svg('text', { x: left - 8, y: top - 10, 'text-anchor': 'start', dx: 10 - left }, y_title),
  ];
}
export const chart = (width: number, height: number, label: string, attributes: Attributes, ...children: Child[]) =>
  svg(
    'svg',
    { class: 'chart', viewBox: `0 0 ${width} ${height}`, width: '100%', role: 'img', 'aria-label': label, ...attributes },
    children,
  );

// A chart over two axes; draw(x, y) gives what lies under and over the frame. The limits stand in the picture's data, so that what
// is drawn can be read back from it.
export interface AxesChart {
  name: string;
  label: string;
  width: number;
  height: number;
  margin: Margin;
}
export function axes_chart(
  { name, label, width, height, margin }: AxesChart,
  x: FittedAxis,
  y: FittedAxis,
  draw: (to_x: Scale, to_y: Scale) => { under?: Child; over?: Child },
) {
  const right = width - margin.right,
    bottom = height - margin.bottom,
    to_x = scale_of(x, margin.left, right),
    to_y = scale_of(y, bottom, margin.top),
    { under, over } = draw(to_x, to_y);
  return chart(
    width,
    height,
    label,
    {
      'data-chart': name,
      'data-x-kind': x.kind,
      'data-x-low': x.low,
      'data-x-high': x.high,
      'data-y-kind': y.kind,
      'data-y-low': y.low,
      'data-y-high': y.high,
      'data-left': margin.left,
      'data-right': right,
      'data-top': margin.top,
      'data-bottom': bottom,
      style: `max-width: ${width * 1.1}px`, // letters of a chart in a wide card stay as small as elsewhere
    },
    under,
    frame(to_x, to_y, axis_ticks(x, 8), axis_ticks(y, 5), x.title, y.title),
    over,
  );
}
// A line through places of the picture.
export const polyline = (list: At[], x: Scale, y: Scale, attributes: Attributes) =>
  svg('polyline', {
    points: list.map(([px, py]) => `${x(px).toFixed(2)},${y(py).toFixed(2)}`).join(' '),
    fill: 'none',
    'stroke-width': 1.5,
    ...attributes,
  });
export const vertical = (x: number, y1: number, y2: number, attributes: Attributes) => svg('line', { x1: x, x2: x, y1, y2, ...attributes });

// The pointer's tooltips for who has no pointer: the chart takes the focus, arrow keys go from stop to stop, from left to right.
export interface Stop {
  node: SVGElement;
  title: string;
  rows: Row[];
}
const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
export function walkable<E extends SVGElement>(picture: E, stops: Stop[]): E {
  if (stops.length === 0) return picture;
  let at = -1;
  picture.setAttribute('tabindex', '0');
  picture.setAttribute('data-stops', String(stops.length));
  const leave = () => {
    stops[at]?.node.classList.remove('current');
    tooltip.hide();
  };
  picture.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (event.key === 'Escape') leave();
    if (!step) return;
    event.preventDefault();
    leave();
    at = at < 0 ? (step > 0 ? 0 : stops.length - 1) : (at + step + stops.length) % stops.length;
    const stop = stops[at];
    if (!stop) return;
    const box = stop.node.getBoundingClientRect();
    stop.node.classList.add('current');
    tooltip.show(box.left + box.width / 2, box.top + box.height / 2, stop.title, stop.rows);
  });
  picture.addEventListener('blur', leave);
  return picture;
}

// A cell's colour by its share of the strongest.
export const heat_style = (share: number) => `fill: color-mix(in oklab, var(--heat-high) ${(share * 100).toFixed(1)}%, var(--heat-low))`;

// Pairs of ranks as a square of cells whose colour is their share of the strongest: the labels of `count`
// rows and columns, as many as there is room for, a cell, and its number where there is room.
export function heat_grid(left: number, top: number, size: number) {
  const across = (column: number) => left + (column + 0.5) * size,
    down = (row: number) => top + (row + 0.5) * size;
  const gap = size > 12 ? 1 : 0;
  return {
    labels(count: number, label: (index: number) => string) {
      const list = [];
      for (let i = 0; i < count; i += Math.ceil(16 / size))
        list.push(
          svg('text', { x: across(i), y: top - 7, 'text-anchor': 'middle' }, label(i)),
          svg('text', { x: left - 8, y: down(i) + 4, 'text-anchor': 'end' }, label(i)),
        );
      return list;
    },
    cell: (row: number, column: number, share: number, more: Attributes) =>
      svg('rect', {
        x: left + column * size + gap,
        y: top + row * size + gap,
        width: size - 2 * gap,
        height: size - 2 * gap,
        style: heat_style(share),
        ...more,
      }),
    number: (row: number, column: number, share: number, text: string) =>
      size >= 46 &&
      svg(
        'text',
        {
          x: across(column),
          y: down(row) + 4,
          'text-anchor': 'middle',
          style: `pointer-events: none; font-size: ${size < 50 ? 10.5 : 11.5}px; fill: var(--${share > 0.5 ? 'paper' : 'ink'})`,
        },
        text,
      ),
  };
}
