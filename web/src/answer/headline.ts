// The answer, one sentence a program.
import { max, min } from 'd3-array';
import { el } from '../base/dom.ts';
import { factor_text, percent, seconds } from '../base/format.ts';
import type { Study, WhatIf } from '../data/types.ts';

// A study with its place in the page.
export type Program = Study & { anchor: string };

export const is_disturbed = (study: Study) =>
  [...(study.diagnostics ?? []), ...(study.report?.diagnostics ?? [])].some((diagnostic) => diagnostic.name.startsWith('times-disturbed'));

// "bandwidth=x10,latency=5us" in words: "10 times the bandwidth and a latency of 5us".
export function spec_text(spec: string) {
  const words = spec.split(',').map((part) => {
    const [term, value] = part.split('=', 2).map((text) => text.trim());
    if (value === undefined) return part;
    if (!value.startsWith('x')) return `a ${term} of ${value}`;
    return term === 'bandwidth' || term === 'compute' ? `${value.slice(1)} times the ${term}` : `the ${term} times ${value.slice(1)}`;
  });
  return words.join(' and ');
}

// Everything that says how long the program takes on the other network without having run there.
export const predictors = [
  ['simulated', 'simulation'],
  ['dilated', 'dilation'],
  ['virtual', 'the virtual clock'],
] as const;
export type Predictor = (typeof predictors)[number][0];

export function list_of(names: string[]) {
  return names.length < 2 ? names.join('') : names.slice(0, -1).join(', ') + ' and ' + names.at(-1);
}

// How far the answers for a what-if are apart: of the real run, or without one of each other.
export function judge(what_if: WhatIf) {
  const { real } = what_if;
  const known = predictors.flatMap(([kind, name]) => {
    const s = what_if[kind]?.s;
    return s === undefined ? [] : [{ kind, name, s, error: real ? s / real.s - 1 : null }];
  });
  const apart =
    real && known.length > 0
      ? max(known, ({ error }) => Math.abs(error ?? 0))
      : known.length > 1
        ? (max(known, ({ s }) => s) ?? 0) / (min(known, ({ s }) => s) ?? 1) - 1
        : undefined;
  const errors: { [kind in Predictor]?: number | null } = Object.fromEntries(known.map(({ kind, error }) => [kind, error]));
  return { names: known.map(({ name }) => name), errors, apart: apart ?? null };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function verdict_text(what_if: WhatIf, { names, apart }: { names: string[]; apart: number | null }) {
  if (what_if.real && apart !== null) {
    const all = capital(list_of([...names, 'the real run']));
    return what_if.agree ? `${all} agree within ${percent(apart)}.` : `${all} do not agree: up to ${percent(apart)} apart.`;
  }
  if (what_if.real) return 'This was run for real; nothing predicted it.';
  return apart !== null
    ? `${capital(list_of(names))} are ${names.length > 2 ? 'up to ' : ''}${percent(apart)} apart; no real run checked them.`
    : `By ${list_of(names)} alone; no real run checked it.`;
}

export function answer(study: Program, what_if: WhatIf) {
  const judged = judge(what_if),
    { by, gain, gain_low, gain_high, sentence } = what_if.headline;
  const name = el(
    'div',
    { class: 'name' },
    el('a', { href: '#' + study.anchor }, study.name),
    is_disturbed(study) && el('span', { class: 'badge warn' }, 'times disturbed'),
  );
  if (!what_if.real && !judged.names.length)
    return el('div', { class: 'answer unchecked' }, name, el('p', {}, `Nothing is known yet about ${spec_text(what_if.spec)}.`));
  const state = !by ? 'apart' : by !== 'real run' || judged.apart === null ? 'unchecked' : what_if.agree ? 'agreed' : 'apart';
  const figure = typeof gain === 'number' ? factor_text(gain) : by ? seconds(what_if.headline.s ?? 0) : 'No answer';
  const range =
    typeof gain_low === 'number' && typeof gain_high === 'number' && gain_low !== gain_high
      ? `${factor_text(gain_low)} \u2013 ${factor_text(gain_high)} `
      : '';
  return el(
    'div',
    { class: 'answer ' + state, 'data-by': by ?? '' },
    name,
    el(
      'div',
      { class: 'factor' },
      figure,
      el('small', {}, `${range}with ${spec_text(what_if.spec)}${by ? `, by ${by === 'simulation' ? by : 'the ' + by}` : ''}`),
    ),
    el('p', {}, `${capital(sentence)}. ${verdict_text(what_if, judged)}`),
  );
}

export function headline(studies: Program[]) {
  return el(
    'div',
    { class: 'answers' },
    studies.map((study) => study.what_ifs.slice(0, 1).map((what_if) => answer(study, what_if))),
  );
}
