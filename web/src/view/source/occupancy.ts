// Calls as an exported folder has them ("WWK1", src/view/static_pieces.cpp), and the tiles that are worked out of them: the same numbers
// as src/view/index.cpp has, whole nanoseconds added up.
import { BLOCK_ROWS, TILE_BINS } from '../timeline/geometry.ts';
import type { TraceFacts } from './answers.ts';
import { encoded } from './encode.ts';

export interface CallsOfRank {
  call: Float64Array; // number among the rank's
  enter_ns: Float64Array;
  leave_ns: Float64Array;
  algorithmic_ns: Float64Array;
  service_ns: Float64Array;
  name: Uint32Array;
}

// Of each rank of the block. `from_ns`: of the piece.
export function decode_piece(bytes: Uint8Array, from_ns: number): CallsOfRank[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 16 || String.fromCharCode(...bytes.subarray(0, 4)) !== 'WWK1') throw new Error('a piece of calls is damaged');
  let at = 16;
  // Base 128, the least significant first; beyond 32 bits, so that shifts do not do.
  const number = () => {
    let value = 0,
      times = 1;
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a piece of calls ends early');
      value += (byte & 127) * times;
      if (byte < 128) return value;
      times *= 128;
    }
  };
  const whole = () => {
    const value = number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  return Array.from({ length: view.getUint32(8, true) }, () => {
    const count = number(),
      times = () => new Float64Array(count),
      calls: CallsOfRank = {
        call: times(),
        enter_ns: times(),
        leave_ns: times(),
        algorithmic_ns: times(),
        service_ns: times(),
        name: new Uint32Array(count),
      };
    let call = 0,
      enter_ns = from_ns;
    for (let i = 0; i < count; ++i) {
      call += number();
      enter_ns += whole();
      calls.call[i] = call;
      calls.enter_ns[i] = enter_ns;
      calls.leave_ns[i] = enter_ns + whole();
      calls.algorithmic_ns[i] = whole();
      calls.service_ns[i] = whole();
      calls.name[i] = number();
    }
    return calls;
  });
}

const OUTSIDE = 0,
  COMPUTE = 1;
// Keys of the parts of calls: key of name and part, as facts.keys lists them.
export function keys_by_part({ keys, names }: Pick<TraceFacts, 'keys' | 'names'>) {
  const of = (part: string) => {
    const list = new Uint16Array(names.length).fill(COMPUTE);
    keys.forEach((key, index) => {
      if (key.name >= 0 && key.part === part) list[key.name] = index;
    });
    return list;
  };
  return { library: of('library'), algorithmic: of('algorithmic'), service: of('service') };
}

export interface TileOfCalls {
  level: number;
  from_ns: number; // of the tile
  group: number;
  block: number;
}
// "WWT1" of a tile, of the calls that reach into its time. `calls_of`: of a rank; null: it has none there.
export function tile_of_calls(
  facts: Pick<TraceFacts, 'keys' | 'names' | 'ranks'>,
  { level, from_ns, group, block }: TileOfCalls,
  calls_of: (rank: number) => CallsOfRank | null,
): ArrayBuffer {
  const bin_ns = 2 ** level,
    to_ns = from_ns + TILE_BINS * bin_ns,
    each = 4 ** group,
    first_rank = block * BLOCK_ROWS * each,
    rows = Math.min(BLOCK_ROWS, Math.ceil((facts.ranks.length - first_rank) / each)),
    keys = facts.keys.length,
    key_of = keys_by_part(facts),
    sums = new Float64Array(TILE_BINS * keys),
    first: number[] = [0],
    shares: number[] = [],
    entry_keys: number[] = [];
  const add = (key: number, from: number, to: number) => {
    const begin = Math.max(from, from_ns) - from_ns,
      end = Math.min(to, to_ns) - from_ns;
    if (begin >= end) return;
    const last = Math.floor((end - 1) / bin_ns);
    for (let bin = Math.floor(begin / bin_ns); bin <= last; ++bin) {
      const at = bin * keys + key;
      sums[at] = (sums[at] ?? 0) + Math.min(end, (bin + 1) * bin_ns) - Math.max(begin, bin * bin_ns);
    }
  };
  const add_rank = (rank: number) => {
    const { begin_ns = from_ns, end_ns = to_ns } = facts.ranks[rank] ?? {},
      calls = calls_of(rank),
      until = Math.min(to_ns, end_ns);
    add(OUTSIDE, from_ns, begin_ns);
    add(OUTSIDE, end_ns, to_ns);
    for (let i = 0; calls && i < calls.enter_ns.length; ++i) {
      const enter = calls.enter_ns[i] ?? 0,
        leave = calls.leave_ns[i] ?? 0;
      if (enter >= until) break;
      if (leave <= from_ns) continue;
      const name = calls.name[i] ?? 0,
        begin = Math.max(enter, begin_ns),
        end = Math.min(leave, end_ns),
        blocked = begin + (calls.algorithmic_ns[i] ?? 0),
        waited = blocked + (calls.service_ns[i] ?? 0);
      add(key_of.algorithmic[name] ?? COMPUTE, begin, Math.min(blocked, end));
      add(key_of.service[name] ?? COMPUTE, blocked, Math.min(waited, end));
      add(key_of.library[name] ?? COMPUTE, waited, end);
    }
  };
  for (let row = 0; row < rows; ++row) {
    const from_rank = first_rank + row * each,
      to_rank = Math.min(facts.ranks.length, from_rank + each),
      cell_ns = bin_ns * (to_rank - from_rank);
    for (let rank = from_rank; rank < to_rank; ++rank) add_rank(rank);
    for (let bin = 0; bin < TILE_BINS; ++bin) {
      for (let key = 0; key < keys; ++key) {
        const ns = sums[bin * keys + key] ?? 0;
        if (ns === 0) continue;
        shares.push(ns / cell_ns);
        entry_keys.push(key);
      }
      first.push(shares.length);
    }
    sums.fill(0);
  }
  return encoded(
    'WWT1',
    [rows, TILE_BINS, shares.length],
    [Uint32Array.from(first), Float32Array.from(shares), Uint16Array.from(entry_keys)],
  );
}
