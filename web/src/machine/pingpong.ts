// The ping-pong of a link: what was measured, the segments fitted to it, the sizes at which it jumps, and
// what is left over.
import { type Child, el, svg } from '../base/dom.ts';
import { byte_rate_text, count_text, percent, seconds, signed_percent, with_prefix } from '../base/format.ts';
import { type At, type Axis, axes_chart, polyline, type Scale, vertical } from '../charts/chart.ts';
import { bytes_axis, bytes_title, interval_text, on_log, plot, size_label, size_points } from '../charts/plot.ts';
import type { Interval, Link, Segment, Switch } from '../data/types.ts';
import { facts } from '../program/tables.ts';

const link_names: Record<string, string> = { inter: 'between hosts', intra: 'within a host' };
export const link_name = (between: string) => link_names[between] ?? between;
// How far the fit may be off: the bound that the measurement is held to (docs of `measure`).
const fit_bound = 0.03;

const segment_s = (segment: Segment, bytes: number) => segment.base_s + segment.seconds_per_byte * bytes;
// NaN without a segment.
export function fitted_s(segments: Segment[], bytes: number) {
  const segment = segments.find((part) => bytes <= (part.to_bytes ?? Infinity)) ?? segments.at(-1);
  return segment ? segment_s(segment, bytes) : NaN;
}

// Each segment as its own line: between two of them the time jumps.
export function segment_lines(segments: Segment[], low: number, high: number) {
  return segments.map((segment, i) => {
    const from = Math.max(i === 0 ? low : on_log(segment.from_bytes), low),
      to = Math.min(i + 1 === segments.length ? high : (segment.to_bytes ?? high), high),
      list: At[] = [];
    for (let step = 0; step <= 60 && to > from; ++step) {
      const bytes = from * (to / from) ** (step / 60),
        s = segment_s(segment, bytes);
      if (s > 0) list.push([bytes, s]);
    }
    return { segment, list };
  });
}

const inside = (bytes: number | null | undefined, scale: Scale): bytes is number => {
  const [low = 0, high = 0] = scale.domain();
  return typeof bytes === 'number' && bytes > low && bytes < high;
};
const bottom_and_top = (y: Scale) => y.range() as At;
// A vertical line at `bytes`, if the chart shows it.
const size_mark = (kind: 'eager' | 'switch', bytes: number | null | undefined, x: Scale, y: Scale) =>
  inside(bytes, x) &&
  vertical(x(bytes), ...bottom_and_top(y), {
    class: kind,
    'data-bytes': bytes,
    stroke: kind === 'eager' ? 'var(--soft)' : 'var(--bad)',
    'stroke-dasharray': kind === 'eager' ? '5 4' : '2 3',
    'stroke-width': kind === 'eager' ? 1 : 1.4,
  });

// The sizes that the switches say to avoid.
function avoided(switches: Switch[], x: Scale, y: Scale) {
  const [low = 0, high = 0] = x.domain(),
    [bottom, top] = bottom_and_top(y);
  return switches.map((one) => {
    const begin = Math.max(one.bytes, low),
      end = Math.min(one.avoid_up_to_bytes ?? 0, high);
    if (end <= begin) return null;
    return svg('rect', {
      class: 'avoid',
      'data-from': one.bytes,
      'data-to': one.avoid_up_to_bytes,
      x: x(begin),
      y: top,
      width: x(end) - x(begin),
      height: bottom - top,
    });
  });
}

const tint_of = (link: Link) => `var(--${link.between === 'intra' ? 'algorithmic' : 'service'})`;
const WIDTH = 600;

export function pingpong(link: Link, width = WIDTH): Child {
  const { segments, eager_threshold_bytes: eager } = link,
    points = (link.points ?? []).filter((point) => point.bytes >= 0 && point.median_s > 0),
    switches = link.switches ?? [],
    [first] = segments,
    last = segments.at(-1);
  if (!first || !last) return null;
  const measured = points.length > 0,
    sizes = measured
      ? points.map((point) => on_log(point.bytes))
      : [on_log(first.from_bytes), Math.max(last.to_bytes ?? last.from_bytes, 2)],
    low = Math.min(...sizes),
    high = Math.max(...sizes) * 1.15,
    lines = segment_lines(segments, low, high),
    place = `ping-pong ${link_name(link.between)}`,
    x: Axis = { ...bytes_axis, low, high };
  const times = plot({
    name: `pingpong-${link.between}`,
    label: `${place}, time against size`,
    width,
    height: 330,
    margin: measured ? { bottom: 26 } : {},
    x: measured ? { ...x, title: '' } : x,
    y: {
      kind: 'log',
      label: (s) => seconds(s, 1),
      title: 'one way, half a round trip',
      room: 1.4,
      include: measured ? [] : lines.flatMap(({ list }) => list.map(([, s]) => s)),
    },
    under: (x, y) => avoided(switches, x, y),
    between: (x, y) => {
      const [bottom, top] = bottom_and_top(y);
      return [
        size_mark('eager', eager, x, y),
        inside(eager, x) &&
          svg('text', { class: 'halo', x: x(eager) - 6, y: top + 12, 'text-anchor': 'end' }, `eager up to ${size_label(eager)}B`),
        switches.map((one, i) => [
          size_mark('switch', one.bytes, x, y),
          inside(one.bytes, x) && svg('text', { class: 'strong', x: x(one.bytes) + 4, y: bottom - 6 - 13 * (i % 3) }, String(i + 1)),
        ]),
        lines.map(({ segment, list }) =>
          polyline(list, x, y, { class: 'fit', 'data-from': segment.from_bytes, stroke: 'var(--ink)', 'stroke-width': 1.4 }),
        ),
      ];
    },
    series: [
      {
        name: 'measured',
        kind: 'point',
        colour: tint_of(link),
        points: size_points(
          points,
          '',
          (point) => point.median_s,
          (point) => [
            ['measured', seconds(point.median_s, 4)],
            ...interval_text(point.low_s, point.high_s, (s) => seconds(s, 4)),
            ['fitted', seconds(fitted_s(segments, point.bytes), 4)],
            ['samples', String(point.samples ?? '?')],
          ],
        ),
      },
    ],
  });
  const note = (text: string) => el('p', { class: 'note' }, text);
  if (times.length === 0) return null;
  if (!measured) return [times, note("No point of it was measured: these are the model's lines."), switch_list(switches)];
  const errors = points.map((point): At => [on_log(point.bytes), fitted_s(segments, point.bytes) / point.median_s - 1]);
  return [
    times,
    residuals(link, place, x, errors, width),
    note(`The band holds what is within ${percent(fit_bound, 0)} of the measured times.`),
    switch_list(switches),
  ];
}

