// Series of measured points over one quantity: axes, intervals, lines, legend. Most charts are made of it.
import { type Child, type Row, svg, tip } from '../base/dom.ts';
import { count_text, percent, seconds } from '../base/format.ts';
import {
  type At,
  type AxesChart,
  type Axis,
  axes_chart,
  fit_axis,
  legend,
  legend_key,
  type Margin,
  polyline,
  type Scale,
  type Stop,
  vertical,
  walkable,
} from './chart.ts';

export const series_colour = (i: number) => `var(--series-${i % 8})`;
const series_dash = (i: number) => (i < 8 ? null : '6 4');

export function size_label(n: number) {
  if (n < 1024) return String(+n.toFixed(1));
  return n < 1048576 ? `${+(n / 1024).toFixed(1)} Ki` : `${+(n / 1048576).toFixed(1)} Mi`;
}

export interface PlotPoint {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
  title: string;
  rows: Row[];
}
export interface Series {
  name: string;
  kind?: string; // a class for its marks
  colour?: string;
  dash?: string | null;
  hollow?: boolean;
  points?: PlotPoint[];
  joined?: boolean; // a line through the points
  curve?: At[]; // drawn without points
}
export interface Plot extends Omit<AxesChart, 'width' | 'height' | 'margin'> {
  width?: number;
  height?: number;
  margin?: Partial<Margin>;
  x: Axis;
  y: Axis;
  series: Series[];
  under?: (x: Scale, y: Scale) => Child; // the frame
  between?: (x: Scale, y: Scale) => Child; // the frame and the series
  legend?: boolean | 'always'; // true: where there is more than one series
}
const finite = (value: number | null | undefined): value is number => Number.isFinite(value);

// Empty where there is nothing to draw.
export function plot({ width = 560, height = 290, margin, series, under, between, legend: keys = true, ...more }: Plot): Element[] {
  const points = series.flatMap((one) => one.points ?? []),
    curves = series.flatMap((one) => one.curve ?? []);
  const fx = fit_axis(more.x, [...points.map((point) => point.x), ...curves.map(([x]) => x)]);
  const fy = fit_axis(more.y, [...points.flatMap((point) => [point.y, point.low, point.high]), ...curves.map(([, y]) => y)]);
  if (!fx || !fy) return [];
  const shown = (px: number, py: number) =>
    Number.isFinite(px) && Number.isFinite(py) && (fx.kind !== 'log' || px > 0) && (fy.kind !== 'log' || py > 0);
  const looks = series.map((one, i) => ({
    stroke: one.colour ?? series_colour(i),
    'stroke-dasharray': one.dash === undefined ? series_dash(i) : one.dash,
  }));
  const stops: (Stop & { x: number })[] = [];
  const size = { ...more, width, height, margin: { left: 66, right: 18, top: 26, bottom: 46, ...margin } };
  const picture = axes_chart(size, fx, fy, (x, y) => {
    const drawn = series.map((one, i) => {
      const stroke = looks[i]?.stroke;
      const line = (list: At[], kind: string) =>
        list.length > 1 &&
        polyline(
          list.filter(([px, py]) => shown(px, py)),
          x,
          y,
          { class: kind, 'data-series': one.name, ...looks[i], 'stroke-width': 1.6 },
        );
      const seen = (one.points ?? []).filter((point) => shown(point.x, point.y));
      const marks = seen.map((point) => {
        const node = svg('circle', {
          class: one.kind ? `mark ${one.kind}` : 'mark',
          'data-series': one.name,
          cx: x(point.x),
          cy: y(point.y),
          r: 3.4,
          fill: one.hollow ? 'var(--paper)' : stroke,
          stroke: one.hollow && stroke,
        });
        stops.push({ node, title: point.title, rows: point.rows, x: point.x });
        const bounded = finite(point.low) && finite(point.high) && { low: point.low, high: point.high };
        return [
          bounded &&
            vertical(x(point.x), y(fy.kind === 'log' && !(bounded.low > 0) ? fy.low : bounded.low), y(bounded.high), {
              class: 'interval',
              stroke,
              'stroke-width': 1.5,
            }),
          tip(node, point.title, point.rows),
        ];
      });
      return [
        line(one.curve ?? [], 'curve'),
        one.joined &&
          line(
            seen.map((point) => [point.x, point.y]),
            'joined',
          ),
        marks,
      ];
    });
    return { under: under?.(x, y), over: [between?.(x, y), drawn] };
  });
  stops.sort((a, b) => a.x - b.x);
  const sign = (i: number) =>
    svg(
      'svg',
      { width: 20, height: 10, 'aria-hidden': 'true' },
      svg('line', { x1: 0, x2: 20, y1: 5, y2: 5, ...looks[i], 'stroke-width': 2.5 }),
    );
  return [
    ...(keys && (series.length > 1 || keys === 'always') ? [legend(series.map((one, i) => legend_key(sign(i), one.name)))] : []),
    walkable(picture, stops),
  ];
}

// Axes that many charts share.
export const bytes_axis: Axis = { kind: 'log', base: 4, label: size_label, title: 'bytes in the message' };
export const time_axis = (title: string): Axis => ({ kind: 'log', label: (s) => seconds(s, 2), title });
export const linear_time_axis = (title: string, digits = 2): Axis => ({
  kind: 'linear',
  label: (s) => seconds(s, digits),
  title,
  include: [0],
});
export const share_axis = (title: string, include = [0]): Axis => ({
  kind: 'linear',
  label: (v) => percent(v, 0).replace('-', '\u2212'),
  title,
  include,
});
// An empty message stands at 1 byte on a logarithmic axis.
export const on_log = (bytes: number | null | undefined) => (typeof bytes === 'number' ? Math.max(bytes, 1) : NaN);
export const bytes_title = (bytes: number | null | undefined) =>
  typeof bytes === 'number' ? `${count_text(bytes)} byte${bytes === 1 ? '' : 's'}` : 'a size not given';
// Rows as points over the size of messages, from small to large. about: what a tooltip says below its title, the name and the size.
// place: where a size stands.
export function size_points<R extends { bytes?: number | null; low_s?: number | null; high_s?: number | null }>(
  rows: R[],
  name: string,
  value: (row: R) => number,
  about: (row: R) => Row[],
  place: (bytes: number | null | undefined) => number = on_log,
): PlotPoint[] {
  const title = (row: R) => (name ? `${name}, ${bytes_title(row.bytes)}` : bytes_title(row.bytes));
  const point = (row: R) => ({ x: place(row.bytes), y: value(row), low: row.low_s, high: row.high_s, title: title(row), rows: about(row) });
  return [...rows].sort((a, b) => (a.bytes ?? 0) - (b.bytes ?? 0)).map(point);
}
export const interval_text = (low: number | null | undefined, high: number | null | undefined, text: (value: number) => string): Row[] =>
  finite(low) && finite(high) ? [['95%', `${text(low)} \u2013 ${text(high)}`]] : [];
