// From tiles to pixels. One rule at every zoom: a column of pixels shows the exact shares of the time that it stands for. Where a row
// is high enough, the shares stand one on the other (their borders are blended, so that a small share still tints its pixel); where it is
// lower, the column has their mean in linear light, in which a mixture is as bright as what it mixes.
import type { Tile } from '../source/decode.ts';
import { BLOCK_ROWS, TILE_BINS } from './geometry.ts';

export const STACKED_FROM_PX = 5;

// A tile's cells as `channels` numbers each, made row by row when first asked for: the share of each class of colours (stacked), or
// red, green and blue in linear light (mixed). Rows are drawn in many frames and classified once.
export class Channels {
  readonly tile: Tile;
  readonly channels: number;
  private values: Float32Array;
  private made: Uint8Array;
  constructor(tile: Tile, channels: number) {
    this.tile = tile;
    this.channels = channels;
    this.values = new Float32Array(tile.rows * tile.bins * channels);
    this.made = new Uint8Array(tile.rows);
  }
  // of_key: class of each key; computing: the class of what no entry has; linear: of each class (mixed), else null.
  row(row: number, of_key: Uint8Array, computing: number, linear: Float32Array | null) {
    if (this.made[row] === 0) {
      this.made[row] = 1;
      this.fill(row, of_key, computing, linear);
    }
    return this.values;
  }
  private fill(row: number, of_key: Uint8Array, computing: number, linear: Float32Array | null) {
    const { values, channels } = this,
      { first, share, key, bins } = this.tile;
    const give = (at: number, one: number, to: number) => {
      if (!linear) (values[at + to] as number) += one;
      else for (let c = 0; c < 3; ++c) (values[at + c] as number) += one * (linear[to * 3 + c] as number);
    };
    for (let bin = 0, cell = row * bins; bin < bins; ++bin, ++cell) {
      const end = first[cell + 1] as number; // cells are as many as the header says: decode_tile
      let rest = 1;
      for (let entry = first[cell] as number; entry < end; ++entry) {
        const one = share[entry] as number;
        give(cell * channels, one, of_key[key[entry] as number] as number);
        rest -= one;
      }
      if (rest > 0) give(cell * channels, rest, computing);
    }
  }
}

// Which bins of a tile lie on which columns, and by how much of a column: the same for all rows.
export interface Plan {
  from: number; // first column
  bin: Int32Array; // of each column the first bin
  weight: Float32Array; // MOST_BINS of each column, 0 where there are no more
  covered: Float32Array; // their sum
}
const MOST_BINS = 6; // on one column: three where the level fits, more on a picture narrower than a tile
// Of `bins` bins, each bin_px columns wide, the first of which begins at column `origin`; between columns `from` and `to`.
export function plan_of(bins: number, origin: number, bin_px: number, from: number, to: number): Plan {
  const first = Math.floor(Math.max(from, origin)),
    end = Math.ceil(Math.min(to, origin + bins * bin_px)),
    count = Math.max(0, end - first),
    plan = { from: first, bin: new Int32Array(count), weight: new Float32Array(count * MOST_BINS), covered: new Float32Array(count) };
  for (let i = 0; i < count; ++i) {
    const left = Math.max(first + i, from, origin),
      right = Math.min(first + i + 1, to, origin + bins * bin_px),
      bin = Math.max(0, Math.min(bins - 1, Math.floor((left - origin) / bin_px)));
    plan.bin[i] = bin;
    for (let k = 0; k < MOST_BINS && bin + k < bins; ++k) {
      const part = Math.min(right, origin + (bin + k + 1) * bin_px) - Math.max(left, origin + (bin + k) * bin_px);
      if (part <= 0) continue;
      plan.weight[i * MOST_BINS + k] = part;
      (plan.covered[i] as number) += part;
    }
  }
  return plan;
}

// Channels of each column of one row, and how much of the column was covered by tiles.
export class Columns {
  readonly width: number;
  readonly channels: number;
  readonly value: Float32Array; // value[column * channels + channel]
  readonly covered: Float32Array;
  constructor(width: number, channels: number) {
    this.width = width;
    this.channels = channels;
    this.value = new Float32Array(width * channels);
    this.covered = new Float32Array(width);
  }
  clear() {
    this.value.fill(0);
    this.covered.fill(0);
  }
  // Adds a row of a tile with `bins` bins.
  add(values: Float32Array, row: number, bins: number, { from, bin, weight, covered: plan_covered }: Plan) {
    const { value, covered, channels, width } = this,
      count = Math.min(bin.length, width - from);
    for (let i = Math.max(0, -from); i < count; ++i) {
      const whole = plan_covered[i] as number;
      if (whole <= 0) continue;
      (covered[from + i] as number) += whole;
      let source = (row * bins + (bin[i] as number)) * channels;
      const to = (from + i) * channels;
      for (let k = i * MOST_BINS; k < (i + 1) * MOST_BINS; ++k, source += channels) {
        const part = weight[k] as number;
        if (part === 0) break;
        for (let c = 0; c < channels; ++c) (value[to + c] as number) += part * (values[source + c] as number);
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

// Writes columns of linear light into an image as wide as they are, over the lines y to y + height.
export function paint_mixed({ width, value, covered }: Columns, image: Uint32Array, y: number, height: number) {
  const top = y * width;
  for (let column = 0; column < width; ++column) {
    const whole = covered[column] as number;
    if (whole <= 0.002) continue;
    const at = column * 3,
      by = 1 / whole;
    image[top + column] = pack(
      Math.min(1, (value[at] as number) * by),
      Math.min(1, (value[at + 1] as number) * by),
      Math.min(1, (value[at + 2] as number) * by),
      Math.min(1, whole),
    );
  }
  for (let line = 1; line < height; ++line) image.copyWithin(top + line * width, top, top + width);
}
// The same of shares of classes, which stand one on the other.
export function paint_stacked(
  { width, channels: classes, value, covered }: Columns,
  inks: Inks,
  image: Uint32Array,
  y: number,
  height: number,
) {
  const { packed, linear } = inks,
    top = y * width;
  for (let column = 0; column < width; ++column) {
    const whole = covered[column] as number;
    if (whole <= 0.002) continue;
    const at = column * classes;
    let only = -1;
    for (let c = 0; c < classes; ++c)
      if ((value[at + c] as number) >= whole * 0.9985) {
        only = c;
        break;
      }
    if (only >= 0) {
      // At the end of the trace a column may be covered in part.
      const ink = whole > 0.99 ? (packed[only] as number) : (((packed[only] as number) & 0xffffff) | ((whole * 255) << 24)) >>> 0;
      for (let line = 0, to = top + column; line < height; ++line, to += width) image[to] = ink;
      continue;
    }
    // From the bottom line upwards; what of a line earlier classes have left goes on into the next.
    let line = height - 1,
      filled = 0,
      r = 0,
      g = 0,
      b = 0;
    const scale = height / whole;
    for (let c = 0; c < classes && line >= 0; ++c) {
      let left = (value[at + c] as number) * scale;
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