// Of the fit, relative to what was measured. errors: at a size, as a share.
function residuals(link: Link, place: string, x: Axis, errors: At[], width: number) {
  const height = 150,
    widest = Math.max(fit_bound * 1.2, ...errors.map(([, share]) => Math.abs(share))),
    high = widest * 1.15;
  // the band's own labels only where they do not run into each other
  const marks = ((height - 46 - 22) / (2 * high)) * fit_bound >= 13 ? [-fit_bound, 0, fit_bound] : [0];
  if (widest > 2 * fit_bound) marks.push(-widest, widest);
  const y: Axis = {
    kind: 'linear',
    label: String,
    title: 'fit against measured',
    ticks: marks.map((v) => [v, v === 0 ? '0' : signed_percent(v)]),
  };
  return axes_chart(
    {
      name: `residual-${link.between}`,
      label: `${place}, relative error of the fit`,
      width,
      height,
      margin: { left: 66, right: 18, top: 22, bottom: 46 },
    },
    { ...x, low: x.low ?? 1, high: x.high ?? 2 },
    { ...y, low: -high, high },
    (x, y) => {
      const [left = 0, right = 0] = x.range();
      return {
        under: svg('rect', { class: 'band', x: left, y: y(fit_bound), width: right - left, height: y(-fit_bound) - y(fit_bound) }),
        over: [
          size_mark('eager', link.eager_threshold_bytes, x, y),
          errors.map(([bytes, share]) =>
            vertical(x(bytes), y(0), y(share), { class: 'residual', stroke: tint_of(link), 'stroke-width': 3, 'stroke-linecap': 'round' }),
          ),
        ],
      };
    },
  );
}

// What happens at each size at which the time jumps, by the numbers in the picture.
function switch_list(switches: Switch[]) {
  if (switches.length === 0) return null;
  return el(
    'ol',
    { class: 'switches' },
    switches.map(({ bytes, jump_s, relative, low_bytes, high_bytes, cause, avoid_up_to_bytes: avoid }) => {
      const change = `${jump_s < 0 ? '\u2212' : '+'}${seconds(Math.abs(jump_s))}` + (relative ? ` (${signed_percent(relative)})` : ''),
        bounded = typeof low_bytes === 'number' && typeof high_bytes === 'number' && low_bytes < high_bytes;
      return el(
        'li',
        { 'data-bytes': bytes },
        `above ${bytes_title(bytes)}`,
        bounded && `, surely between ${count_text(low_bytes)} and ${count_text(high_bytes)}`,
        `: ${change}`,
        cause && `, ${cause}`,
        typeof avoid === 'number' && avoid > bytes && el('b', {}, `; avoid sizes up to ${bytes_title(avoid)}`),
      );
    }),
  );
}

export function link_facts(link: Link) {
  const slope = link.segments.at(-1)?.seconds_per_byte ?? 0,
    wire_slope = link.wire?.seconds_per_byte ?? 0,
    two_way = link.wire?.two_way_efficiency ?? 0,
    { eager_threshold_bytes: eager, pingpong_fit_error: error } = link;
  const with_ci = (s: number | null | undefined, ci: Interval | null | undefined) => {
    const [low, high] = ci ?? [];
    if (typeof s !== 'number') return null;
    return (
      seconds(s) + (typeof low === 'number' && typeof high === 'number' && high > low ? ` (${seconds(low)} \u2013 ${seconds(high)})` : '')
    );
  };
  return facts([
    ['latency (one crossing, what latency= sets)', with_ci(link.latency_s, link.latency_ci_s)],
    ['smallest message, one way', with_ci(link.smallest_s, link.smallest_ci_s)],
    ['rate of large messages', slope > 0 && `${with_prefix(8 / slope, 'b/s')} (${byte_rate_text(1 / slope)})`],
    ['wire', wire_slope > 0 && with_prefix(8 / wire_slope, 'b/s')],
    ['both directions at once', two_way > 0 && percent(two_way, 0) + ' of each alone'],
    ['eager up to', typeof eager === 'number' && `${count_text(eager)} bytes`],
    ['segments', String(link.segments.length)],
    ['error of the fit', error && link.points?.length ? `mean ${percent(error.mean)}, largest ${percent(error.max)}` : null],
  ]);
}
