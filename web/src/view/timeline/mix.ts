// From tiles to pixels. One rule at every zoom: a column of pixels shows the exact shares of the time that it stands for. Where a row
// is high enough, the shares stand one on the other (their borders are blended, so that a small share still tints its pixel); where it is
// lower, the column has their mean in linear light, in which a mixture is as bright as what it mixes.
import type { Tile } from '../source/decode.ts';
import { BLOCK_ROWS, TILE_BINS } from './geometry.ts';

export const STACKED_FROM_PX = 5;

// A tile's cells as `channels` numbers each, made row by row when first asked for: the share of each class of colours (stacked), or
// red, green and blue in linear light (mixed). They are kept as sums from the tile's begin, so that what a column has is the difference
// of two places, however many bins lie between. Rows are drawn in many frames and classified once.
export class Channels {
  readonly tile: Tile;
  readonly channels: number;
  readonly sum: Float32Array; // sum[(row * channels + channel) * (bins + 1) + bin]: of the bins before that
  readonly used: Uint8Array; // used[row * channels + channel]: there is anything
  private made: Uint8Array;
  constructor(tile: Tile, channels: number) {
    this.tile = tile;
    this.channels = channels;
    this.sum = new Float32Array(tile.rows * (tile.bins + 1) * channels);
    this.used = new Uint8Array(tile.rows * channels);
    this.made = new Uint8Array(tile.rows);
  }
  // Makes the row, if it is not there. of_key: class of each key; computing: the class of what no entry has; linear: of each class
  // (mixed), else null.
  make(row: number, of_key: Uint8Array, computing: number, linear: Float32Array | null) {
    if (this.made[row] !== 0) return;
    this.made[row] = 1;
    this.fill(row, of_key, computing, linear);
  }
  private fill(row: number, of_key: Uint8Array, computing: number, linear: Float32Array | null) {
    const { channels } = this,
      { first, share, key, bins } = this.tile,
      one = new Float64Array(channels),
      all = new Float64Array(channels);
    const give = (part: number, to: number) => {
      if (!linear) (one[to] as number) += part;
      else for (let c = 0; c < 3; ++c) (one[c] as number) += part * (linear[to * 3 + c] as number);
    };
    for (let bin = 0, cell = row * bins; bin < bins; ++bin, ++cell) {
      const end = first[cell + 1] as number; // cells are as many as the header says: decode_tile
      let rest = 1;
      one.fill(0);
      for (let entry = first[cell] as number; entry < end; ++entry) {
        const part = share[entry] as number;
        give(part, of_key[key[entry] as number] as number);
        rest -= part;
      }
      if (rest > 0) give(rest, computing);
      for (let c = 0; c < channels; ++c) {
        (all[c] as number) += one[c] as number;
        this.sum[(row * channels + c) * (bins + 1) + bin + 1] = all[c] as number;
      }
    }
    for (let c = 0; c < channels; ++c) this.used[row * channels + c] = (all[c] as number) > 0 ? 1 : 0;
  }
}

// Where the borders of columns lie in a tile: the same for all rows.
export interface Plan {
  from: number; // first column
  count: number;
  bin: Int32Array; // of each border the bin in which it lies, count + 1 of them
  part: Float32Array; // and how far in it, 0 to 1
  bin_px: number;
}
// Of `bins` bins, each bin_px columns wide, the first of which begins at column `origin`; between columns `from` and `to`.
export function plan_of(bins: number, origin: number, bin_px: number, from: number, to: number): Plan {
  const low = Math.max(from, origin),
    high = Math.max(low, Math.min(to, origin + bins * bin_px)),
    first = Math.floor(low),
    count = Math.max(0, Math.ceil(high) - first),
    plan = { from: first, count, bin: new Int32Array(count + 1), part: new Float32Array(count + 1), bin_px };
  for (let i = 0; i <= count; ++i) {
    const at = (Math.min(high, Math.max(low, first + i)) - origin) / bin_px,
      bin = Math.max(0, Math.min(bins - 1, Math.floor(at)));
    plan.bin[i] = bin;
    plan.part[i] = Math.max(0, Math.min(1, at - bin));
  }
  return plan;
}

// Channels of each column of one row, and how much of the column was covered by tiles.
export class Columns {
  readonly width: number;
  readonly channels: number;
  readonly value: Float32Array; // value[channel * width + column]
  readonly covered: Float32Array;
  private used: Uint8Array;
  constructor(width: number, channels: number) {
    this.width = width;
    this.channels = channels;
    this.value = new Float32Array(width * channels);
    this.covered = new Float32Array(width);
    this.used = new Uint8Array(channels);
  }
  clear() {
    for (const c of this.in_use()) this.value.fill(0, c * this.width, (c + 1) * this.width);
    this.used.fill(0);
    this.covered.fill(0);
  }
  // Those of which there is anything, upwards.
  in_use() {
    const list: number[] = [];
    for (let c = 0; c < this.channels; ++c) if (this.used[c] !== 0) list.push(c);
    return list;
  }
  // Adds a row that was made.
  add({ sum, used, tile }: Channels, row: number, { from, count, bin, part, bin_px }: Plan) {
    const { value, covered, channels, width } = this,
      begin = Math.max(0, -from),
      end = Math.min(count, width - from);
    if (begin >= end) return;
    let before = (bin[begin] as number) + (part[begin] as number);
    for (let i = begin; i < end; ++i) {
      const next = (bin[i + 1] as number) + (part[i + 1] as number);
      (covered[from + i] as number) += (next - before) * bin_px;
      before = next;
    }
    for (let c = 0; c < channels; ++c) {
      if (used[row * channels + c] === 0) continue;
      this.used[c] = 1;
      const base = (row * channels + c) * (tile.bins + 1),
        to = c * width + from;
      let at = base + (bin[begin] as number),
        low = sum[at] as number,
        last = low + (part[begin] as number) * ((sum[at + 1] as number) - low);
      for (let i = begin; i < end; ++i) {
        at = base + (bin[i + 1] as number);
        low = sum[at] as number;
        const next = low + (part[i + 1] as number) * ((sum[at + 1] as number) - low);
        (value[to + i] as number) += (next - last) * bin_px;
        last = next;
      }
    }
  }
}

