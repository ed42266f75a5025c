// Times, ranks and diagnostics as the viewer says them.
import { digits } from '../base/format.ts';
import type { Diagnostic, Part } from './source/answers.ts';

const units: readonly (readonly [ns: number, name: string])[] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
];
const nanosecond = [1, 'ns'] as const;
const unit_of = (size_ns: number) => units.find(([ns]) => Math.abs(size_ns) >= ns * 0.9995) ?? nanosecond;
const minus = (text: string) => text.replace('-', '\u2212');

// A duration to three digits: "12.3 µs".
export function duration(ns: number) {
  const [size, unit] = unit_of(ns);
  return minus(size === 1 ? String(+ns.toFixed(Math.abs(ns) < 10 ? 2 : 0)) : digits(ns / size)) + ' ' + unit;
}
// Exact to the nanosecond, grouped: "12.345 678 ms".
export function exact(ns: number) {
  const [size, unit] = unit_of(ns),
    [whole = '0', rest = ''] = (ns / size).toFixed(Math.round(Math.log10(size))).split('.');
  const groups = rest.match(/.{3}/g)?.join('\u2009');
  return `${minus(whole)}${groups ? '.' + groups : ''} ${unit}`;
}
// A point of time on an axis whose ticks are step_ns apart: as many decimals as tell them apart, all in one unit.
export function tick_text(ns: number, step_ns: number, largest_ns: number) {
  const [size, unit] = unit_of(Math.max(Math.abs(largest_ns), step_ns)),
    decimals = Math.max(0, Math.ceil(Math.log10(size / step_ns) - 1e-9));
  return `${minus((ns / size).toFixed(Math.min(decimals, 12)))} ${unit}`;
}

// "0-3,7" and the ranks it names (null: all), in order. What cannot be read is left out.
export function ranks_of(text: string): number[] | null {
  if (text.trim() === '') return null;
  const ranks = text.split(',').flatMap((part) => {
    const found = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part);
    if (!found) return [];
    const from = Number(found[1]),
      to = Math.min(Number(found[2] ?? from), from + 1_000_000);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  });
  return [...new Set(ranks)].sort((a, b) => a - b);
}
export function ranks_text(ranks: number[]) {
  const parts: string[] = [];
  for (let i = 0; i < ranks.length; ) {
    let end = i;
    while (end + 1 < ranks.length && ranks[end + 1] === (ranks[end] ?? 0) + 1) ++end;
    parts.push(end > i ? `${ranks[i]}-${ranks[end]}` : String(ranks[i]));
    i = end + 1;
  }
  return parts.join(',');
}

// How many letters of several different texts are the same from the first on; 0 of one.
export function common_beginning(texts: readonly string[]) {
  const [first = '', ...others] = new Set(texts);
  if (others.length === 0) return 0;
  let count = first.length;
  for (const text of others) {
    count = Math.min(count, text.length);
    for (let i = 0; i < count; ++i) if (text[i] !== first[i]) count = i;
  }
  return count;
}

export const part_title: Record<Part, string> = {
  compute: 'compute',
  library: 'library',
  algorithmic: 'blocked, algorithmic',
  service: 'blocked, service',
  outside: 'outside',
};
export const diagnostic_text = ({ name, count, remedy }: Diagnostic) =>
  `${count > 1 ? `${count} \u00d7 ` : ''}${name.replaceAll('-', ' ')}${remedy ? ': ' + remedy : ''}`;
