// Quantities over time in bins: stacked areas or lines. A click sets the instant, a drag the span that is selected, arrow keys go from
// bin to bin; the tooltip has the numbers.
import { max, tickStep, ticks } from 'd3-array';
import { type Child, type Row, svg, tooltip } from '../../base/dom.ts';
import { axis_time, nanoseconds } from '../../base/format.ts';
import { frame, legend, legend_key, linear, type Tick } from '../../charts/chart.ts';
import type { View } from '../display.ts';
import type { Ticks } from './axis.ts';
import { swatch } from './swatch.ts';

export interface Layer {
  name: string;
  about?: string;
  colour: string;
  values: ArrayLike<number>; // one a bin; NaN: none
  low?: ArrayLike<number>; // a band behind a line
  high?: ArrayLike<number>;
  steps?: boolean; // of a value that holds until the next
}
export interface TimeChart {
  label: string;
  width: number;
  height: number;
  from_ns: number;
  bin_ns: number;
  bins: number;
  layers: Layer[];
  stacked?: boolean;
  title: string; // of the upright axis, with its unit
  text(value: number): string;
  ticks?: Ticks; // of the upright axis
  top?: number; // of it; else the largest
  notes?: (bin: number) => Row[];
}
const MARGIN = { left: 66, right: 10, top: 22, bottom: 24 };

// Ticks of a span of time, in ns, all in one unit.
export function time_ticks(from_ns: number, to_ns: number, about: number): Tick[] {
  const span = [from_ns * 1e-9, to_ns * 1e-9, Math.max(2, about)] as const,
    step_s = tickStep(...span);
  return ticks(...span).map((s) => [s * 1e9, axis_time(s, step_s)]);
}
// Values laid one above the other: for each layer where it begins and ends in each bin.
export function stack(layers: readonly Pick<Layer, 'values'>[], bins: number) {
  const at = new Float64Array(bins);
  return layers.map(({ values }) => {
    const low = at.slice();
    for (let bin = 0; bin < bins; ++bin) {
      const value = values[bin] ?? 0;
      if (value > 0) at[bin] = (at[bin] ?? 0) + value;
    }
    return { low, high: at.slice() };
  });
}
const point = (x: number, y: number) => `${x.toFixed(1)},${y.toFixed(1)}`;
// A bin is as wide as its span: the area has steps.
function area_path(
  low: ArrayLike<number>,
  high: ArrayLike<number>,
  bins: number,
  x: (bin: number) => number,
  y: (value: number) => number,
) {
  const up: string[] = [],
    down: string[] = [];
  for (let bin = 0; bin < bins; ++bin) {
    const [a, b] = [low[bin] ?? Number.NaN, high[bin] ?? Number.NaN];
    if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
    up.push(point(x(bin), y(b)), point(x(bin + 1), y(b)));
    down.push(point(x(bin), y(a)), point(x(bin + 1), y(a)));
  }
  return up.length > 0 ? `M${[...up, ...down.reverse()].join('L')}Z` : '';
}
function line_path({ values, steps }: Layer, bins: number, x: (bin: number) => number, y: (value: number) => number) {
  let path = '',
    held = Number.NaN;
  for (let bin = 0; bin < bins; ++bin) {
    let value = values[bin] ?? Number.NaN;
    if (steps && !Number.isFinite(value)) value = held;
    if (!Number.isFinite(value)) continue;
    if (steps) path += `${path ? 'L' : 'M'}${point(x(bin), y(value))}L${point(x(bin + 1), y(value))}`;
    else path += `${path ? 'L' : 'M'}${point(x(bin + 0.5), y(value))}`;
    held = value;
  }
  return path;
}

export const time_legend = (layers: readonly Layer[], more: Child = null) =>
  legend(
    layers.map(({ name, about, colour }) => legend_key(swatch(colour), name, about)),
    more,
  );

