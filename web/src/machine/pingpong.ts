// The ping-pong of a link: what was measured, the segments fitted to it, the sizes at which it jumps, and
// what is left over.
import { el, svg, tip } from '../base/dom.ts';
import { byte_rate_text, count_text, percent, seconds, signed_percent, with_prefix } from '../base/format.ts';
import { chart, frame, linear, logarithmic } from '../charts/chart.ts';
import { axis_ticks, bytes_title, interval_text, on_log, power_ticks, size_label, walkable } from '../charts/plot.ts';
import { facts } from '../program/tables.ts';

export const link_name = { inter: 'between hosts', intra: 'within a host' };
export const link_colour = { inter: 'service', intra: 'algorithmic' };
// How far the fit may be off: the bound that the measurement is held to (docs of `measure`).
export const fit_bound = 0.03;

export function fitted_s(segments, bytes) {
  const segment = segments.find((part) => bytes <= (part.to_bytes ?? Infinity)) ?? segments.at(-1);
  return segment.base_s + segment.seconds_per_byte * bytes;
}

// Each segment as its own line: between two of them the time jumps.
export function segment_lines(segments, low, high) {
  return segments.map((segment, i) => {
    const last = i + 1 === segments.length;
    const from = Math.max(i === 0 ? low : on_log(segment.from_bytes), low),
      to = Math.min(last ? high : (segment.to_bytes ?? high), high),
      list = [];
    for (let step = 0; step <= 60 && to > from; ++step) {
      const bytes = from * (to / from) ** (step / 60),
        s = segment.base_s + segment.seconds_per_byte * bytes;
      if (s > 0) list.push([bytes, s]);
    }
    return { segment, list };
  });
}

// A vertical line at `bytes`, if the chart shows it.
export function size_mark(kind, bytes, x, from, to, low, high) {
  return (
    bytes > low &&
    bytes < high &&
    svg('line', {
      class: kind,
      'data-bytes': bytes,
      x1: x(bytes),
      x2: x(bytes),
      y1: from,
      y2: to,
      stroke: kind === 'eager' ? 'var(--soft)' : 'var(--bad)',
      'stroke-dasharray': kind === 'eager' ? '5 4' : '2 3',
      'stroke-width': kind === 'eager' ? 1 : 1.4,
    })
  );
}

export function pingpong(link) {
  const segments = link.segments,
    points = (link.points ?? []).filter((point) => point.bytes >= 0 && point.median_s > 0);
  if (segments.length === 0) return null;
  const last = segments.at(-1),
    last_bytes = last.to_bytes ?? last.from_bytes;
  const sizes = points.length > 0 ? points.map((point) => on_log(point.bytes)) : [on_log(segments[0].from_bytes), Math.max(last_bytes, 2)];
  const low = Math.min(...sizes),
    high = Math.max(...sizes) * 1.15;
  const lines = segment_lines(segments, low, high),
    switches = link.switches ?? [];
  const times =
    points.length > 0
      ? points.flatMap((point) => [point.low_s ?? point.median_s, point.high_s ?? point.median_s])
      : lines.flatMap((line) => line.list.map((at) => at[1]));
  const seen = times.filter((s) => s > 0);
  if (seen.length === 0) return null;
  const width = 600,
    height = 330,
    residual_height = 150,
    margin = { left: 66, right: 18, top: 26, bottom: points.length > 0 ? 26 : 46 },
    left = margin.left,
    least_s = Math.min(...seen) / 1.4,
    most_s = Math.max(...seen) * 1.4;
  const x = logarithmic(low, high, left, width - margin.right),
    y = logarithmic(least_s, most_s, height - margin.bottom, margin.top);
  const tint = `var(--${link_colour[link.between] ?? 'service'})`;
  const eager = link.eager_threshold_bytes;
  const x_ticks = power_ticks(low, high, 4, size_label);
  const place = `ping-pong ${link_name[link.between] ?? link.between}`;
  const stops = [];
  const avoid = (from, to) =>
    switches.map((one) => {
      const begin = Math.max(one.bytes, low),
        end = Math.min(one.avoid_up_to_bytes ?? 0, high);
      return (
        end > begin &&
        svg('rect', {
          class: 'avoid',
          'data-from': one.bytes,
          'data-to': one.avoid_up_to_bytes,
          x: x(begin),
          y: from,
          width: x(end) - x(begin),
          height: to - from,
        })
      );
    });
  const upper = chart(
    width,
    height,
    `${place}, time against size`,
    avoid(margin.top, height - margin.bottom),
    frame(
      width,
      height,
      margin,
      x,
      y,
      x_ticks,
      axis_ticks({ kind: 'log', low: least_s, high: most_s, label: (s) => seconds(s, 1) }, 5),
      points.length > 0 ? '' : 'bytes in the message',
      'one way, half a round trip',
    ),
    size_mark('eager', eager, x, margin.top, height - margin.bottom, low, high),
    eager > low &&
      eager < high &&
      svg('text', { class: 'halo', x: x(eager) - 6, y: margin.top + 12, 'text-anchor': 'end' }, `eager up to ${size_label(eager)}B`),
    switches.map((one, i) => [
      size_mark('switch', one.bytes, x, margin.top, height - margin.bottom, low, high),
      one.bytes > low &&
        one.bytes < high &&
        svg('text', { class: 'strong', x: x(one.bytes) + 4, y: height - margin.bottom - 6 - 13 * (i % 3) }, String(i + 1)),
    ]),
    lines.map(({ segment, list }) =>
      svg('polyline', {
        class: 'fit',
        'data-from': segment.from_bytes,
        points: list.map(([bytes, s]) => `${x(bytes).toFixed(1)},${y(s).toFixed(1)}`).join(' '),
        fill: 'none',
        stroke: 'var(--ink)',
        'stroke-width': 1.4,
      }),
    ),
    points.map((point) => {
      const at = x(on_log(point.bytes)),
        title = bytes_title(point.bytes),
        rows = [
          ['measured', seconds(point.median_s, 4)],
          ...interval_text(point.low_s, point.high_s, (s) => seconds(s, 4)),
          ['fitted', seconds(fitted_s(segments, point.bytes), 4)],
          ['samples', String(point.samples ?? '?')],
        ];
      const node = svg('circle', { class: 'point', cx: at, cy: y(point.median_s), r: 3.6, fill: tint });
      stops.push({ node, title, rows });
      return [
        svg('line', {
          class: 'interval',
          x1: at,
          x2: at,
          y1: y(point.low_s > 0 ? point.low_s : point.median_s),
          y2: y(point.high_s ?? point.median_s),
          stroke: tint,
          'stroke-width': 1.5,
        }),
        tip(node, title, rows),
      ];
    }),
  );
  upper.style.maxWidth = `${width * 1.1}px`;
  walkable(upper, stops);
  const key = switch_list(switches);
  if (points.length === 0) return [upper, el('p', { class: 'note' }, "No point of it was measured: these are the model's lines."), key];
  const residuals = points.map((point) => ({ bytes: on_log(point.bytes), share: fitted_s(segments, point.bytes) / point.median_s - 1 }));
  const widest = Math.max(fit_bound * 1.2, ...residuals.map((r) => Math.abs(r.share))) * 1.15;
  const lower_margin = { ...margin, bottom: 46 },
    ry = linear(-widest, widest, residual_height - lower_margin.bottom, margin.top - 4);
  // the band's own labels only where they do not run into each other
  const marks = ry(0) - ry(fit_bound) >= 13 ? [-fit_bound, 0, fit_bound] : [0];
  if (widest / 1.15 > 2 * fit_bound) marks.push(-widest / 1.15, widest / 1.15);
  const lower = chart(
    width,
    residual_height,
    `${place}, relative error of the fit`,
    svg('rect', { class: 'band', x: left, y: ry(fit_bound), width: width - margin.right - left, height: ry(-fit_bound) - ry(fit_bound) }),
    frame(
      width,
      residual_height,
      lower_margin,
      x,
      ry,
      x_ticks,
      marks.map((value) => [value, value === 0 ? '0' : signed_percent(value)]),
      'bytes in the message',
      'fit against measured',
    ),
    size_mark('eager', eager, x, margin.top - 4, residual_height - lower_margin.bottom, low, high),
    residuals.map((r) =>
      svg('line', {
        class: 'residual',
        x1: x(r.bytes),
        x2: x(r.bytes),
        y1: ry(0),
        y2: ry(r.share),
        stroke: tint,
        'stroke-width': 3,
        'stroke-linecap': 'round',
      }),
    ),
  );
  lower.style.maxWidth = upper.style.maxWidth;
  return [upper, lower, el('p', { class: 'note' }, `The band holds what is within ${percent(fit_bound, 0)} of the measured times.`), key];
}

