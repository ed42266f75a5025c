// Recorded, simulated, dilated, real: side by side, with the error of each against the real run.

import { el, svg } from '../base/dom.ts';
import { seconds, seconds_range, signed_percent } from '../base/format.ts';
import { card, linear } from '../charts/chart.ts';
import { is_disturbed, judge, predictors } from './headline.ts';

export function time_cell(time, error, kind) {
  if (!time) return el('td', { class: 'number soft', 'data-kind': kind }, '\u2013');
  const interval = time.low !== undefined && time.low !== null && time.high !== undefined && time.high !== null;
  return el(
    'td',
    { class: 'number', 'data-kind': kind, 'data-s': time.s },
    seconds(time.s, 4),
    interval && el('span', { class: 'under' }, seconds_range(time.low, time.high)),
    error !== null && el('span', { class: 'under' }, el('b', {}, signed_percent(error)), ' of real'),
  );
}

export const mark_of = {
  simulated: (x, y) => svg('circle', { class: 'mark', cx: x, cy: y, r: 4.5, fill: 'var(--simulated)' }),
  dilated: (x, y) =>
    svg('rect', { class: 'mark', x: x - 4, y: y - 4, width: 8, height: 8, fill: 'var(--dilated)', transform: `rotate(45 ${x} ${y})` }),
  virtual: (x, y) => svg('path', { class: 'mark', d: `M${x - 5} ${y + 4}H${x + 5}L${x} ${y - 5}Z`, fill: 'var(--virtual)' }),
};

// The predictions as points with their intervals, the real run and the recorded one as lines, from zero to
// `longest_s`, which is the same for all what-ifs of a program.
export function agreement_picture(study, what_if, longest_s) {
  const width = 300,
    x = linear(0, longest_s, 4, width - 4),
    kinds = Object.keys(mark_of),
    row = Object.fromEntries(kinds.map((kind, i) => [kind, 10 + 14 * i])),
    foot = 50;
  const whisker = (kind, time) =>
    time && [
      svg('line', {
        'data-kind': kind,
        x1: x(time.low ?? time.s),
        x2: x(time.high ?? time.s),
        y1: row[kind],
        y2: row[kind],
        stroke: `var(--${kind})`,
        'stroke-width': 2,
      }),
      mark_of[kind](x(time.s), row[kind]),
    ];
  const real = what_if.real;
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
    svg('line', {
      x1: x(study.recorded_s),
      x2: x(study.recorded_s),
      y1: 1,
      y2: foot,
      stroke: 'var(--faint)',
      'stroke-width': 1.5,
      'stroke-dasharray': '3 3',
    }),
    real &&
      svg('rect', {
        x: x(real.low ?? real.s),
        width: Math.max(0, x(real.high ?? real.s) - x(real.low ?? real.s)),
        y: 1,
        height: foot - 1,
        fill: 'var(--real)',
        opacity: 0.14,
      }),
    real && svg('line', { class: 'mark', x1: x(real.s), x2: x(real.s), y1: 1, y2: foot, stroke: 'var(--real)', 'stroke-width': 2 }),
    kinds.map((kind) => whisker(kind, what_if[kind])),
  );
}

// The longest time of the program, of any kind and what-if.
export function longest_of(study) {
  return Math.max(
    study.recorded_s,
    ...study.what_ifs.flatMap((what_if) =>
      [...Object.keys(mark_of), 'real'].map((kind) => Math.max(what_if[kind]?.s ?? 0, what_if[kind]?.high ?? 0)),
    ),
  );
}

