// What is drawn of the components over D. Times are S3's (NISTIR 4331, 3.4.2): receive wait 10.0, 3.85 and 0.8 s of its second example,
// whose shares at D = 1 make the program 13.6 s, user time 2.71 s, interrupts 0.69 s and sends 0.20 s (docs/dilation.md).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DilationShares } from '../src/data/types.ts';
import { component_series } from '../src/program/components.ts';

const row = (D: number, normalised_s: number, receive_wait_s: number): DilationShares => ({
  D,
  normalised_s,
  user_percent: 0,
  communication_percent: 0,
  receive_wait_percent: 0,
  send_percent: 0,
  components: { user_s: 2.71, communication_s: 0.69, receive_wait_s, send_s: 0.2 },
});
const shares = [row(4, 4.4, 0.8), row(1, 13.6, 10), row(2, 7.45, 3.85)];
const points = (name: string, dilation: Parameters<typeof component_series>[0]) =>
  component_series(dilation).find((series) => series.name === name)?.points ?? [];

test('the program and the four components, each by rising D', () => {
  const series = component_series({ shares });
  assert.deepEqual(
    series.map((one) => one.name),
    ['program', 'user time', 'comm. interrupts', 'receive wait', 'async. send'],
  );
  assert.deepEqual(
    points('receive wait', { shares }).map(({ x, y }) => [x, y]),
    [
      [1, 10],
      [2, 3.85],
      [4, 0.8],
    ],
  );
  assert.deepEqual(
    series[0]?.points?.map(({ y }) => y),
    [13.6, 7.45, 4.4],
  );
});
test('of the program a component has its share, the program itself none', () => {
  assert.deepEqual(points('receive wait', { shares })[0]?.rows, [
    ['divided by D', '10.00 s'],
    ['of the program', '73.5%'],
  ]);
  assert.deepEqual(points('program', { shares })[0]?.rows, [['divided by D', '13.60 s']]);
});
test('rounds span a line, those of the other way to make progress do not count', () => {
  const run = (D: number, receive_wait_s: number, progress: string) => ({
    D,
    elapsed_s: 0,
    normalised_s: 0,
    progress,
    components: { user_s: 0, communication_s: 0, receive_wait_s, send_s: 0 },
  });
  const runs = [run(1, 9.9, 'calls'), run(2, 3.8, 'calls'), run(2, 1, 'probes'), run(1, 10.1, 'calls')];
  const [first, second] = points('receive wait', { shares, runs });
  assert.deepEqual([first?.low, first?.high, first?.rows.at(-1)], [9.9, 10.1, ['rounds', '9.90 \u2013 10.1 s']]);
  assert.deepEqual([second?.low, second?.high], [undefined, undefined]);
});
test('one D is no curve, and reports that do not tell the components have none', () => {
  assert.deepEqual(component_series({ shares: [row(1, 13.6, 10)] }), []);
  assert.deepEqual(component_series({ shares: shares.map(({ components, ...rest }) => rest) }), []);
  assert.deepEqual(component_series({}), []);
});
