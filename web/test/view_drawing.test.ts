// The shared pieces of the viewer's displays. Expectations are worked out by hand; those of routes follow e-cube routing (lowest
// dimension first) and the dimension order of meshes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes_ticks, count_ticks, round_bytes } from '../src/view/drawing/axis.ts';
import { blocks_of, groups_of, ranks_of, ranks_text, spread_of } from '../src/view/drawing/ranks.ts';
import { bin_at, rows_of_ranks, summary } from '../src/view/drawing/series.ts';
import { projected } from '../src/view/drawing/surface3d.ts';
import { type Column, saved_table, sorted_rows } from '../src/view/drawing/tables.ts';
import { stack } from '../src/view/drawing/time_chart.ts';
import {
  dims_of,
  link_loads,
  links_of,
  near_square,
  places_of,
  route,
  type TopologyKind,
  topology_of,
} from '../src/view/drawing/topology.ts';

const of = (kind: TopologyKind, nodes: number, dims: number[] | null = null) => topology_of(kind, nodes, dims && { dims });

test('lists of ranks are read and written as the selection has them', () => {
  assert.equal(ranks_text([7, 0, 1, 2, 3, 3, 9, 10]), '0-3,7,9-10');
  assert.deepEqual(ranks_of('0-3,7', 6), [0, 1, 2, 3]);
  assert.deepEqual(ranks_of(' 5 , 2-3', 8), [2, 3, 5]);
  assert.equal(ranks_of('a', 8), null);
  assert.equal(ranks_of('', 8), null);
});
test('groups: by number, by host, by lists, and none of these', () => {
  const hosts = ['a', 'b', 'a', 'b', 'a'],
    all = [0, 1, 2, 3, 4];
  const of_text = (text: string) => groups_of(text, hosts, all, 100)?.map(({ ranks }) => ranks);
  assert.deepEqual(of_text('2'), [[0, 1], [2, 3], [4]]);
  assert.deepEqual(of_text('host'), [
    [0, 2, 4],
    [1, 3],
  ]);
  assert.deepEqual(of_text('3-4;0,3'), [[3, 4], [0], [1, 2]]); // a rank is in the first that names it, the rest together
  assert.equal(of_text('0'), undefined);
  assert.equal(of_text('x'), undefined);
  assert.deepEqual(
    groups_of('', hosts, all, 2)?.map(({ label }) => label),
    ['0-2', '3-4'],
  );
  assert.deepEqual(
    blocks_of([4, 6, 8], 2).map(({ label }) => label),
    ['4,6', '8'],
  );
});
test('least, mean and most leave out what is no number', () => {
  assert.deepEqual(spread_of([3, Number.NaN, 1, 2]), { least: 1, mean: 2, most: 3, sum: 6, count: 3 });
  assert.equal(spread_of([Number.NaN]), null);
});

