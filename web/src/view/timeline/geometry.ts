// Which tiles a picture needs, and where time and ranks lie on it. Plain arithmetic over docs/design/viewing.md, "Tiles".
import type { TilePlace } from '../source/tile_cache.ts';

export const TILE_BINS = 256,
  BLOCK_ROWS = 64;
export type Window = readonly [from: number, to: number];

// The finest level whose bins are not wider than a pixel: then a pixel mixes whole bins and little more than its own time.
export function level_for(ns_per_pixel: number, top_level: number) {
  return Math.min(top_level, Math.max(0, Math.floor(Math.log2(Math.max(1, ns_per_pixel)))));
}
// The group of 4^g ranks a row whose rows are at least `least_px` high.
export function group_for(px_per_rank: number, ranks: number, least_px: number) {
  let group = 0;
  while (px_per_rank * 4 ** group < least_px && 4 ** group < ranks) ++group;
  return group;
}
export const row_count = (ranks: number, group: number) => Math.ceil(ranks / 4 ** group);

export interface Cover {
  level: number;
  group: number;
  tiles: Window; // from, to (excluded)
  blocks: Window;
}
// window in ns, ranks to (excluded) in ranks.
export function cover(span_ns: Window, window: Window, ranks: Window, rank_count: number, level: number, group: number): Cover {
  const tile_ns = TILE_BINS * 2 ** level,
    last_tile = Math.max(0, Math.ceil((span_ns[1] - span_ns[0]) / tile_ns) - 1),
    last_block = Math.max(0, Math.ceil(row_count(rank_count, group) / BLOCK_ROWS) - 1),
    block_ranks = BLOCK_ROWS * 4 ** group;
  const between = (value: number, high: number) => Math.min(high, Math.max(0, value));
  return {
    level,
    group,
    tiles: [
      between(Math.floor((window[0] - span_ns[0]) / tile_ns), last_tile),
      between(Math.ceil((window[1] - span_ns[0]) / tile_ns) - 1, last_tile) + 1,
    ],
    blocks: [between(Math.floor(ranks[0] / block_ranks), last_block), between(Math.ceil(ranks[1] / block_ranks) - 1, last_block) + 1],
  };
}
// Those of a cover, the middle of the window first.
export function places({ level, group, tiles, blocks }: Cover): TilePlace[] {
  const list: TilePlace[] = [],
    middle = (tiles[0] + tiles[1] - 1) / 2;
  for (let block = blocks[0]; block < blocks[1]; ++block)
    for (let tile = tiles[0]; tile < tiles[1]; ++tile) list.push({ level, tile, group, block });
  return list.sort((a, b) => Math.abs(a.tile - middle) - Math.abs(b.tile - middle));
}
// What shows the same time more coarsely.
export const coarser = ({ level, tile, group, block }: TilePlace): TilePlace => ({ level: level + 1, tile: tile >> 1, group, block });

// Zooms a window around a point of it by a factor (below 1: closer), within the span and not below `least`.
export function zoomed([from, to]: Window, at: number, factor: number, [low, high]: Window, least: number): Window {
  const width = Math.min(high - low, Math.max(least, (to - from) * factor)),
    share = (at - from) / Math.max(to - from, 1e-12);
  return held([at - share * width, at + (1 - share) * width], [low, high]);
}
// The window moved into the span, as wide as it was if there is room.
export function held([from, to]: Window, [low, high]: Window): Window {
  const width = Math.min(to - from, high - low),
    start = Math.min(Math.max(from, low), high - width);
  return [start, start + width];
}
// Where a zoom from one window to another leads when it goes on, by about half of a level; null: it was none. What stood still in it
// stands still.
export function heading(before: Window, now: Window, [low, high]: Window): Window | null {
  const was = before[1] - before[0],
    is = now[1] - now[0],
    share = (now[0] - before[0]) / (was - is); // of both windows, where the instant lies that stood still
  if (Math.abs(was - is) < 1e-6 * is || !(share >= -1e-6 && share <= 1 + 1e-6)) return null;
  const factor = is < was ? Math.SQRT1_2 : Math.SQRT2,
    at = now[0] + share * is;
  return held([at - share * is * factor, at + (1 - share) * is * factor], [low, high]);
}
// A little air on both sides of what is to be seen.
export function framed([from, to]: Window, span: Window, air = 0.15): Window {
  const room = Math.max(to - from, 20) * air;
  return held([from - room, to + room], span);
}
export const same = (a: Window, b: Window) => a[0] === b[0] && a[1] === b[1];

// Steps of 1, 2, 5 times a power of ten ns such that labels of `label_px` do not touch.
export function time_ticks([from, to]: Window, width_px: number, label_px: number) {
  const least = ((to - from) / Math.max(width_px, 1)) * label_px,
    power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-3))),
    step_ns = power * ([1, 2, 5, 10].find((times) => power * times >= least) ?? 10);
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step_ns); i * step_ns <= to && ticks.length < 500; ++i) ticks.push(i * step_ns + 0); // never -0
  return { step_ns, ticks };
}