export function time_chart(view: View, chart: TimeChart): SVGSVGElement {
  const { width, height, bins, from_ns, bin_ns, layers } = chart,
    to_ns = from_ns + bins * bin_ns,
    left = MARGIN.left,
    right = width - MARGIN.right,
    bottom = height - MARGIN.bottom;
  const bands = chart.stacked ? stack(layers, bins) : [];
  const largest = chart.stacked
    ? (max(bands.at(-1)?.high ?? []) ?? 0)
    : (max(layers, (layer) => max([...Array.from(layer.values), ...Array.from(layer.high ?? [])])) ?? 0);
  const smallest = chart.stacked
    ? 0
    : Math.min(0, ...layers.flatMap((layer) => Array.from(layer.low ?? layer.values).filter(Number.isFinite)));
  const top = chart.top ?? (largest > smallest ? largest * 1.05 : smallest + 1);
  const x = linear(from_ns, to_ns, left, right),
    y = linear(smallest, top, bottom, MARGIN.top),
    x_bin = (bin: number) => x(from_ns + bin * bin_ns);
  const shapes = layers.map((layer, i) => {
    const band = bands[i];
    if (band)
      return svg('path', {
        class: 'layer',
        'data-layer': layer.name,
        d: area_path(band.low, band.high, bins, x_bin, y),
        fill: layer.colour,
      });
    return [
      layer.low &&
        layer.high &&
        svg('path', { class: 'band', d: area_path(layer.low, layer.high, bins, x_bin, y), fill: layer.colour, 'fill-opacity': 0.2 }),
      svg('path', {
        class: 'layer',
        'data-layer': layer.name,
        d: line_path(layer, bins, x_bin, y),
        fill: 'none',
        stroke: layer.colour,
        'stroke-width': 1.6,
      }),
    ];
  });
  const brush = svg('rect', {
    class: 'brush',
    y: MARGIN.top,
    height: bottom - MARGIN.top,
    x: left,
    width: 0,
    fill: 'var(--accent)',
    'fill-opacity': 0.2,
  });
  const picture = svg(
    'svg',
    { class: 'over-time', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', tabindex: 0, 'aria-label': chart.label },
    frame(
      x,
      y,
      time_ticks(from_ns, to_ns, (right - left) / 110),
      chart.ticks?.(smallest, top, 4) ?? ticks(smallest, top, 4).map((value): Tick => [value, chart.text(value)]),
      '',
      chart.title,
    ),
    shapes,
    instant_line(view, x, MARGIN.top, bottom),
    brush,
  );
  act_on_time(
    view,
    picture,
    brush,
    x,
    [left, right],
    (event, ns) => {
      const bin = Math.min(bins - 1, Math.max(0, Math.floor((ns - from_ns) / bin_ns)));
      tooltip.show(
        event.x,
        event.y,
        `${nanoseconds(from_ns + bin * bin_ns)} \u2013 ${nanoseconds(from_ns + (bin + 1) * bin_ns)}`,
        bin_rows(chart, bin),
      );
      return from_ns + (bin + 0.5) * bin_ns;
    },
    bin_ns,
  );
  return picture;
}
function bin_rows(chart: TimeChart, bin: number): Row[] {
  const rows = [...chart.layers].reverse().map(({ name, values, low, high }): Row => {
    const value = values[bin] ?? Number.NaN,
      range =
        low && high && Number.isFinite(low[bin] ?? Number.NaN)
          ? ` (${chart.text(low[bin] ?? 0)} \u2013 ${chart.text(high[bin] ?? 0)})`
          : '';
    return [name, (Number.isFinite(value) ? chart.text(value) : 'none') + range];
  });
  return [...rows.slice(0, 16), ...(chart.notes?.(bin) ?? [])];
}

// Where the instant is, in a picture over time.
export function instant_line(view: View, x: { (ns: number): number; domain(): number[] }, top: number, bottom: number): Child {
  const at = view.look.at_ns,
    [from = 0, to = 0] = x.domain();
  return (
    at !== null &&
    at >= from &&
    at <= to &&
    svg('line', { class: 'instant', x1: x(at), x2: x(at), y1: top, y2: bottom, stroke: 'var(--ink)', 'stroke-width': 1.5 })
  );
}

// The pointer and the keyboard over a picture whose x is time. `point_at` shows what is at a time and gives the instant that it stands for.
export function act_on_time(
  view: View,
  picture: SVGSVGElement,
  brush: SVGRectElement,
  x: { invert(pixel: number): number },
  [left, right]: readonly [number, number],
  point_at: (place: { x: number; y: number }, ns: number) => number,
  step_ns: number,
) {
  const inside = (event: PointerEvent) => {
    const box = picture.getBoundingClientRect(),
      scale = box.width > 0 ? picture.viewBox.baseVal.width / box.width : 1;
    return Math.min(right, Math.max(left, (event.clientX - box.left) * scale));
  };
  let from: number | null = null;
  picture.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    from = inside(event);
    picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener('pointermove', (event) => {
    const at = inside(event);
    if (from !== null) {
      brush.setAttribute('x', String(Math.min(from, at)));
      brush.setAttribute('width', String(Math.abs(at - from)));
    }
    point_at({ x: event.clientX, y: event.clientY }, x.invert(at));
  });
  picture.addEventListener('pointerleave', () => tooltip.hide());
  picture.addEventListener('pointerup', (event) => {
    if (from === null) return;
    const [a, b] = [from, inside(event)].sort((p, q) => p - q) as [number, number];
    from = null;
    brush.setAttribute('width', '0');
    if (b - a < DRAG_PIXELS) view.change({ at_ns: x.invert(b) });
    else view.change({ selection: { ...view.look.selection, from_ns: Math.floor(x.invert(a)), to_ns: Math.ceil(x.invert(b)) } });
  });
  picture.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const [first, last] = [x.invert(left), x.invert(right)],
      at = Math.min(last, Math.max(first, (view.look.at_ns ?? (first + last) / 2) + step * step_ns));
    view.change({ at_ns: at }, 'instant');
  });
}
const DRAG_PIXELS = 4;