test('a hypercube by e-cube, the lowest dimension first', () => {
  assert.deepEqual(route(of('hypercube', 8), 1, 6), [1, 0, 2, 6]);
  assert.deepEqual(route(of('hypercube', 8), 5, 5), [5]);
  assert.equal(links_of(of('hypercube', 16)).length, 32); // n/2 log2 n
});
test('rings and tori go the shorter way, meshes straight, trees by the common ancestor', () => {
  assert.deepEqual(route(of('ring', 6), 1, 5), [1, 0, 5]);
  assert.deepEqual(route(of('ring', 6), 0, 3), [0, 1, 2, 3]); // as long both ways: upwards
  const mesh = of('mesh', 12, [4, 3]);
  assert.deepEqual(route(mesh, 0, 7), [0, 1, 2, 3, 7]);
  assert.deepEqual(route(of('torus', 12, [4, 3]), 0, 7), [0, 3, 7]);
  assert.deepEqual(route(of('tree', 7), 3, 6), [3, 1, 0, 2, 6]);
  assert.deepEqual(route(of('tree', 7), 1, 4), [1, 4]);
  assert.deepEqual(route(of('full', 7), 3, 6), [3, 6]);
  assert.equal(links_of(mesh).length, 17); // 3 rows of 3 and 4 columns of 2
  assert.equal(links_of(of('torus', 12, [4, 3])).length, 24);
  assert.equal(links_of(of('tree', 7)).length, 6);
});
test('the network of a run: its dimensions, else a hypercube for 2^n ranks, else a ring', () => {
  assert.equal(of('' as TopologyKind, 12, [4, 3]).kind, 'torus');
  assert.equal(of('' as TopologyKind, 8).kind, 'hypercube');
  assert.equal(of('' as TopologyKind, 8, [3, 2]).kind, 'hypercube'); // dimensions of a part of the ranks
  assert.equal(of('' as TopologyKind, 6).kind, 'ring');
  assert.equal(of('hypercube', 6).kind, 'ring');
  assert.deepEqual(near_square(12), [4, 3]);
  assert.deepEqual(near_square(7), [7, 1]);
});
test('every hop of a route takes what the pair sends, each way apart', () => {
  const loads = link_loads(of('hypercube', 4), [
    [0, 3, 10], // 0 1 3
    [3, 0, 5], // 3 2 0
    [1, 0, 1],
    [2, 2, 99], // to itself: no link
  ]);
  const at = (low: number, high: number) => loads.find((load) => load.low === low && load.high === high);
  assert.deepEqual([at(0, 1)?.forward, at(0, 1)?.backward], [10, 1]);
  assert.deepEqual([at(1, 3)?.forward, at(1, 3)?.backward], [10, 0]);
  assert.deepEqual([at(2, 3)?.forward, at(2, 3)?.backward], [0, 5]);
  assert.deepEqual([at(0, 2)?.forward, at(0, 2)?.backward], [0, 5]);
  assert.equal(loads.length, 4);
});
test('nodes of a picture stand apart, within the unit square', () => {
  for (const topology of [of('hypercube', 64), of('ring', 9), of('mesh', 24, [4, 3, 2]), of('tree', 15), of('ring', 1)]) {
    const places = places_of(topology);
    assert.equal(new Set(places.map(([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`)).size, topology.nodes, topology.kind);
    assert.ok(places.flat().every((at) => at >= 0 && at <= 1));
  }
});

const series = { rows: 2, bins: 3, from_ns: 100, bin_ns: 10, value: Float32Array.from([1, 2, Number.NaN, 3, 0, Number.NaN]) };
test('over the rows of a series in each bin', () => {
  const { sum, mean, least, most } = summary(series, [0, 1]);
  assert.deepEqual([...sum], [4, 2, Number.NaN]);
  assert.deepEqual([...mean], [2, 1, Number.NaN]);
  assert.deepEqual([...least], [1, 0, Number.NaN]);
  assert.deepEqual([...most], [3, 2, Number.NaN]);
});
test('the bin of an instant, its end included', () => {
  assert.deepEqual(
    [null, 99, 100, 119.9, 130, 131].map((at) => bin_at(series, at)),
    [null, null, 0, 1, 2, null],
  );
});
test('rows of a series are all ranks, or the selected ones in their order', () => {
  assert.deepEqual([...rows_of_ranks(series, 2, [1])], [[1, 1]]);
  assert.deepEqual(
    [...rows_of_ranks(series, 8, [3, 5])],
    [
      [3, 0],
      [5, 1],
    ],
  );
});
test('what is stacked begins where the one below ends', () => {
  const [first, second] = stack([{ values: [1, 0] }, { values: [2, 3] }], 2);
  assert.deepEqual(
    [first?.low, first?.high].map((one) => [...(one ?? [])]),
    [
      [0, 0],
      [1, 0],
    ],
  );
  assert.deepEqual(
    [second?.low, second?.high].map((one) => [...(one ?? [])]),
    [
      [1, 0],
      [3, 3],
    ],
  );
});

test('seen from above the surface is its ground; from the side height is upwards', () => {
  const close = (a: readonly number[], b: number[]) =>
    assert.ok(Math.max(...a.map((one, i) => Math.abs(one - (b[i] ?? 0)))) < 1e-12, `${a} for ${b}`);
  close(projected([0.5, 0.25, 0.4], { turn: 0, tilt: Math.PI / 2 }), [0.5, -0.25, 0.4]);
  close(projected([0.5, 0.25, 0.4], { turn: 0, tilt: 0 }), [0.5, -0.4, -0.25]); // what is behind is less near
  close(projected([0.5, 0, 0], { turn: Math.PI / 2, tilt: Math.PI / 2 }), [0, -0.5, 0]);
});

test('rows by numbers, the largest first, then by texts; what has none last', () => {
  const rows = [{ a: 2 }, { a: null }, { a: 10 }],
    column: Column<(typeof rows)[number]> = { title: 'a', name: 'a_s', value: ({ a }) => a };
  assert.deepEqual(
    sorted_rows(rows, column, false).map(({ a }) => a),
    [10, 2, null],
  );
  assert.deepEqual(
    sorted_rows(rows, column, true).map(({ a }) => a),
    [2, 10, null],
  );
  const named: Column<string> = { title: 'n', name: 'n', value: (text) => text };
  assert.deepEqual(sorted_rows(['rank 10', 'rank 9'], named, false), ['rank 9', 'rank 10']);
  assert.deepEqual(saved_table([column], rows), { columns: ['a_s'], rows: [[2], [null], [10]] });
});
test('counts stand at whole numbers, bytes at powers of two', () => {
  assert.deepEqual(
    count_ticks(0, 2, 10).map(([value]) => value),
    [0, 1, 2],
  );
  assert.deepEqual(
    bytes_ticks(0, 10_000, 4).map(([, label]) => label),
    ['0', '4 KiB', '8 KiB'],
  );
  assert.deepEqual([round_bytes(4096), round_bytes(4095), round_bytes(3 << 20)], ['4 KiB', '4.00 KiB', '3 MiB']);
});
test('sizes that the user gives go before those of the run, and only where they fit', () => {
  const run = { dims: [2, 4], periodic: [false, false] };
  assert.deepEqual(topology_of('', 8, run), { kind: 'mesh', nodes: 8, dims: [2, 4] }, 'a grid that is open on all sides');
  assert.equal(topology_of('', 8, { dims: [2, 4], periodic: [false, true] }).kind, 'torus');
  assert.deepEqual(topology_of('', 8, run, dims_of('2x2x2', 8)), { kind: 'torus', nodes: 8, dims: [2, 2, 2] });
  assert.deepEqual(topology_of('mesh', 8, null, dims_of(' 8 x 1 ', 8)).dims, [8, 1]);
  for (const text of ['', '3x3', '4x', 'a', '-2x-4', '2.5x3.2', '0x8']) assert.equal(dims_of(text, 8), null, text);
  assert.equal(topology_of('', 8, { dims: [3, 3] }).kind, 'hypercube', 'of another number of ranks');
});
