// The timeline's arithmetic: which tiles cover a window, what their pixels are. Expectations are worked out by hand from
// docs/design/viewing.md, "Tiles".
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode_calls, decode_series, decode_tile, decode_tiles, type Tile } from '../src/view/source/decode.ts';
import {
  coarser,
  cover,
  group_for,
  heading,
  held,
  level_for,
  places,
  row_count,
  time_ticks,
  zoomed,
} from '../src/view/timeline/geometry.ts';
import { Channels, Columns, inks_of, paint_mixed, paint_stacked, plan_of, shares_in, widen } from '../src/view/timeline/mix.ts';

test('a pixel never shows less than a bin, and bins are as wide as can be', () => {
  for (const ns_per_pixel of [0.01, 1, 1.9, 2, 1000, 4096, 123456.7]) {
    const level = level_for(ns_per_pixel, 40);
    assert.ok(level === 0 || 2 ** level <= ns_per_pixel);
    assert.ok(2 ** (level + 1) > ns_per_pixel);
  }
  assert.equal(level_for(1e9, 12), 12, 'there is nothing above the top');
});
test('rows are at least as high as asked and no group is larger than needed', () => {
  assert.equal(group_for(10, 64, 2.5), 0);
  assert.equal(group_for(1, 64, 2.5), 1);
  assert.equal(group_for(0.04, 16384, 2.5), 3);
  assert.equal(group_for(0.0001, 3, 2.5), 1, 'one row of all is enough');
  assert.equal(row_count(16384, 3), 256);
  assert.equal(row_count(17, 2), 2);
});
test('the cover of a window has each instant and rank of it, and not a tile more', () => {
  // Level 3: bins of 8 ns, tiles of 2048 ns from -1000 on; blocks of 64 rows of 4 ranks.
  const found = cover([-1000, 100_000], [1048, 5144], [250, 260], 1000, 3, 1);
  assert.deepEqual(found.tiles, [1, 3], '1048 = -1000 + 2048, 5144 = -1000 + 3 * 2048');
  assert.deepEqual(found.blocks, [0, 2], 'ranks 250 to 259 lie on both sides of 256');
  assert.equal(places(found).length, 4);
  assert.deepEqual(cover([0, 1000], [-5000, 5000], [0, 1], 1, 0, 0).tiles, [0, 4], 'nothing beyond the span: 1000 / 256 is 4 tiles');
  assert.deepEqual(
    cover([0, 0], [0, 1], [0, 1], 1, 0, 0),
    { level: 0, group: 0, tiles: [0, 1], blocks: [0, 1] },
    'an empty trace has one tile',
  );
  assert.deepEqual(coarser({ level: 3, tile: 5, group: 1, block: 2 }), { level: 4, tile: 2, group: 1, block: 2 });
});
test('zooming keeps the instant under the pointer; windows stay in the span', () => {
  const [from, to] = zoomed([0, 1000], 250, 0.5, [0, 1000], 20);
  assert.deepEqual([from, to], [125, 625]);
  assert.equal((250 - from) / (to - from), 0.25);
  assert.deepEqual(zoomed([100, 200], 150, 100, [0, 1000], 20), [0, 1000]);
  assert.deepEqual(zoomed([100, 130], 100, 0.001, [0, 1000], 20), [100, 120]);
  assert.deepEqual(held([-50, 50], [0, 1000]), [0, 100]);
  assert.deepEqual(held([950, 1050], [0, 1000]), [900, 1000]);
});
test('where a zoom leads to: what stood still does, half a level on; a move leads nowhere', () => {
  const near = (found: readonly number[] | null, wanted: number[]) => {
    assert.ok(found);
    wanted.forEach((value, i) => {
      assert.ok(Math.abs((found[i] ?? 0) - value) < 1e-6, `${found} is not ${wanted}`);
    });
  };
  // Closer around 25: 0..100 became 12.5..62.5, where 25 lies at a quarter; 50 / sqrt 2 is 35.355.
  near(heading([0, 100], [12.5, 62.5], [0, 1000]), [25 - 0.25 * 50 * Math.SQRT1_2, 25 + 0.75 * 50 * Math.SQRT1_2]);
  near(heading([400, 500], [350, 550], [0, 1000]), [450 - 100 * Math.SQRT2, 450 + 100 * Math.SQRT2]);
  near(heading([0, 500], [0, 900], [0, 1000]), [0, 1000]); // not beyond the span
  assert.equal(heading([0, 100], [30, 130], [0, 1000]), null);
  assert.equal(heading([0, 100], [500, 600], [0, 1000]), null);
  assert.equal(heading([0, 1], [400, 500], [0, 1000]), null, 'a jump');
});
test('ticks are round numbers and their labels do not touch', () => {
  const { step_ns, ticks } = time_ticks([-3, 1003], 1000, 110);
  assert.deepEqual([step_ns, ticks], [200, [0, 200, 400, 600, 800, 1000]]);
});

