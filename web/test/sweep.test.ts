// Axes, lines and values of a sweep.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell_rows, sweep_axis, wide_levels } from '../src/sweep/sweep.ts';

test('what spreads over more than three times is logarithmic, names never', () => {
  const kind = (numbers: number[], kind = 'factor') => sweep_axis({ part: 'latency', kind, values: numbers.map(String), numbers }).kind;
  assert.deepEqual([kind([1, 2, 3]), kind([1, 10]), kind([0, 10]), kind([1, 2, 3, 4], 'name')], ['linear', 'log', 'linear', 'linear']);
});
test('labels are as the values are: times, factors, names', () => {
  const label = (kind: string) => sweep_axis({ part: 'x', kind, values: ['a', 'b'], numbers: [0, 1] }).label(1);
  assert.deepEqual(['seconds', 'factor', 'name'].map(label), ['1.0 s', '×1', 'b']);
});
test('about ten levels lie between times that are far apart', () => {
  const rounded = (least: number, most: number) => wide_levels(least, most).map((level) => +level.toPrecision(3));
  assert.deepEqual(rounded(1, 10), [1.5, 2, 3, 5, 7]);
  assert.deepEqual(rounded(1, 1000), [2, 5, 10, 20, 50, 100, 200, 500]);
  assert.deepEqual(
    rounded(0.5, 2e10),
    Array.from({ length: 11 }, (_, i) => 10 ** i),
  );
});
test('a cell says what it knows', () => {
  assert.deepEqual(
    cell_rows({ at: [0], what_if: 'x', predicted_s: 0.5, predicted_low_s: 0.4, predicted_high_s: 0.6, gain: 2, blocked_s: 0.1 }),
    [
      ['predicted', '500.0 ms'],
      ['95%', '400 ms \u2013 600 ms'],
      ['speed-up', '×2.00'],
      ['blocked, mean', '100 ms'],
    ],
  );
});
