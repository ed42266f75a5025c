// What is computed from a model before it is drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { size_points } from '../src/charts/plot.ts';
import { alpha_beta_cells } from '../src/machine/alpha_beta.ts';
import { compared_sizes } from '../src/machine/compare.ts';
import { row_points } from '../src/machine/experiments.ts';
import { joined_matrix } from '../src/machine/heat.ts';
import { simulated_collective, size_ticks, term_sizes } from '../src/machine/lines.ts';
import { not_measured } from '../src/machine/machine.ts';
import { fitted_s, segment_lines } from '../src/machine/pingpong.ts';

// 1 us + 1 ns a byte up to 1000 bytes, then 5 us + 2 ns a byte.
const segments = [
  { from_bytes: 0, to_bytes: 1000, base_s: 1e-6, seconds_per_byte: 1e-9 },
  { from_bytes: 1000, base_s: 5e-6, seconds_per_byte: 2e-9 },
];
const near = (a: number | undefined, b: number) => assert.ok(Math.abs((a ?? NaN) - b) < 1e-9 * Math.abs(b), `${a}, not ${b}`);

test('the time of a size is that of its segment, its end included, and the last one goes on', () => {
  near(fitted_s(segments, 1000), 2e-6);
  near(fitted_s(segments, 1001), 7.002e-6);
  near(fitted_s(segments, 1e9), 2.000005);
  assert.ok(Number.isNaN(fitted_s([], 1)));
});
test('segments are lines from end to end of what is shown', () => {
  const [first, last] = segment_lines(segments, 10, 1e5).map(({ list }) => list);
  assert.ok(first && last);
  assert.deepEqual([first[0]?.[0], last.length], [10, 61]);
  near(first.at(-1)?.[0], 1000);
  near(last.at(-1)?.[0], 1e5);
  near(last[0]?.[1], 7e-6);
});
test('two links are compared up to where both are known', () => {
  const link = (to_bytes: number) => ({ between: 'inter', segments: [{ from_bytes: 0, to_bytes, base_s: 0, seconds_per_byte: 0 }] });
  assert.deepEqual(
    compared_sizes([link(4), link(100)]).map((bytes) => Math.round(bytes * 100) / 100),
    [1, 1.19, 1.41, 1.68, 2, 2.38, 2.83, 3.36, 4],
  );
});
test('alpha and beta: what is not known is a dash, what a source prints keeps its digits', () => {
  const row = { between: 'inter', t_s: 2.82577289e-6, t_c_s_per_byte: 2.904314e-8, alpha_cycles: 7629.586803, alpha_operations: null };
  assert.deepEqual(alpha_beta_cells(row, false), ['between hosts', '2.826', '29.04', '7630', '–', '–', '–', '–']);
  assert.deepEqual(alpha_beta_cells(row, true).slice(0, 4), ['between hosts, as printed', '2.82577289', '29.04314', '7629.586803']);
});
test('rows are points in the order of their places; those without a number are left out', () => {
  const rows = [
    { n: 2, s: 20, ci: [19, 21] },
    { n: 1, s: 10, ci: [null, null] },
    { n: 3, s: null, ci: [] },
    { s: 5, ci: [] },
  ];
  const points = row_points<(typeof rows)[number]>(
    rows,
    { at: (row) => row.n, value: (row) => row.s, interval: (row) => row.ci, title: (row, name) => `${name} ${row.n}`, text: String },
    'of',
  );
  assert.deepEqual(points, [
    { x: 1, y: 10, low: null, high: null, title: 'of 1', rows: [['measured', '10']] },
    {
      x: 2,
      y: 20,
      low: 19,
      high: 21,
      title: 'of 2',
      rows: [
        ['measured', '20'],
        ['95%', '19 \u2013 21'],
      ],
    },
  ]);
});
test('a term without a line of its own bends where its segments meet', () => {
  assert.deepEqual(term_sizes({ segments }, 5000), [0, 1000, 5000]);
  assert.deepEqual(term_sizes({ line: { base_s: 0, seconds_per_byte: 0 }, segments }, 5000), [0, 5000]);
});
test('sizes are decimal below 4 KiB and powers of two above', () => {
  assert.deepEqual(
    size_ticks(2000).map(([bytes]) => bytes),
    [0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000],
  );
  assert.deepEqual(size_ticks(65536).slice(0, 3), [
    [0, '0'],
    [8192, '8 Ki'],
    [16384, '16 Ki'],
  ]);
});
test('a collective is known by its name with or without MPI_', () => {
  const row = (experiment: string, simulated_s = 1, bytes: number | null = 8) => ({ experiment, bytes, measured_s: 1, simulated_s });
  const rows = [row('MPI_Bcast'), row('bcast'), row('bcast', 0), row('bcast', 1, null), row('reduce')];
  assert.deepEqual(simulated_collective(rows, 'bcast'), rows.slice(0, 2));
});
test('a rank and itself are no pair', () => {
  const { cells, name } = joined_matrix({ ranks: [5, 7] }, [
    [9, 2],
    [3, 9],
  ]);
  assert.deepEqual(cells, [
    { row: 0, column: 1, value: 2 },
    { row: 1, column: 0, value: 3 },
  ]);
  assert.deepEqual([name(0), name(1)], ['5', '7']);
});
test('of more than 64 ranks each cell is the median of its pairs', () => {
  const table = Array.from({ length: 66 }, (_, r) => Array.from({ length: 66 }, (_, c) => (r === c ? 0 : r * 100 + c)));
  const { ranks, group, cells, hosts } = joined_matrix({ ranks: 66, hosts: table.map((_, i) => `h${i}`) }, table);
  assert.deepEqual([ranks, group, hosts.length, hosts[1]], [33, 2, 33, 'h2']);
  // rows 0 and 1, columns 2 and 3: 2, 3, 102, 103; of rows and columns 0 and 1 only 1 and 100 are pairs
  assert.equal(cells.find((cell) => cell.row === 0 && cell.column === 1)?.value, 52.5);
  assert.equal(cells.find((cell) => cell.row === 0 && cell.column === 0)?.value, 50.5);
});
test('what a model does not hold is named, empty or absent', () => {
  const bare = not_measured({ links: [{ between: 'inter', segments, points: [] }], observations: { timer: [] } });
  assert.equal(bare.length, 15);
  assert.ok(bare.includes('ping-pong between hosts (points)') && bare.includes('timer (observations.timer)'));
  const link = { between: 'inter', segments, points: [{ bytes: 1, median_s: 1e-6 }] };
  assert.ok(!not_measured({ links: [link] }).some((text) => text.startsWith('ping-pong')));
});
test('points over sizes are in their order; an empty message stands at 1 byte, and a size may be unknown', () => {
  const rows = [{ bytes: 8, s: 2, low_s: 1, high_s: 3 }, { bytes: 0, s: 1 }, { s: 3 }];
  const points = size_points<{ bytes?: number; s: number; low_s?: number; high_s?: number }>(
    rows,
    'a link',
    (row) => row.s,
    () => [],
  );
  assert.deepEqual(points.map(({ x, y, low, title }) => [x, y, low, title]).slice(-1), [[8, 2, 1, 'a link, 8 bytes']]);
  assert.deepEqual(points.find((point) => point.y === 1)?.x, 1);
  assert.ok(Number.isNaN(points.find((point) => point.y === 3)?.x));
});