// One row of four bins: key 2 for all of bin 0, key 3 for a quarter of bin 1 and key 2 for another, nothing in bin 2 and 3.
const bytes = () => {
  const buffer = new ArrayBuffer(16 + 5 * 4 + 3 * 4 + 8),
    view = new DataView(buffer);
  [...'WWT1'].forEach((letter, i) => {
    view.setUint8(i, letter.charCodeAt(0));
  });
  [1, 4, 3, 0, 1, 3, 3, 3].forEach((word, i) => {
    view.setUint32(4 + i * 4, word, true);
  });
  [1, 0.25, 0.25].forEach((share, i) => {
    view.setFloat32(36 + i * 4, share, true);
  });
  [2, 3, 2].forEach((key, i) => {
    view.setUint16(48 + i * 2, key, true);
  });
  return buffer;
};
const tile = (): Tile => decode_tile(bytes());
test('a tile is read as it was written; a damaged one is refused', () => {
  const { rows, bins, first, share, key } = tile();
  assert.deepEqual([rows, bins, [...first], [...share], [...key]], [1, 4, [0, 1, 3, 3, 3], [1, 0.25, 0.25], [2, 3, 2]]);
  assert.deepEqual(shares_in(tile(), 0, 1), [
    { key: 3, share: 0.25 },
    { key: 2, share: 0.25 },
  ]);
  assert.deepEqual(shares_in(tile(), 5, 1), []);
  assert.throws(() => decode_tile(bytes().slice(0, 50)), /ends at byte 50/);
  assert.throws(() => decode_tile(new ArrayBuffer(3)), /no WWT1/);
  assert.throws(() => decode_calls(bytes()), /no WWC1/);
  const wrong = bytes();
  new DataView(wrong).setUint32(12, 7, true);
  assert.throws(() => decode_tile(wrong), /7 entries/);
  assert.throws(() => decode_series(bytes()), /no WWS1/);
});
test('tiles one behind the other are read one by one', () => {
  const one = new Uint8Array(bytes()).slice(0, 56), // 16 + 4 * 5 + 4 * 3 + 2 * 3 + 2 that fill up
    two = new Uint8Array(112);
  two.set(one);
  two.set(one, 56);
  const tiles = decode_tiles(two.buffer);
  assert.equal(tiles.length, 2);
  for (const { share, key } of tiles)
    assert.deepEqual(
      [[...share], [...key]],
      [
        [1, 0.25, 0.25],
        [2, 3, 2],
      ],
    );
  assert.throws(() => decode_tiles(two.slice(0, 60).buffer), /ends within a tile/);
  assert.throws(() => decode_tiles(two.slice(0, 100).buffer), /ends at byte/);
});
const of_key = Uint8Array.from([3, 0, 1, 2]); // classes: computing 0, A 1, B 2, outside 3
const inks = inks_of(['#000000', '#ff0000', '#00ff00', '#0000ff']);
const columns_of = (origin: number, bin_px: number, width: number, mixed = false) => {
  const channels = new Channels(tile(), mixed ? 3 : 4),
    columns = new Columns(width, channels.channels);
  channels.make(0, of_key, 0, mixed ? inks.linear : null);
  columns.add(channels, 0, plan_of(4, origin, bin_px, 0, width));
  return columns;
};
// Column by column, all classes of each.
const values = ({ value, width, channels }: Columns) =>
  Array.from({ length: width * channels }, (_, i) => value[(i % channels) * width + Math.floor(i / channels)] ?? 0);
const close = (seen: ArrayLike<number>, expected: number[]) => {
  assert.equal(seen.length, expected.length);
  expected.forEach((value, i) => {
    assert.ok(Math.abs((seen[i] ?? 0) - value) < 1e-6, `${[...Array.from(seen)]}`);
  });
};
test('columns have the exact shares, whatever lies between bins and pixels', () => {
  close(values(columns_of(0, 1, 4)), [0, 1, 0, 0, 0.5, 0.25, 0.25, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  close(values(columns_of(0, 0.5, 2)), [0.25, 0.625, 0.125, 0, 1, 0, 0, 0]);
  close(values(columns_of(-0.5, 1, 1)), [0.25, 0.625, 0.125, 0]);
  close(values(columns_of(0, 2, 2)), [0, 1, 0, 0, 0, 1, 0, 0]);
  const beyond = columns_of(0, 0.25, 2);
  close(values(beyond), [0.625, 0.3125, 0.0625, 0, 0, 0, 0, 0]);
  close(beyond.covered, [1, 0]);
});
test('wider columns fill all pixels, the last one as many as are left', () => {
  const to = new Uint32Array(2 * 5);
  widen(Uint32Array.from([1, 2, 3, 4, 5, 6]), 3, to, 5, 2);
  assert.deepEqual([...to], [1, 1, 2, 2, 3, 4, 4, 5, 5, 6]);
});
test('what is stacked has as many lines as its share; what is low has the mean in linear light', () => {
  const high = new Uint32Array(4 * 8),
    low = new Uint32Array(4 * 2);
  paint_stacked(columns_of(0, 1, 4), inks, high, 0, 8);
  const column = (x: number) => Array.from({ length: 8 }, (_, line) => (high[line * 4 + x] ?? 0) & 0xffffff);
  assert.deepEqual(column(0), Array(8).fill(0x0000ff));
  assert.deepEqual(
    column(1),
    [0x00ff00, 0x00ff00, 0x0000ff, 0x0000ff, 0, 0, 0, 0],
    'from the bottom: half computing, a quarter A, a quarter B',
  );
  paint_mixed(columns_of(0, 1, 4, true), low, 0, 2);
  // A quarter of the light is 0.5371 of the code (IEC 61966-2-1): 137 of 255.
  assert.equal((low[1] ?? 0) & 0xffffff, 0x008989);
  assert.equal(low[1], low[5]);
});
