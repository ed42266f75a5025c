// From tiles to pixels. One rule at every zoom: a column of pixels shows the exact shares of the time that it stands for. Where a row
// is high enough, the shares stand one on the other (their borders are blended, so that a small share still tints its pixel); where it is
// lower, the column has their mean in linear light, in which a mixture is as bright as what it mixes.
import type { Tile } from '../source/decode.ts';
import { BLOCK_ROWS, TILE_BINS } from './geometry.ts';

export const STACKED_FROM_PX = 7;

// Shares of each class for each column of one row, and how much of the column was covered by tiles.
export class Columns {
  readonly width: number;
  readonly classes: number;
  readonly share: Float32Array; // share[column * classes + class]
  readonly covered: Float32Array;
  constructor(width: number, classes: number) {
    this.width = width;
    this.classes = classes;
    this.share = new Float32Array(width * classes);
    this.covered = new Float32Array(width);
  }
  clear() {
    this.share.fill(0);
    this.covered.fill(0);
  }
  // Adds row `row` of a tile whose first bin begins at column `origin` and whose bins are `bin_px` columns wide, between the columns
  // from and to. of_key: class of each key; computing: the class of what no entry has.
  add(tile: Tile, row: number, origin: number, bin_px: number, from: number, to: number, of_key: Uint8Array, computing: number) {
    const { share, covered, classes } = this,
      { first, share: shares, key } = tile;
    const low = Math.max(0, from),
      high = Math.min(this.width, to),
      first_bin = Math.max(0, Math.floor((low - origin) / bin_px)),
      last_bin = Math.min(tile.bins, Math.ceil((high - origin) / bin_px));
    for (let bin = first_bin, cell = row * tile.bins + first_bin; bin < last_bin; ++bin, ++cell) {
      const left = Math.max(low, origin + bin * bin_px),
        right = Math.min(high, origin + (bin + 1) * bin_px);
      if (right <= left) continue;
      const begin = first[cell] as number, // cells are as many as the header says: decode_tile
        end = first[cell + 1] as number;
      for (let column = Math.floor(left); column < right; ++column) {
        const part = Math.min(right, column + 1) - Math.max(left, column),
          at = column * classes;
        let rest = 1;
        for (let entry = begin; entry < end; ++entry) {
          const one = shares[entry] as number;
          (share[at + (of_key[key[entry] as number] as number)] as number) += one * part;
          rest -= one;
        }
        if (rest > 0) (share[at + computing] as number) += rest * part;
        (covered[column] as number) += part;
      }
    }
  }
}

// Of each 8 bit value the linear light, and back in 4096 steps.
const to_linear = Float32Array.from({ length: 256 }, (_, i) => {
  const value = i / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});
const from_linear = Uint8Array.from({ length: 4097 }, (_, i) => {
  const value = i / 4096;
  return Math.round(255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055));
});
export interface Inks {
  packed: Uint32Array; // as ImageData has them, little endian: ABGR
  linear: Float32Array; // r, g, b of each
}
export function inks_of(colours: string[]): Inks {
  const packed = new Uint32Array(colours.length),
    linear = new Float32Array(colours.length * 3);
  colours.forEach((colour, i) => {
    const value = Number.parseInt(colour.slice(1), 16),
      [r, g, b] = [(value >> 16) & 255, (value >> 8) & 255, value & 255];
    packed[i] = (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
    linear.set([to_linear[r] ?? 0, to_linear[g] ?? 0, to_linear[b] ?? 0], i * 3);
  });
  return { packed, linear };
}
const pack = (r: number, g: number, b: number, a: number) =>
  (((a * 255 + 0.5) << 24) |
    ((from_linear[(b * 4096) | 0] as number) << 16) |
    ((from_linear[(g * 4096) | 0] as number) << 8) |
    (from_linear[(r * 4096) | 0] as number)) >>>
  0;

// Writes the columns of one row into an image as wide as they are, over the lines y to y + height.
export function paint_columns(columns: Columns, inks: Inks, image: Uint32Array, y: number, height: number) {
  const { width, classes, share, covered } = columns,
    { packed, linear } = inks,
    stacked = height >= STACKED_FROM_PX,
    top = y * width;
  for (let column = 0; column < width; ++column) {
    const whole = covered[column] as number;
    if (whole <= 0.002) continue;
    const at = column * classes;
    let only = -1;
    for (let c = 0; c < classes; ++c)
      if ((share[at + c] as number) >= whole * 0.9985) {
        only = c;
        break;
      }
    if (only >= 0 && whole > 0.99) {
      const ink = packed[only] as number;
      for (let line = 0, to = top + column; line < height; ++line, to += width) image[to] = ink;
      continue;
    }
    if (!stacked || whole <= 0.99) {
      let r = 0,
        g = 0,
        b = 0;
      for (let c = 0; c < classes; ++c) {
        const one = (share[at + c] as number) / whole;
        if (one === 0) continue;
        r += one * (linear[c * 3] as number);
        g += one * (linear[c * 3 + 1] as number);
        b += one * (linear[c * 3 + 2] as number);
      }
      const ink = pack(Math.min(1, r), Math.min(1, g), Math.min(1, b), Math.min(1, whole));
      for (let line = 0, to = top + column; line < height; ++line, to += width) image[to] = ink;
      continue;
    }
    // From the bottom line upwards; what of a line earlier classes have left goes on into the next.
    let line = height - 1,
      filled = 0,
      r = 0,
      g = 0,
      b = 0;
    for (let c = 0; c < classes && line >= 0; ++c) {
      let left = ((share[at + c] as number) / whole) * height;
      if (left <= 0) continue;
      const ink = packed[c] as number;
      while (left > 0 && line >= 0) {
        if (filled === 0 && left >= 1) {
          image[top + line * width + column] = ink;
          --line;
          --left;
          continue;
        }
        const take = Math.min(left, 1 - filled);
        r += take * (linear[c * 3] as number);
        g += take * (linear[c * 3 + 1] as number);
        b += take * (linear[c * 3 + 2] as number);
        filled += take;
        left -= take;
        if (filled >= 0.9999) {
          image[top + line * width + column] = pack(Math.min(1, r), Math.min(1, g), Math.min(1, b), 1);
          --line;
          filled = r = g = b = 0;
        } else break;
      }
    }
    if (line >= 0 && filled > 0.001)
      image[top + line * width + column] = pack(Math.min(1, r / filled), Math.min(1, g / filled), Math.min(1, b / filled), 1);
  }
}

// The time of each key in a row between two columns of a tile's bins: what a tooltip says. Shares of the time times ranks.
export function shares_in(tile: Tile, row: number, bin: number): { key: number; share: number }[] {
  const cell = row * tile.bins + bin,
    list: { key: number; share: number }[] = [];
  if (row >= tile.rows || row >= BLOCK_ROWS || bin < 0 || bin >= Math.min(tile.bins, TILE_BINS)) return list;
  for (let entry = tile.first[cell] ?? 0; entry < (tile.first[cell + 1] ?? 0); ++entry)
    list.push({ key: tile.key[entry] ?? 0, share: tile.share[entry] ?? 0 });
  return list;
}
