// Axes: what they hold, and where their labels stand. Expected values follow from the rules in chart.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Axis, axis_ticks, fit_axis, linear } from '../src/charts/chart.ts';

const straight: Axis = { kind: 'linear', label: String },
  powers: Axis = { kind: 'log', label: String };
const ends = (axis: Axis, values: (number | null)[]) => {
  const fitted = fit_axis(axis, values);
  return fitted && [fitted.low, fitted.high];
};
const labels = (axis: Axis, values: number[], about = 5) => {
  const fitted = fit_axis(axis, values);
  assert.ok(fitted);
  return axis_ticks(fitted, about).map(([value]) => value);
};

test('a linear axis has 6% of room, but none beyond a zero that it must show', () => {
  assert.deepEqual(ends(straight, [100, 200]), [94, 206]);
  assert.deepEqual(ends({ ...straight, include: [0] }, [100]), [0, 106]);
  assert.deepEqual(ends({ ...straight, include: [0] }, [-100]), [-106, 0]);
});
test('one value stands in the middle, also a zero', () => {
  assert.deepEqual(ends(straight, [4]), [2 - 0.24, 6 + 0.24]);
  assert.deepEqual(ends(straight, [0]), [-0.56, 0.56]);
});
test('a logarithmic axis goes on by a factor, and leaves out what is not above zero', () => {
  assert.deepEqual(ends({ ...powers, room: 2 }, [1, 8, 0, -5]), [0.5, 16]);
  assert.equal(ends(powers, [0, -1]), null);
});
test('numbers that are none are no values', () => {
  assert.deepEqual(ends({ ...powers, room: 1 }, [NaN, null, Infinity, 1, 10]), [1, 10]);
  assert.equal(ends(straight, [NaN, null]), null);
});
test('ends that are given are not fitted', () => {
  assert.deepEqual(ends({ ...straight, low: 1, high: 2 }, [0, 100]), [1, 2]);
});
test('labels of a logarithmic axis are powers, at most nine', () => {
  assert.deepEqual(labels({ ...powers, room: 1 }, [1, 1000]), [1, 10, 100, 1000]);
  assert.deepEqual(labels({ ...powers, room: 1, base: 4 }, [1, 4 ** 12]), [1, 16, 256, 4096, 65536, 4 ** 10, 4 ** 12]);
  assert.ok(labels({ ...powers, room: 1 }, [1e-300, 1e300]).length <= 9);
});
test('an axis of less than two powers has round labels', () => {
  assert.deepEqual(labels({ ...powers, room: 1 }, [2, 8]), [2, 3, 4, 5, 6, 7, 8]);
});
test('labels that are given stand where the axis reaches', () => {
  assert.deepEqual(labels({ ...straight, low: 0, high: 3, ticks: [0, 3, 4].map((value) => [value, String(value)]) }, []), [0, 3]);
});
test('a scale goes both ways', () => {
  const x = linear(0, 10, 50, 250);
  assert.deepEqual([x(0), x(5), x(10), x.invert(150)], [50, 150, 250, 5]);
});
