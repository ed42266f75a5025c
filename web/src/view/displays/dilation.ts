// S3's Figures 2 to 4 (NISTIR 4331): speed-up over D and where the time goes as the wire becomes D times as fast; of runs that were
// dilated where a study or `whatwire dilate` has made some, else as the simulator has it, which is said.

import { el } from '../../base/dom.ts';
import { digits, seconds, signed_percent } from '../../base/format.ts';
import type { Dilation } from '../../data/types.ts';
import { component_series, components_plot } from '../../program/components.ts';
import { runs_table, speedup_plot, verdict_of } from '../../program/speedup.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, panel } from '../drawing/panel.ts';
import { MOST_OFF, recorded_on, type Said, said_of } from '../drawing/said.ts';
import type { Table } from '../figure.ts';

interface Answer extends Dilation, Partial<Said> {
  by: 'dilation' | 'simulation';
  told?: boolean; // simulated, though there are runs
  recorded_s?: number;
  replayed_s?: number;
}
const show: Control = {
  option: 'show',
  label: 'show',
  choices: () => [
    ['speedup', 'speed-up'],
    ['components', 'where the time goes'],
  ],
};
const from: Control = {
  option: 'from',
  label: 'from',
  about: 'Runs: of a study, or of whatwire dilate (--dilation), where there are some. Simulated: by replays',
  choices: () => [
    ['', 'runs, else simulated'],
    ['simulated', 'simulated'],
  ],
};

export function rows_of({ shares, speedup }: Dilation): Table {
  const of_d = new Map((speedup ?? []).map((one) => [one.D, one]));
  return {
    columns: ['D', 'normalised_s', 'user_s', 'communication_s', 'receive_wait_s', 'send_s', 'speedup', 'speedup_low', 'speedup_high'],
    rows: (shares ?? []).map(({ D, normalised_s, components: of }) => [
      D,
      normalised_s,
      of?.user_s ?? null,
      of?.communication_s ?? null,
      of?.receive_wait_s ?? null,
      of?.send_s ?? null,
      of_d.get(D)?.value ?? null,
      of_d.get(D)?.low ?? null,
      of_d.get(D)?.high ?? null,
    ]),
  };
}

export const dilation = panel<Answer>({
  name: 'dilation',
  title: 'Speed-up over D',
  group: 'What if',
  about: 'What does a wire D times as fast give, and what of the time does it leave?',
  controls: [show, from, recorded_on],
  depends: (view) => [view.trace.number, chosen(from, view), chosen(recorded_on, view)],
  ask: (view, signal) =>
    view.trace.json<Answer>(
      'dilation',
      { simulated: chosen(from, view) === 'simulated' ? 1 : null, machine: chosen(recorded_on, view) },
      signal,
    ),
  draw(view, answer, { width }) {
    const across = Math.max(420, Math.min(width, 1000)) / 1.1,
      what = chosen(show, view),
      off = answer.recorded_s && answer.replayed_s ? answer.replayed_s / answer.recorded_s - 1 : 0,
      drawn = what === 'speedup' ? speedup_plot(answer, across) : components_plot(answer, across),
      last = (answer.speedup ?? []).at(-1);
    if (what === 'speedup' && Math.abs(off) > MOST_OFF)
      return nothing(
        `The replay of the recorded run (${seconds(answer.recorded_s ?? 0)}) is off by ${signed_percent(off)}: no speed-up is said of it. ` +
          'whatwire dilate takes the program itself (--dilation shows what it printed).',
      );
    if (drawn.length === 0)
      return nothing(
        what === 'speedup' ? 'No speed-up is told: there is no run at D = 1.' : 'There are no two D whose components are told.',
      );
    const body = el('div', { class: 'dilated', 'data-by': answer.by, 'data-speedup': last?.value ?? '' }, drawn),
      picture = body.querySelector<SVGSVGElement>('svg.chart'),
      verdict = verdict_of(answer);
    for (const [i, series] of component_series(answer).entries())
      if (what === 'components') body.setAttribute(`data-s${i}`, (series.points ?? []).map(({ y }) => y).join(' '));
    return {
      note: [
        answer.by === 'simulation' ? el('b', {}, 'Simulated: ') : el('b', {}, 'Runs of the program: '),
        answer.by === 'simulation'
          ? `the recorded run replayed on a network D times as fast, software as it is${answer.told ? '; there are runs too' : ''}. `
          : 'its computation stretched by D, times divided by D. ',
        what === 'speedup' ? 'Dashed: a speed-up of D, which no program can pass. ' : 'Seconds divided by D, mean of the ranks. ',
        last && Math.abs(off) <= MOST_OFF && `At D = ${last.D} it is ${digits(last.value)} times as fast. `,
        Math.abs(off) > MOST_OFF && `The replay of the recorded run is off by ${signed_percent(off)}: take shapes, not times. `,
      ],
      body: [
        body,
        verdict && el('p', { class: 'display-note verdict' }, verdict),
        answer.flattens &&
          Math.abs(off) <= MOST_OFF &&
          el('p', { class: 'display-note' }, `The curve flattens at D = ${answer.flattens.D}: ${answer.flattens.because}.`),
        el('div', { class: 'display-table' }, runs_table(answer) || null),
        ...said_of({ assumptions: answer.assumptions ?? [], diagnostics: answer.diagnostics ?? [] }),
      ],
      ...(picture && { picture }),
      table: () => rows_of(answer),
    };
  },
});
