// The displays of models and predictions: curves, scenarios, the machine, dilation. Each expectation is worked out by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Curve, line_of, moved_to, slope_at, time_at } from '../src/view/displays/curves.ts';
import { rows_of } from '../src/view/displays/dilation.ts';
import { link_of, points_table } from '../src/view/displays/machine.ts';
import { mean_of, name_of, scenarios_in, usual } from '../src/view/displays/scenarios.ts';

// 5 ms and 10 crossings up to 100 us, from there on 40 of them; the machine has 50 us.
const bent: Curve = {
  pieces: [
    { from_s: 0, predicted_s: 5e-3, s_per_s: 10 },
    { from_s: 100e-6, predicted_s: 6e-3, s_per_s: 40 },
  ],
  to_s: 500e-6,
  now_s: 50e-6,
  cut: false,
  tolerance: [],
};
test('a curve over a parameter: straight between its breakpoints, nothing beyond its ends', () => {
  assert.equal(time_at(bent, 50e-6), 5.5e-3);
  assert.equal(time_at(bent, 200e-6), 6e-3 + 40 * 100e-6);
  assert.equal(time_at(bent, 501e-6), NaN);
  assert.deepEqual([slope_at(bent, 99e-6), slope_at(bent, 100e-6)], [10, 40]);
  assert.deepEqual(
    line_of(bent, 0, false).map(([at_s]) => at_s),
    [0, 100e-6, 500e-6],
  );
  const log = line_of(bent, 5e-6, true);
  assert.equal(log.length, 3 + 161);
  assert.ok(log.every(([at_s, s]) => Math.abs(s - time_at(bent, at_s)) < 1e-15));
});
test('a place on a curve is a what-if: factors of what was recorded, the rest as it stands', () => {
  assert.equal(moved_to('bandwidth=x10', 'latency', 25e-6, 50e-6), 'latency=x0.5,bandwidth=x10');
  assert.equal(moved_to('latency=5us,network=bus', 'latency', 100e-6, 50e-6), 'latency=x2,network=bus');
  assert.equal(moved_to('', 'seconds_per_byte', 2e-9, 8e-9), 'bandwidth=x4'); // a quarter of the time a byte
  assert.equal(moved_to('software=x3', 'overhead', 1e-6, 1e-6), '');
  assert.equal(moved_to('', 'latency', 0, 50e-6), 'latency=x0.01'); // as far as sliders go
});
test('scenarios: what was recorded comes first, and groups of ranks are their means', () => {
  const station = (rank: number, s: number) => ({
    rank,
    elapsed_s: s,
    compute_s: s / 2,
    library_s: s / 4,
    blocked_s: s / 4,
    blocked_service_s: s / 8,
    blocked_algorithmic_s: s / 8,
  });
  const told = {
    name: 'today',
    what_if: '',
    predicted_s: 3,
    predicted_low_s: null,
    predicted_high_s: null,
    gain: 1,
    gain_withheld: null,
    stations: [station(0, 2), station(1, 3)],
    assumptions: [],
    diagnostics: [],
  };
  const all = scenarios_in({
    recorded: [station(0, 4), station(1, 6)],
    scenarios: [told, { ...told, what_if: 'bandwidth=x10,latency=5us' }],
  });
  assert.deepEqual(
    all.map(({ name }) => name),
    ['recorded', 'replayed', 'bandwidth \u00d710, latency 5us'],
  );
  assert.equal(mean_of(all[0]?.stations ?? [], new Set([0, 1]))?.elapsed_s, 5);
  assert.equal(mean_of(all[1]?.stations ?? [], new Set([1]))?.blocked_service_s, 3 / 8);
  assert.equal(mean_of(all[1]?.stations ?? [], new Set([7])), null);
  assert.equal(name_of(usual.split(';').at(-1) ?? ''), 'ideal network');
});
test("a machine's link is the one asked for or the one that there is; what is saved has the fit beside the measured", () => {
  const segments = [{ from_bytes: 0, to_bytes: 1000, base_s: 1e-6, seconds_per_byte: 1e-9 }],
    intra = { between: 'intra', segments, points: [{ bytes: 100, median_s: 1.2e-6, low_s: 1.1e-6, high_s: 1.3e-6, samples: 5 }] };
  assert.equal(link_of({ links: [intra] }, 'inter'), intra);
  const { rows } = points_table({
    links: [intra],
    six_lines: { F: { base_s: 1e-6, seconds_per_byte: 2e-9, points: [{ bytes: 10, median_s: 1e-6 }] } },
  });
  assert.deepEqual(rows[0], ['ping-pong intra', 100, 1.2e-6, 1.1e-6, 1.3e-6, 1e-6 + 100e-9, 5]);
  assert.deepEqual(rows[1], ['F', 10, 1e-6, null, null, 1e-6 + 20e-9, null]);
});
test('dilation as a table: components and speed-up of each D', () => {
  const components = { user_s: 1, communication_s: 0.25, receive_wait_s: 0.5, send_s: 0.25 };
  const { columns, rows } = rows_of({
    shares: [
      { D: 2, normalised_s: 2, user_percent: 50, communication_percent: 12.5, receive_wait_percent: 25, send_percent: 12.5, components },
    ],
    speedup: [{ D: 2, value: 1.5, low: 1.4, high: 1.6 }],
  });
  assert.equal(columns.length, rows[0]?.length);
  assert.deepEqual(rows, [[2, 2, 1, 0.25, 0.5, 0.25, 1.5, 1.4, 1.6]]);
});