// What happens at each size at which the time jumps, by the numbers in the picture.
export function switch_list(switches) {
  if (switches.length === 0) return null;
  return el(
    'ol',
    { class: 'switches' },
    switches.map((one) => {
      const change =
        `${one.jump_s < 0 ? '\u2212' : '+'}${seconds(Math.abs(one.jump_s))}` + (one.relative ? ` (${signed_percent(one.relative)})` : '');
      const range =
        typeof one.low_bytes === 'number' && one.low_bytes < one.high_bytes
          ? `, surely between ${count_text(one.low_bytes)} and ${count_text(one.high_bytes)}`
          : '';
      return el(
        'li',
        { 'data-bytes': one.bytes },
        `above ${bytes_title(one.bytes)}${range}: ${change}`,
        one.cause && `, ${one.cause}`,
        one.avoid_up_to_bytes > one.bytes && el('b', {}, `; avoid sizes up to ${bytes_title(one.avoid_up_to_bytes)}`),
      );
    }),
  );
}

export function link_facts(link) {
  const bulk = link.segments.at(-1),
    rate = bulk?.seconds_per_byte > 0 ? 1 / bulk.seconds_per_byte : null;
  const with_ci = (s, ci) =>
    s === undefined ? null : seconds(s) + (ci?.[1] > ci?.[0] ? ` (${seconds(ci[0])} \u2013 ${seconds(ci[1])})` : '');
  const error = link.pingpong_fit_error,
    wire = link.wire;
  return facts([
    ['latency (one crossing, what latency= sets)', with_ci(link.latency_s, link.latency_ci_s)],
    ['smallest message, one way', with_ci(link.smallest_s, link.smallest_ci_s)],
    ['rate of large messages', rate && `${with_prefix(rate * 8, 'b/s')} (${byte_rate_text(rate)})`],
    ['wire', wire?.seconds_per_byte > 0 ? with_prefix(8 / wire.seconds_per_byte, 'b/s') : null],
    ['both directions at once', wire?.two_way_efficiency > 0 ? percent(wire.two_way_efficiency, 0) + ' of each alone' : null],
    [
      'eager up to',
      link.eager_threshold_bytes === undefined || link.eager_threshold_bytes === null
        ? null
        : `${count_text(link.eager_threshold_bytes)} bytes`,
    ],
    ['segments', String(link.segments.length)],
    ['error of the fit', error && link.points?.length > 0 ? `mean ${percent(error.mean)}, largest ${percent(error.max)}` : null],
  ]);
}
