// Speed-up against the dilation factor D: what a wire D times as fast gives.
import { max, ticks } from 'd3-array';
import { el, type Head, number_row, table } from '../base/dom.ts';
import { digits, percent, seconds } from '../base/format.ts';
import { type At, type Axis, card } from '../charts/chart.ts';
import { plot } from '../charts/plot.ts';
import type { Dilation } from '../data/types.ts';

// From 1 to the largest of these, of which each has its label.
export const d_axis = (values: number[]): Axis => ({
  kind: 'log',
  low: 1,
  high: Math.max(2, ...values),
  label: String,
  title: 'D: the wire is D times as fast',
  ticks: [...new Set(values)].map((d) => [d, digits(d, d % 1 ? 2 : 1 + Math.floor(Math.log10(d)))]),
});

const heads = (...texts: string[]) => texts.map((text): Head => [text, 'number']);

// The shares of the time at each D where they are known, else the times.
export function runs_table({ shares, runs }: Dilation) {
  if (shares && shares.length > 0)
    return table(
      'compact runs',
      heads('D', 'divided by D', 'user', 'communication', 'receive wait', 'send'),
      shares.map((at) =>
        number_row(
          {},
          null,
          String(at.D),
          seconds(at.normalised_s, 4),
          ...[at.user_percent, at.communication_percent, at.receive_wait_percent, at.send_percent].map((share) => percent(share / 100)),
        ),
      ),
    );
  return (
    runs &&
    runs.length > 0 &&
    table(
      'compact runs',
      heads('D', 'elapsed', 'divided by D'),
      runs.map((run) => number_row({}, null, String(run.D), seconds(run.elapsed_s, 4), seconds(run.normalised_s, 4))),
    )
  );
}

// What the curve says of the program, in words; '' where it says nothing.
export function verdict_of({ verdict, verdict_withheld, because }: Dilation) {
  if (verdict) return `${verdict.replaceAll('-', ' ')}${because ? ': ' + because : ''}. `;
  return verdict_withheld ? `No verdict: ${verdict_withheld}. ` : '';
}

// Nothing where no speed-up is told.
export function speedup_plot(dilation: Dilation, width = 560): Element[] {
  const points = [...(dilation.speedup ?? [])].sort((a, b) => a.D - b.D);
  if (points.length === 0) return [];
  const most_d = Math.max(points.at(-1)?.D ?? 0, 2),
    most = Math.max(max(points, (point) => Math.max(point.value, point.high ?? 0)) ?? 0, 1) * 1.12,
    ideal_to = Math.min(most_d, most);
  return plot({
    name: 'speed-up',
    width,
    label: 'speed-up against D',
    x: d_axis(points.map((point) => point.D)),
    y: {
      kind: 'linear',
      low: 0,
      high: most,
      label: String,
      title: 'speed-up',
      ticks: ticks(0, most, 5).map((value) => [value, '×' + +value.toFixed(2)]),
    },
    series: [
      {
        name: 'ideal',
        colour: 'var(--faint)',
        dash: '4 4',
        curve: Array.from({ length: 41 }, (_, i): At => [ideal_to ** (i / 40), ideal_to ** (i / 40)]),
      },
      {
        name: 'speed-up',
        kind: 'point',
        colour: 'var(--dilated)',
        dash: null,
        joined: true,
        points: points.map(({ D, value, low, high }) => ({
          x: D,
          y: value,
          low,
          high,
          title: `D = ${D}`,
          rows: [
            ['speed-up', '×' + digits(value)],
            ...(typeof low === 'number' && typeof high === 'number'
              ? [['interval', `${digits(low)} \u2013 ${digits(high)}`] satisfies [string, string]]
              : []),
          ],
        })),
      },
    ],
    legend: false,
  });
}

export function speedup_curve(dilation: Dilation) {
  const picture = speedup_plot(dilation),
    said = verdict_of(dilation),
    { flattens } = dilation;
  if (picture.length === 0) return null;
  return card(
    'What a wire D times as fast gives',
    [
      said && el('b', {}, said),
      flattens && `The curve flattens at D = ${flattens.D}: ${flattens.because}. `,
      'Dashed: a speed-up of D, which no program can pass.',
    ],
    picture,
    runs_table(dilation),
  );
}
