// What the viewer writes: times, ranks, what-ifs, CSV, keys. Expectations are worked out by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { as_recorded, factor_of, position_of as place_of, spec_of, what_if_of } from '../src/view/displays/what_if.ts';
import { csv_text } from '../src/view/figure.ts';
import { fitting_speed, following, moved, position_of, speed_of } from '../src/view/replay.ts';
import { bindings, pressed } from '../src/view/shell/keys.ts';
import { error_of, query_text } from '../src/view/source/source.ts';
import { common_beginning, duration, exact, ranks_of, ranks_text, tick_text } from '../src/view/words.ts';

test('names of hosts that begin alike are told apart by their ends', () => {
  assert.equal(common_beginning(['wwlab-h0', 'wwlab-h1', 'wwlab-h0']), 7);
  assert.equal(common_beginning(['node', 'node12']), 4);
  assert.equal(common_beginning(['a', 'b']), 0);
  assert.equal(common_beginning(['alone', 'alone']), 0);
});

test('times have their unit, exact ones every nanosecond', () => {
  assert.deepEqual([0, 5, 999, 1500, 2.5e6, 3e9, -1500].map(duration), [
    '0 ns',
    '5 ns',
    '999 ns',
    '1.50 µs',
    '2.50 ms',
    '3.00 s',
    '\u22121.50 µs',
  ]);
  assert.deepEqual([0, 12, 1234, 12_345_678, 1_000_000_001].map(exact), [
    '0 ns',
    '12 ns',
    '1.234 µs',
    '12.345\u2009678 ms',
    '1.000\u2009000\u2009001 s',
  ]);
  assert.equal(tick_text(200_000, 50_000, 1_000_000), '0.20 ms');
  assert.equal(tick_text(64_100_000, 100_000, 64_500_000), '64.1 ms');
});
test('ranks as text and back', () => {
  assert.deepEqual(ranks_of('0-3, 7,2'), [0, 1, 2, 3, 7]);
  assert.equal(ranks_of(' '), null);
  assert.deepEqual(ranks_of('x,5'), [5]);
  assert.equal(ranks_text([0, 1, 2, 5, 7, 8]), '0-2,5,7-8');
});
test('a what-if as the sliders have it, and what no slider has stays in it', () => {
  assert.equal(spec_of(as_recorded()), '');
  const spec = 'latency=x0.5,bandwidth=x10,network=fat-tree:k=8,compute@rank:0-3=x2';
  assert.equal(spec_of(what_if_of(spec)), spec);
  assert.equal(what_if_of('latency=5us').others[0], 'latency=5us', 'no factor');
  for (const factor of [0.01, 0.5, 1, 10, 100]) assert.equal(factor_of(place_of(factor)), factor);
});
test('CSV as RFC 4180 has it', () => {
  assert.equal(
    csv_text({
      columns: ['a_s', 'b'],
      rows: [
        [1.5, 'x,"y"'],
        [null, 'z\n'],
      ],
    }),
    'a_s,b\r\n1.5,"x,""y"""\r\n,"z\n"\r\n',
  );
});
test('replay goes at its speed, both ways, and stops at the ends', () => {
  assert.deepEqual(moved(100, 1000, 50, [0, 1000]), { at_ns: 150, ended: false });
  assert.deepEqual(moved(100, -1e9, 50, [0, 1000]), { at_ns: 0, ended: true });
  assert.equal(fitting_speed(130e6), 5e6, '130 ms in about 20 s: 6.5 ms/s, rounded to 5');
  for (const speed of [1, 1000, 1e9]) assert.ok(Math.abs(speed_of(position_of(speed)) / speed - 1) < 1e-9);
  assert.deepEqual(following([0, 100], 50, [0, 1000]), [0, 100]);
  assert.deepEqual(following([0, 100], 110, [0, 1000]), [100, 200]);
  assert.deepEqual(following([0, 100], 995, [0, 1000]), [900, 1000]);
});
test('each key does one thing', () => {
  const keys = bindings.flatMap((binding) => binding.keys);
  assert.equal(new Set(keys).size, keys.length);
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  assert.equal(pressed({ ...none, key: '?', shiftKey: true }), '?');
  assert.equal(pressed({ ...none, key: 'Z', ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+Z');
  assert.equal(pressed({ ...none, key: 'ArrowLeft', altKey: true }), 'Alt+ArrowLeft');
});
test('what is asked leaves out what is not set; errors say what to do', () => {
  assert.equal(query_text({ a: 1, b: '', c: null, d: 'x&y' }), '?a=1&d=x%26y');
  assert.equal(query_text({}), '');
  const error = error_of(404, '{"error":"no such trace","remedy":"see data/traces"}');
  assert.deepEqual([error.status, error.message, error.remedy], [404, 'no such trace', 'see data/traces']);
  assert.match(error_of(502, '<html>').message, /502/);
});