// Of each 8 bit value the linear light, and back in 4096 steps.
const to_linear = Float32Array.from({ length: 256 }, (_, i) => {
  const value = i / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});
const LINEAR_STEPS = 4096;
const from_linear = Uint8Array.from({ length: LINEAR_STEPS + 8 }, (_, i) => {
  const value = Math.min(1, i / LINEAR_STEPS); // sums of shares may be a little more
  return Math.round(255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055));
});
export interface Inks {
  packed: Uint32Array; // as ImageData has them, little endian: ABGR
  linear: Float32Array; // r, g, b of each
  steps: Float32Array; // the same in steps of from_linear
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
  return { packed, linear, steps: linear.map((value) => value * LINEAR_STEPS) };
}
const pack = (r: number, g: number, b: number, a: number) =>
  (((a * 255 + 0.5) << 24) |
    ((from_linear[(b * LINEAR_STEPS) | 0] as number) << 16) |
    ((from_linear[(g * LINEAR_STEPS) | 0] as number) << 8) |
    (from_linear[(r * LINEAR_STEPS) | 0] as number)) >>>
  0;

const opaque = (r: number, g: number, b: number) =>
  (0xff000000 | ((from_linear[b | 0] as number) << 16) | ((from_linear[g | 0] as number) << 8) | (from_linear[r | 0] as number)) >>> 0;

// Writes columns of linear light into an image as wide as they are, over the lines y to y + height.
export function paint_mixed({ width, value, covered }: Columns, image: Uint32Array, y: number, height: number) {
  const top = y * width;
  for (let column = 0; column < width; ++column) {
    const whole = covered[column] as number;
    if (whole <= 0.002) continue;
    const by = 1 / whole;
    image[top + column] = pack(
      Math.min(1, (value[column] as number) * by),
      Math.min(1, (value[width + column] as number) * by),
      Math.min(1, (value[2 * width + column] as number) * by),
      Math.min(1, whole),
    );
  }
  for (let line = 1; line < height; ++line) image.copyWithin(top + line * width, top, top + width);
}
// The same of shares of classes, which stand one on the other.
export function paint_stacked(columns: Columns, inks: Inks, image: Uint32Array, y: number, height: number) {
  const { width, value, covered } = columns,
    { packed, steps } = inks,
    top = y * width,
    bottom = top + (height - 1) * width,
    classes = Int32Array.from(columns.in_use()),
    count = classes.length;
  for (let column = 0; column < width; ++column) {
    const whole = covered[column] as number;
    if (whole <= 0.002) continue;
    const all = whole * 0.9985;
    let only = -1;
    for (let i = 0; i < count; ++i) {
      const c = classes[i] as number;
      if ((value[c * width + column] as number) < all) continue;
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
    let to = bottom + column,
      room = 1, // of the line at `to`
      r = 0,
      g = 0,
      b = 0;
    const scale = height / whole;
    for (let i = 0; i < count && to >= top; ++i) {
      const c = classes[i] as number,
        red = steps[c * 3] as number,
        green = steps[c * 3 + 1] as number,
        blue = steps[c * 3 + 2] as number;
      let left = (value[c * width + column] as number) * scale;
      if (room < 1) {
        const take = left < room ? left : room;
        r += take * red;
        g += take * green;
        b += take * blue;
        room -= take;
        left -= take;
        if (room > 1e-4) continue;
        image[to] = opaque(r, g, b);
        to -= width;
        room = 1;
        r = g = b = 0;
      }
      for (; left >= 1 && to >= top; --left, to -= width) image[to] = packed[c] as number;
      if (left <= 0 || to < top) continue;
      r = left * red;
      g = left * green;
      b = left * blue;
      room = 1 - left;
    }
    if (to >= top && room < 0.999) image[to] = opaque(r / (1 - room), g / (1 - room), b / (1 - room));
  }
}

// Each column `times` pixels wide: an image of `from_width` columns into one of `width` pixels.
export function widen(from: Uint32Array, from_width: number, to: Uint32Array, width: number, times: number) {
  const lines = to.length / width;
  for (let line = 0; line < lines; ++line) {
    const begin = line * from_width,
      into = line * width;
    for (let column = 0, x = 0; x < width; ++column) {
      const ink = from[begin + column] as number;
      for (const end = Math.min(width, x + times); x < end; ++x) to[into + x] = ink;
    }
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
