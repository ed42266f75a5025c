// Round ticks of quantities: bytes at powers of two and round numbers of them, times in one unit, counts at whole numbers.
import { tickStep, ticks } from 'd3-array';
import { axis_time, bytes_text, count_text, digits } from '../../base/format.ts';
import type { Tick } from '../../charts/chart.ts';

export type Ticks = (low: number, high: number, about: number) => Tick[];

// "4 KiB" where it is that exactly, else as bytes_text has it.
export function round_bytes(bytes: number): string {
  for (const [unit, name] of [
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
  ] as const)
    if (bytes >= unit && bytes % unit === 0) return `${bytes / unit} ${name}`;
  return bytes_text(bytes);
}
// Steps are 1, 2 or 5 times a power of ten below 1 KiB, and powers of two from there on.
export const bytes_ticks: Ticks = (low, high, about) => {
  const step = (high - low) / Math.max(1, about);
  if (high < 1024) return ticks(low, high, about).map((bytes) => [bytes, digits(bytes) + ' B']);
  const round = 2 ** Math.max(0, Math.ceil(Math.log2(step)));
  const list: Tick[] = [];
  for (let bytes = Math.ceil(low / round) * round; bytes <= high; bytes += round) list.push([bytes, bytes === 0 ? '0' : tick_bytes(bytes)]);
  return list;
};
function tick_bytes(bytes: number) {
  const unit = bytes >= 1024 ** 3 ? 1024 ** 3 : bytes >= 1024 ** 2 ? 1024 ** 2 : bytes >= 1024 ? 1024 : 1;
  return `${+(bytes / unit).toFixed(2)} ${{ 1: 'B', 1024: 'KiB', [1024 ** 2]: 'MiB', [1024 ** 3]: 'GiB' }[unit]}`;
}
export const seconds_ticks: Ticks = (low, high, about) => {
  const step_s = tickStep(low, high, about);
  return ticks(low, high, about).map((s) => [s, axis_time(s, step_s)]);
};
export const count_ticks: Ticks = (low, high, about) => {
  const all = ticks(low, high, about),
    whole = all.filter(Number.isInteger),
    list = whole.length > 1 ? whole : all;
  return list.map((value) => [value, Number.isInteger(value) ? count_text(value) : digits(value)]);
};
