// The binary answers of docs/design/viewing.md as typed arrays over the bytes that came: nothing is copied. All are little endian, as
// every machine with a browser is. A wrong magic number or a short answer is an error that names what was asked.
export interface Tile {
  rows: number;
  bins: number;
  first: Uint32Array; // entries of cell (row, bin): first[row * bins + bin] to first[... + 1]
  share: Float32Array; // of the cell's time
  key: Uint16Array; // compute is what is left to 1
  bytes: number;
}
export interface Calls {
  count: number;
  all: number; // in the window; more than count: only the longest are here
  enter_ns: Float64Array;
  time_ns: Float64Array;
  algorithmic_ns: Float64Array;
  service_ns: Float64Array;
  rank: Uint32Array;
  call: Uint32Array;
  name: Uint32Array;
}
export interface Messages {
  count: number;
  all: number; // more than count: a sample, every n-th by time of sending
  sent_ns: Float64Array;
  received_ns: Float64Array; // NaN or not after sent_ns: never received
  bytes: Float64Array;
  source: Uint32Array;
  destination: Uint32Array;
  number: Uint32Array;
  tag: Int32Array;
}
export interface Series {
  rows: number;
  bins: number;
  from_ns: number;
  bin_ns: number;
  value: Float32Array; // value[row * bins + bin]
}

const HEADER_BYTES = 16;
// Arrays one after the other, each at a multiple of its own size where the protocol has it so; else at a copy.
class Reader {
  at: number;
  private buffer: ArrayBuffer;
  constructor(buffer: ArrayBuffer, magic: string) {
    const seen = new Uint8Array(buffer, 0, Math.min(4, buffer.byteLength));
    if (buffer.byteLength < HEADER_BYTES || String.fromCharCode(...seen) !== magic)
      throw new Error(`an answer of ${buffer.byteLength} bytes is no ${magic}`);
    this.buffer = buffer;
    this.at = HEADER_BYTES;
  }
  header() {
    const words = new Uint32Array(this.buffer, 0, 4);
    return [words[1] ?? 0, words[2] ?? 0, words[3] ?? 0] as const;
  }
  private take<T>(make: new (buffer: ArrayBuffer, offset: number, length: number) => T, size: number, length: number): T {
    const from = this.at,
      to = from + size * length;
    if (to > this.buffer.byteLength) throw new Error(`an answer ends at byte ${this.buffer.byteLength} of ${to}`);
    this.at = (to + 3) & ~3;
    return from % size === 0 ? new make(this.buffer, from, length) : new make(this.buffer.slice(from, to), 0, length);
  }
  f64 = (length: number) => this.take(Float64Array, 8, length);
  f32 = (length: number) => this.take(Float32Array, 4, length);
  u32 = (length: number) => this.take(Uint32Array, 4, length);
  i32 = (length: number) => this.take(Int32Array, 4, length);
  u16 = (length: number) => this.take(Uint16Array, 2, length);
}

export function decode_tile(buffer: ArrayBuffer): Tile {
  const reader = new Reader(buffer, 'WWT1'),
    [rows, bins, entries] = reader.header();
  const first = reader.u32(rows * bins + 1);
  if (first[rows * bins] !== entries) throw new Error(`a tile has ${entries} entries, its cells ${first[rows * bins]}`);
  return { rows, bins, first, share: reader.f32(entries), key: reader.u16(entries), bytes: buffer.byteLength };
}
// Tiles one behind the other, each with bytes of its own, so that one that goes gives its room back.
export function decode_tiles(buffer: ArrayBuffer): Tile[] {
  const tiles: Tile[] = [],
    view = new DataView(buffer);
  for (let at = 0; at < buffer.byteLength; ) {
    if (buffer.byteLength - at < HEADER_BYTES) throw new Error(`an answer of ${buffer.byteLength} bytes ends within a tile`);
    const [rows, bins, entries] = [4, 8, 12].map((word) => view.getUint32(at + word, true)) as [number, number, number],
      bytes = HEADER_BYTES + 4 * (rows * bins + 1) + 4 * entries + ((2 * entries + 3) & ~3);
    tiles.push(decode_tile(at === 0 && bytes === buffer.byteLength ? buffer : buffer.slice(at, at + bytes)));
    at += bytes;
  }
  return tiles;
}
export function decode_calls(buffer: ArrayBuffer): Calls {
  const reader = new Reader(buffer, 'WWC1'),
    [count, all] = reader.header();
  return {
    count,
    all,
    enter_ns: reader.f64(count),
    time_ns: reader.f64(count),
    algorithmic_ns: reader.f64(count),
    service_ns: reader.f64(count),
    rank: reader.u32(count),
    call: reader.u32(count),
    name: reader.u32(count),
  };
}
export function decode_messages(buffer: ArrayBuffer): Messages {
  const reader = new Reader(buffer, 'WWM1'),
    [count, all] = reader.header();
  return {
    count,
    all,
    sent_ns: reader.f64(count),
    received_ns: reader.f64(count),
    bytes: reader.f64(count),
    source: reader.u32(count),
    destination: reader.u32(count),
    number: reader.u32(count),
    tag: reader.i32(count),
  };
}
export function decode_series(buffer: ArrayBuffer): Series {
  const reader = new Reader(buffer, 'WWS1'),
    [rows, bins] = reader.header(),
    times = reader.f64(2);
  return { rows, bins, from_ns: times[0] ?? 0, bin_ns: times[1] ?? 0, value: reader.f32(rows * bins) };
}
