// Expected texts are worked out by hand from the rules in format.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  axis_time,
  bytes_text,
  count_text,
  digits,
  launch_text,
  percent,
  seconds,
  seconds_range,
  signed_percent,
} from '../src/base/format.ts';

test('three digits, whatever the size', () => {
  assert.deepEqual(
    [0, 1.2345, 123.45, 0.012345].map((value) => digits(value)),
    ['0', '1.23', '123', '0.0123'],
  );
  assert.equal(digits(2.5e7), '2.50e+7');
});
test('times change their unit where they would round to 1000 of the smaller', () => {
  assert.deepEqual(
    [0, 1, 0.9994, 1e-3, 2.5e-6, 3e-9].map((s) => seconds(s)),
    ['0 s', '1.00 s', '999 ms', '1.00 ms', '2.50 µs', '3.00 ns'],
  );
});
test('a range says its unit once, and both where they differ', () => {
  assert.equal(seconds_range(0.0859, 0.0912), '85.9 – 91.2 ms');
  assert.equal(seconds_range(0.5, 1.5), '500 ms – 1.50 s');
});
test('sizes in powers of 1024, counts in groups, shares without a negative zero', () => {
  assert.deepEqual([1000, 1024, 4608, 1536 * 1024].map(bytes_text), ['1000 B', '1.00 KiB', '4.50 KiB', '1.50 MiB']);
  assert.equal(count_text(1234567), '1\u2009234\u2009567');
  assert.deepEqual([percent(-0.0001), percent(0.125), signed_percent(-0.05)], ['0.0%', '12.5%', '\u22125.0%']);
});
test('times on an axis have the unit and the digits of its steps', () => {
  assert.deepEqual([axis_time(1.5, 0.5), axis_time(0.002, 0.001), axis_time(2e-6, 1e-6)], ['1.5 s', '2 ms', '2 µs']);
});
test('launch lines can be copied', () => {
  assert.equal(launch_text(['mpirun', '-n', '2', './a b']), 'mpirun -n 2 "./a b"');
});
