// Recorded, simulated, dilated, real: side by side, with the error of each against the real run.

import { max, min } from 'd3-array';
import { type Child, el, type Head, svg, table } from '../base/dom.ts';
import { seconds, seconds_range, signed_percent } from '../base/format.ts';
import { card, legend, legend_key, linear, vertical } from '../charts/chart.ts';
import type { Study, Time, WhatIf } from '../data/types.ts';
import { is_disturbed, judge, type Predictor, type Program, predictors } from './headline.ts';

const under = (...children: Child[]) => el('span', { class: 'under' }, children);
const badge = (kind: string, text: string, title?: string) => el('span', { class: `badge ${kind}`.trim(), title }, text);

function time_cell(time: Time | null | undefined, error: number | null | undefined, kind: string) {
  if (!time) return el('td', { class: 'number soft', 'data-kind': kind }, '\u2013');
  return el(
    'td',
    { class: 'number', 'data-kind': kind, 'data-s': time.s },
    seconds(time.s, 4),
    typeof time.low === 'number' && typeof time.high === 'number' && under(seconds_range(time.low, time.high)),
    typeof error === 'number' && under(el('b', {}, signed_percent(error)), ' of real'),
  );
}

const mark_of: Record<Predictor, (x: number, y: number) => SVGElement> = {
  simulated: (x, y) => svg('circle', { class: 'mark', cx: x, cy: y, r: 4.5, fill: 'var(--simulated)' }),
  dilated: (x, y) =>
    svg('rect', { class: 'mark', x: x - 4, y: y - 4, width: 8, height: 8, fill: 'var(--dilated)', transform: `rotate(45 ${x} ${y})` }),
  virtual: (x, y) => svg('path', { class: 'mark', d: `M${x - 5} ${y + 4}H${x + 5}L${x} ${y - 5}Z`, fill: 'var(--virtual)' }),
};
const recorded_line = (x: number, y1: number, y2: number) =>
  vertical(x, y1, y2, { stroke: 'var(--faint)', 'stroke-width': 1.5, 'stroke-dasharray': '3 3' });
const real_line = (x: number, y1: number, y2: number) => vertical(x, y1, y2, { class: 'mark', stroke: 'var(--real)', 'stroke-width': 2 });

// The predictions as points with their intervals, the real run and the recorded one as lines, from zero to
// `longest_s`, which is the same for all what-ifs of a program.
function agreement_picture(study: Study, what_if: WhatIf, longest_s: number) {
  const width = 300,
    foot = 50,
    x = linear(0, longest_s, 4, width - 4);
  const whisker = ([kind]: (typeof predictors)[number], i: number) => {
    const time = what_if[kind],
      y = 10 + 14 * i;
    return (
      time && [
        svg('line', {
          'data-kind': kind,
          x1: x(time.low ?? time.s),
          x2: x(time.high ?? time.s),
          y1: y,
          y2: y,
          stroke: `var(--${kind})`,
          'stroke-width': 2,
        }),
        mark_of[kind](x(time.s), y),
      ]
    );
  };
  const { real } = what_if;
  return svg(
    'svg',
    {
      viewBox: `0 0 ${width} 66`,
      width: '100%',
      role: 'img',
      'aria-label': `the times on one scale, from zero to ${seconds(longest_s)}`,
      'data-longest': longest_s,
    },
    svg('line', { class: 'axis', x1: x(0), x2: x(longest_s), y1: foot, y2: foot }),
    svg('text', { x: x(0), y: foot + 13 }, '0'),
    svg('text', { x: x(longest_s), y: foot + 13, 'text-anchor': 'end' }, seconds(longest_s)),
    recorded_line(x(study.recorded_s), 1, foot),
    real && [
      svg('rect', {
        x: x(real.low ?? real.s),
        width: Math.max(0, x(real.high ?? real.s) - x(real.low ?? real.s)),
        y: 1,
        height: foot - 1,
        fill: 'var(--real)',
        opacity: 0.14,
      }),
      real_line(x(real.s), 1, foot),
    ],
    predictors.map(whisker),
  );
}

// The longest time of the program, of any kind and what-if.
export function longest_of(study: Study) {
  const times = study.what_ifs.flatMap(({ simulated, dilated, virtual, real }) => [simulated, dilated, virtual, real]);
  return Math.max(study.recorded_s, ...times.map((time) => Math.max(time?.s ?? 0, time?.high ?? 0)));
}

function verdict_badge(what_if: WhatIf, apart: number | null) {
  if (!what_if.headline.by) return badge('warn', 'withheld', what_if.headline.because ?? undefined);
  if (!what_if.real || apart === null) return badge('', 'not checked');
  return what_if.agree ? badge('good', 'agree') : badge('bad', 'do not agree');
}

function agreement_row(study: Program, what_if: WhatIf, first: boolean) {
  const judged = judge(what_if),
    runs = study.recorded_runs_s ?? [],
    { self_check } = what_if.headline;
  return el(
    'tr',
    { 'data-program': study.name, 'data-spec': what_if.spec },
    el(
      'td',
      {},
      first && el('a', { href: '#' + study.anchor }, study.name),
      first && is_disturbed(study) && under(badge('warn', 'times disturbed')),
    ),
    el(
      'td',
      {},
      what_if.spec.split(',').map((part, i, all) => el('div', {}, el('code', {}, part + (i + 1 < all.length ? ',' : '')))),
      verdict_badge(what_if, judged.apart),
    ),
    el(
      'td',
      { class: 'number', 'data-kind': 'recorded', 'data-s': study.recorded_s },
      seconds(study.recorded_s, 4),
      first && runs.length > 1 && [under(seconds_range(min(runs) ?? 0, max(runs) ?? 0, 4)), under(`median of ${runs.length}`)],
      first &&
        typeof self_check === 'number' &&
        el(
          'span',
          { class: 'under', title: 'the recording replayed on the model of the machine it was made on' },
          `replayed ${signed_percent(self_check)}`,
        ),
    ),
    predictors.map(([kind]) => time_cell(what_if[kind], judged.errors[kind], kind)),
    time_cell(what_if.real, null, 'real'),
    el('td', { class: 'picture' }, agreement_picture(study, what_if, longest_of(study))),
  );
}

const heads: Head[] = [
  ['Program', ''],
  ['What if', ''],
  ['Recorded', 'number'],
  ['Simulated', 'number'],
  ['Dilated', 'number'],
  ['Virtual clock', 'number'],
  ['Real', 'number'],
  ['On one scale for each program, from zero', 'picture'],
];
export function agreement(studies: Program[]) {
  if (studies.every((study) => study.what_ifs.length === 0))
    return card('Do they agree?', 'No other network was asked about: `whatwire study --what-if bandwidth=x10` does.');
  const key = (name: string, sign: SVGElement) => legend_key(svg('svg', { width: 14, height: 14 }, sign), name);
  return card(
    'Do they agree?',
    'Recorded is the program as it is. Simulated replays its trace on the machine model of the other network, dilated runs it with computation stretched and time divided, the virtual clock runs it at once and counts what it would take, real runs it on that network. Ranges are 95% intervals, or the extremes of the runs.',
    legend(
      key('recorded', recorded_line(7, 0, 14)),
      key('simulated', mark_of.simulated(7, 7)),
      key('dilated', mark_of.dilated(7, 7)),
      key('virtual clock', mark_of.virtual(7, 7)),
      key('real', real_line(7, 0, 14)),
    ),
    table(
      'agreement',
      heads,
      studies.map((study) => study.what_ifs.map((what_if, i) => agreement_row(study, what_if, i === 0))),
      'scroll',
    ),
  );
}
