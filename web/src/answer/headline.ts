// The answer, one sentence a program.
import { el } from '../base/dom.ts';
import { factor_text, percent, seconds } from '../base/format.ts';

export const is_disturbed = (study) =>
  [...(study.diagnostics ?? []), ...(study.report?.diagnostics ?? [])].some((diagnostic) => diagnostic.name.startsWith('times-disturbed'));

// "bandwidth=x10,latency=5us" in words: "10 times the bandwidth and a latency of 5us".
export function spec_text(spec) {
  const words = spec.split(',').map((part) => {
    const [term, value] = part.split('=', 2).map((text) => text?.trim());
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
];

export function list_of(names) {
  return names.length < 2 ? names.join('') : names.slice(0, -1).join(', ') + ' and ' + names.at(-1);
}

// How far the answers for a what-if are apart: of the real run, or without one of each other.
export function judge(what_if) {
  const known = predictors.filter(([kind]) => what_if[kind]),
    times = known.map(([kind]) => what_if[kind].s);
  const errors = Object.fromEntries(
    predictors.map(([kind]) => [kind, what_if.real && what_if[kind] ? what_if[kind].s / what_if.real.s - 1 : null]),
  );
  let apart = null;
  if (what_if.real && known.length) apart = Math.max(...known.map(([kind]) => Math.abs(errors[kind])));
  else if (known.length > 1) apart = Math.max(...times) / Math.min(...times) - 1;
  return { names: known.map(([, name]) => name), errors, apart };
}

export function verdict_text(what_if, judged) {
  const names = list_of(judged.names),
    capital = names.charAt(0).toUpperCase() + names.slice(1);
  if (what_if.real) {
    if (!judged.names.length) return 'This was run for real; nothing predicted it.';
    const with_real = list_of([...judged.names, 'the real run']),
      all = with_real.charAt(0).toUpperCase() + with_real.slice(1);
    return what_if.agree ? `${all} agree within ${percent(judged.apart)}.` : `${all} do not agree: up to ${percent(judged.apart)} apart.`;
  }
  return judged.apart !== null
    ? `${capital} are ${judged.names.length > 2 ? 'up to ' : ''}${percent(judged.apart)} apart; no real run checked them.`
    : `By ${names} alone; no real run checked it.`;
}

export function answer(study, what_if) {
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
  const figure = typeof gain === 'number' ? factor_text(gain) : by ? seconds(what_if.headline.s) : 'No answer';
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
    el('p', {}, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. ${verdict_text(what_if, judged)}`),
  );
}

export function headline(studies) {
  return el(
    'div',
    { class: 'answers' },
    studies.map((study) => study.what_ifs.slice(0, 1).map((what_if) => answer(study, what_if))),
  );
}