export function agreement_row(study, what_if, first) {
  const judged = judge(what_if);
  const runs = study.recorded_runs_s ?? [];
  let verdict = el('span', { class: 'badge' }, 'not checked');
  if (what_if.headline.by === null) verdict = el('span', { class: 'badge warn', title: what_if.headline.because }, 'withheld');
  else if (what_if.real && judged.apart !== null)
    verdict = what_if.agree ? el('span', { class: 'badge good' }, 'agree') : el('span', { class: 'badge bad' }, 'do not agree');
  return el(
    'tr',
    { 'data-program': study.name, 'data-spec': what_if.spec },
    el(
      'td',
      {},
      first && el('a', { href: '#' + study.anchor }, study.name),
      first && is_disturbed(study) && el('span', { class: 'under' }, el('span', { class: 'badge warn' }, 'times disturbed')),
    ),
    el(
      'td',
      {},
      what_if.spec.split(',').map((part, i, all) => el('div', {}, el('code', {}, part + (i + 1 < all.length ? ',' : '')))),
      verdict,
    ),
    el(
      'td',
      { class: 'number', 'data-kind': 'recorded', 'data-s': study.recorded_s },
      seconds(study.recorded_s, 4),
      first &&
        runs.length > 1 && [
          el('span', { class: 'under' }, seconds_range(Math.min(...runs), Math.max(...runs), 4)),
          el('span', { class: 'under' }, `median of ${runs.length}`),
        ],
      first &&
        typeof what_if.headline.self_check === 'number' &&
        el(
          'span',
          { class: 'under', title: 'the recording replayed on the model of the machine it was made on' },
          `replayed ${signed_percent(what_if.headline.self_check)}`,
        ),
    ),
    predictors.map(([kind]) => time_cell(what_if[kind], judged.errors[kind], kind)),
    time_cell(what_if.real, null, 'real'),
    el('td', { class: 'picture' }, agreement_picture(study, what_if, longest_of(study))),
  );
}

export function agreement(studies) {
  if (studies.every((study) => study.what_ifs.length === 0))
    return card('Do they agree?', 'No other network was asked about: `whatwire study --what-if bandwidth=x10` does.');
  const heads = [
    ['Program'],
    ['What if'],
    ['Recorded', 'number'],
    ['Simulated', 'number'],
    ['Dilated', 'number'],
    ['Virtual clock', 'number'],
    ['Real', 'number'],
    ['On one scale for each program, from zero', 'picture'],
  ];
  return card(
    'Do they agree?',
    'Recorded is the program as it is. Simulated replays its trace on the machine model of the other network, dilated runs it with computation stretched and time divided, the virtual clock runs it at once and counts what it would take, real runs it on that network. Ranges are 95% intervals, or the extremes of the runs.',
    el(
      'div',
      { class: 'legend' },
      el(
        'span',
        { class: 'key' },
        svg(
          'svg',
          { width: 14, height: 14 },
          svg('line', { x1: 7, x2: 7, y1: 0, y2: 14, stroke: 'var(--faint)', 'stroke-width': 1.5, 'stroke-dasharray': '3 3' }),
        ),
        'recorded',
      ),
      el('span', { class: 'key' }, svg('svg', { width: 14, height: 14 }, mark_of.simulated(7, 7)), 'simulated'),
      el('span', { class: 'key' }, svg('svg', { width: 14, height: 14 }, mark_of.dilated(7, 7)), 'dilated'),
      el('span', { class: 'key' }, svg('svg', { width: 14, height: 14 }, mark_of.virtual(7, 7)), 'virtual clock'),
      el(
        'span',
        { class: 'key' },
        svg('svg', { width: 14, height: 14 }, svg('line', { x1: 7, x2: 7, y1: 0, y2: 14, stroke: 'var(--real)', 'stroke-width': 2 })),
        'real',
      ),
    ),
    el(
      'div',
      { class: 'scroll' },
      el(
        'table',
        { class: 'agreement' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            heads.map(([text, kind]) => el('th', { class: kind, scope: 'col' }, text)),
          ),
        ),
        el(
          'tbody',
          {},
          studies.map((study) => study.what_ifs.map((what_if, i) => agreement_row(study, what_if, i === 0))),
        ),
      ),
    ),
  );
}
