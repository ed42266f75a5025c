// Bars side by side of parts laid end to end, from zero; with the least and the most of a group where a bar stands for several.
import { max, ticks } from 'd3-array';
import { type Row, svg, tip } from '../../base/dom.ts';
import { frame, linear, type Stop, type Tick, walkable } from '../../charts/chart.ts';
import type { Ticks } from './axis.ts';

export interface Segment {
  name: string;
  colour: string;
  value: number; // not below zero
}
export interface Bar {
  label: string;
  title: string; // of the tooltip
  segments: Segment[];
  range?: readonly [least: number, most: number]; // of the whole bar, within its group
  range_name?: string; // else 'least \u2013 most'
  heading?: string; // a line of its own above it, which begins a group of bars
  rows?: Row[]; // more lines of the tooltip
  data?: Record<string, string | number>; // for who reads the picture back
  chosen?: boolean;
  choose?: () => void;
}
export interface BarChart {
  label: string;
  width: number;
  bars: Bar[];
  text(value: number): string;
  longest?: number; // of the axis
  ticks?: Ticks;
  label_width?: number;
  pitch?: number; // pixels from bar to bar; else by their number
}

const MOST_LABEL = 34,
  HEADING = 26;
// Of each bar its upper edge.
function places_of(bars: readonly Bar[], top: number, pitch: number) {
  let y = top - pitch;
  return bars.map(({ heading }) => {
    y += pitch + (heading ? HEADING : 0);
    return y;
  });
}
const shortened = (text: string) => (text.length > MOST_LABEL ? `${text.slice(0, MOST_LABEL - 1)}\u2026` : text);

export function bar_chart(chart: BarChart): SVGSVGElement {
  const { bars, width } = chart,
    letters = max(bars, ({ label }) => Math.min(MOST_LABEL, label.length)) ?? 0,
    left = chart.label_width ?? Math.min(width * 0.4, 18 + letters * 7.4),
    right = width - 14,
    top = 6,
    pitch = chart.pitch ?? (bars.length <= 24 ? 22 : bars.length <= 64 ? 15 : 9),
    thick = pitch - (pitch > 12 ? 6 : 2),
    ys = places_of(bars, top, pitch),
    bottom = (ys.at(-1) ?? top) + pitch;
  const total = (bar: Bar) => bar.segments.reduce((sum, { value }) => sum + Math.max(0, value), 0),
    longest = Math.max(chart.longest ?? max(bars, (bar) => Math.max(total(bar), bar.range?.[1] ?? 0)) ?? 0, Number.MIN_VALUE),
    x = linear(0, longest, left, right),
    marks =
      chart.ticks?.(0, longest, Math.max(2, (right - left) / 90)) ??
      ticks(0, longest, Math.max(2, (right - left) / 90)).map((value): Tick => [value, chart.text(value)]);
  const stops: Stop[] = [];
  const drawn = bars.map((bar, i) => {
    const y = ys[i] ?? top,
      rows: Row[] = [
        ...[...bar.segments]
          .filter(({ value }) => value > 0 || bar.segments.length === 1)
          .map(({ name, value }): Row => [name, chart.text(value)]),
        ...(bar.range
          ? [[bar.range_name ?? 'least \u2013 most', `${chart.text(bar.range[0])} \u2013 ${chart.text(bar.range[1])}`] satisfies Row]
          : []),
        ...(bar.rows ?? []),
      ];
    let at = 0;
    const parts = bar.segments.map(({ name, colour, value }) => {
      const from = at;
      at += Math.max(0, value);
      return (
        value > 0 && svg('rect', { class: 'part', 'data-part': name, x: x(from), y, width: x(at) - x(from), height: thick, fill: colour })
      );
    });
    const node = svg(
      'g',
      {
        class: bar.choose ? 'bar choosable' : 'bar',
        onclick: bar.choose,
        ...Object.fromEntries(Object.entries(bar.data ?? {}).map(([name, value]) => [`data-${name}`, value])),
      },
      svg('rect', { x: 0, y: y - (pitch - thick) / 2, width, height: pitch, fill: 'var(--accent)', 'fill-opacity': bar.chosen ? 0.14 : 0 }),
      bar.heading && svg('text', { class: 'strong heading', x: 2, y: y - HEADING / 2 + 8, 'font-weight': 620 }, bar.heading),
      i % Math.ceil(13 / pitch) === 0 && svg('text', { x: left - 8, y: y + thick / 2 + 4, 'text-anchor': 'end' }, shortened(bar.label)),
      parts,
      bar.range && whisker(x(bar.range[0]), x(bar.range[1]), y + thick / 2, Math.min(thick, 8)),
    );
    stops.push({ node, title: bar.title, rows });
    return tip(node, bar.title, rows);
  });
  const picture = svg(
    'svg',
    { class: 'bars', viewBox: `0 0 ${width} ${bottom + 26}`, width, height: bottom + 26, role: 'img', 'aria-label': chart.label },
    frame(x, linear(0, 1, bottom, top), marks, []),
    drawn,
  );
  return walkable(picture, stops);
}
const whisker = (from: number, to: number, y: number, height: number) =>
  svg('path', {
    d: `M${from},${y - height / 2}v${height}M${from},${y}H${to}M${to},${y - height / 2}v${height}`,
    fill: 'none',
    stroke: 'var(--ink)',
    'stroke-width': 1.2,
  });
