// The machine: the measured ping-pong with its fit, and what is left over.
const link_name = {
  inter: 'between hosts',
  intra: 'within a host'
};
const link_colour = {
  inter: 'service',
  intra: 'algorithmic'
};

function fitted_s(segments, bytes) {
  const segment = segments.find((part) => bytes <= (part.to_bytes ?? Infinity)) ?? segments.at(-1);
  return segment.base_s + segment.seconds_per_byte * bytes;
}

function power_ticks(low, high, base, label) {
  const list = [], first = Math.floor(Math.log(low) / Math.log(base) + 1e-9),
        last = Math.ceil(Math.log(high) / Math.log(base) - 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 8));
  for (let power = first; power <= last; power += step)
    if (base ** power >= low * 0.999 && base ** power <= high * 1.001)
      list.push([base ** power, label(base ** power)]);
  return list;
}
function size_label(n) {
  if (n < 1024) return String(n);
  return n < 1048576 ? `${n / 1024} Ki` : `${n / 1048576} Mi`;
}

function pingpong(link) {
  const points = (link.points ?? []).filter((point) => point.bytes >= 0 && point.median_s > 0),
        segments = link.segments;
  if (points.length === 0 || segments.length === 0) return null;
  const at = (bytes) => Math.max(bytes, 1);  // an empty message stands at 1 byte on a logarithmic axis
  const sizes = points.map((point) => at(point.bytes)),
        times = points.flatMap((point) => [point.low_s ?? point.median_s, point.high_s ?? point.median_s])
                    .filter((s) => s > 0);
  const width = 600, height = 330, residual_height = 130, margin = {left: 66, right: 18, top: 26, bottom: 26},
        left = margin.left;
  const low = Math.min(...sizes), high = Math.max(...sizes) * 1.15;
  const x = logarithmic(low, high, left, width - margin.right);
  const y =
      logarithmic(Math.min(...times) / 1.4, Math.max(...times) * 1.4, height - margin.bottom, margin.top);
  const line = [];
  for (let i = 0; i <= 240; ++i) {
    const bytes = low * (high / low) ** (i / 240), s = fitted_s(segments, bytes);
    if (s > 0) line.push(`${x(bytes).toFixed(1)},${y(s).toFixed(1)}`);
  }
  const tint = `var(--${link_colour[link.between] ?? 'service'})`;
  const eager = link.eager_threshold_bytes;
  const eager_mark = (from, to, labelled) => eager > low && eager < high && [
    svg('line', {
      class: 'eager',
      x1: x(eager),
      x2: x(eager),
      y1: from,
      y2: to,
      stroke: 'var(--soft)',
      'stroke-dasharray': '5 4'
    }),
    labelled &&
        svg('text', {x: x(eager) - 6, y: from + 12, 'text-anchor': 'end'},
            `eager up to ${size_label(eager)}B`)
  ];
  const x_ticks = power_ticks(low, high, 4, size_label);
  const upper = chart(
      width, height, `ping-pong ${link_name[link.between] ?? link.between}, time against size`,
      frame(
          width, height, margin, x, y, x_ticks,
          power_ticks(Math.min(...times) / 1.4, Math.max(...times) * 1.4, 10, (s) => seconds(s, 1)), '',
          'one way, half a round trip'),
      eager_mark(margin.top, height - margin.bottom, true),
      svg('polyline',
          {class: 'fit', points: line.join(' '), fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.4}),
      points.map(
          (point) =>
              [svg('line', {
                 x1: x(at(point.bytes)),
                 x2: x(at(point.bytes)),
                 y1: y(point.low_s ?? point.median_s),
                 y2: y(point.high_s ?? point.median_s),
                 stroke: tint,
                 'stroke-width': 1.5
               }),
               tip(svg('circle',
                       {class: 'point', cx: x(at(point.bytes)), cy: y(point.median_s), r: 3.6, fill: tint}),
                   `${count_text(point.bytes)} bytes`, [
                     ['measured', seconds(point.median_s, 4)],
                     ['fitted', seconds(fitted_s(segments, point.bytes), 4)],
                     ['samples', String(point.samples ?? '?')]
                   ])]));
  const residuals = points.map(
      (point) => ({bytes: at(point.bytes), share: fitted_s(segments, point.bytes) / point.median_s - 1}));
  const widest = Math.max(0.02, ...residuals.map((r) => Math.abs(r.share))) * 1.15;
  const lower_margin = {...margin, bottom: 46},
        ry = linear(-widest, widest, residual_height - lower_margin.bottom, margin.top - 4);
  const lower = chart(
      width, residual_height, 'relative error of the fit',
      frame(
          width, residual_height, lower_margin, x, ry, x_ticks,
          [-widest / 1.15, 0, widest / 1.15].map(
              (value) => [value, value === 0 ? '0' : signed_percent(value)]),
          'bytes in the message', 'fit against measured'),
      eager_mark(margin.top - 4, residual_height - lower_margin.bottom, false),
      residuals.map((r) => svg('line', {
                      class: 'residual',
                      x1: x(r.bytes),
                      x2: x(r.bytes),
                      y1: ry(0),
                      y2: ry(r.share),
                      stroke: tint,
                      'stroke-width': 3,
                      'stroke-linecap': 'round'
                    })));
  return [upper, lower];
}

function link_facts(link) {
  const bulk = link.segments.at(-1), rate = bulk?.seconds_per_byte > 0 ? 1 / bulk.seconds_per_byte : null;
  const ci =
      link.latency_ci_s ? ` (${seconds(link.latency_ci_s[0])} \u2013 ${seconds(link.latency_ci_s[1])})` : '';
  return facts([
    ['latency', link.latency_s === undefined ? null : seconds(link.latency_s) + ci],
    [
      'rate of large messages',
      rate && `${with_prefix(rate * 8, 'b/s').replace(/(\d) b/, '$1 b')} (${bytes_text(rate)}/s)`
    ],
    [
      'eager up to',
      link.eager_threshold_bytes === undefined || link.eager_threshold_bytes === null ?
          null :
          `${count_text(link.eager_threshold_bytes)} bytes`
    ],
    ['segments', String(link.segments.length)],
    [
      'error of the fit',
      link.pingpong_fit_error ?
          `mean ${percent(link.pingpong_fit_error.mean)}, largest ${percent(link.pingpong_fit_error.max)}` :
          null
    ],
  ]);
}

function machine_cards(machine) {
  return [
    el('div', {class: 'pair'},
       machine.links.map(
           (link) => card(
               `Messages ${link_name[link.between] ?? link.between}`, null, link_facts(link),
               pingpong(link)))),
    machine.flags?.length > 0 &&
        card(
            'Doubtful values of the model', null,
            el('ul', {class: 'plain flags'},
               machine.flags.map(
                   (flag) => el('li', {}, el('span', {class: 'badge warn'}, 'doubtful'), flag)))),
  ];
}
