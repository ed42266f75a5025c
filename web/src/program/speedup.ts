// Speed-up against the dilation factor D: what a wire D times as fast gives.
import { el, svg, tip } from '../base/dom.ts';
import { digits, percent, seconds, ticks } from '../base/format.ts';
import { card, chart, frame, linear, logarithmic } from '../charts/chart.ts';

export function speedup_curve(study) {
  const dilation = study.dilation,
    runs = dilation.runs ?? [];
  let points = dilation.speedup ?? [];
  if (points.length === 0) return null;
  points = [...points].sort((a, b) => a.D - b.D);
  const width = 560,
    height = 300,
    margin = { left: 52, right: 20, top: 26, bottom: 48 };
  const most_d = Math.max(...points.map((point) => point.D), 2);
  const most = Math.max(...points.map((point) => Math.max(point.value, point.high ?? 0)), 1) * 1.12;
  const x = logarithmic(1, most_d, margin.left, width - margin.right),
    y = linear(0, most, height - margin.bottom, margin.top);
  const ideal_to = Math.min(most_d, most),
    ideal = [];
  for (let i = 0; i <= 40; ++i) {
    const d = ideal_to ** (i / 40);
    ideal.push(`${x(d).toFixed(1)},${y(d).toFixed(1)}`);
  }
  const picture = chart(
    width,
    height,
    'speed-up against D',
    frame(
      width,
      height,
      margin,
      x,
      y,
      [...new Set(points.map((point) => point.D))].map((d) => [d, digits(d, d % 1 ? 2 : 1 + Math.floor(Math.log10(d)))]),
      ticks(0, most, 5).map((value) => [value, '×' + +value.toFixed(2)]),
      'D: the wire is D times as fast',
      'speed-up',
    ),
    svg('polyline', { points: ideal.join(' '), fill: 'none', stroke: 'var(--faint)', 'stroke-dasharray': '4 4' }),
    svg('polyline', {
      points: points.map((point) => `${x(point.D)},${y(point.value)}`).join(' '),
      fill: 'none',
      stroke: 'var(--dilated)',
      'stroke-width': 2,
    }),
    points.map((point) => [
      point.low !== undefined &&
        point.high !== undefined &&
        svg('line', { x1: x(point.D), x2: x(point.D), y1: y(point.low), y2: y(point.high), stroke: 'var(--dilated)', 'stroke-width': 2 }),
      tip(svg('circle', { class: 'point', cx: x(point.D), cy: y(point.value), r: 5, fill: 'var(--dilated)' }), `D = ${point.D}`, [
        ['speed-up', '×' + digits(point.value)],
        ...(point.low !== undefined && point.high !== undefined ? [['interval', `${digits(point.low)} \u2013 ${digits(point.high)}`]] : []),
      ]),
    ]),
  );
  const number = (text) => el('td', { class: 'number' }, text);
  const head = (texts) =>
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        texts.map((text) => el('th', { class: 'number' }, text)),
      ),
    );
  const rows_of = (shares) =>
    shares.map((at) =>
      el(
        'tr',
        {},
        [
          String(at.D),
          seconds(at.normalised_s, 4),
          ...['user', 'communication', 'receive_wait', 'send'].map((part) => percent(at[`${part}_percent`] / 100)),
        ].map(number),
      ),
    );
  const shares = dilation.shares ?? [];
  const table =
    (shares.length > 0 || runs.length > 0) &&
    el(
      'div',
      { class: 'scroll dense' },
      el(
        'table',
        { class: 'compact runs' },
        shares.length > 0
          ? [head(['D', 'divided by D', 'user', 'communication', 'receive wait', 'send']), el('tbody', {}, rows_of(shares))]
          : [
              head(['D', 'elapsed', 'divided by D']),
              el(
                'tbody',
                {},
                runs.map((run) => el('tr', {}, [String(run.D), seconds(run.elapsed_s, 4), seconds(run.normalised_s, 4)].map(number))),
              ),
            ],
      ),
    );
  const verdict =
    !dilation.verdict && dilation.verdict_withheld
      ? `No verdict: ${dilation.verdict_withheld}. `
      : dilation.verdict && `${dilation.verdict.replaceAll('-', ' ')}${dilation.because ? ': ' + dilation.because : ''}. `;
  return card(
    'What a wire D times as fast gives',
    [
      verdict && el('b', {}, verdict),
      dilation.flattens && `The curve flattens at D = ${dilation.flattens.D}: ${dilation.flattens.because}. `,
      'Dashed: a speed-up of D, which no program can pass.',
    ],
    picture,
    table,
  );
}
