// What single calls, messages and marks a window has, of the pieces of an exported folder that reach into it: as the server answers
// data/N/calls, messages and marks, where a piece has all of it.
import { ranks_of } from '../words.ts';
import type { Marks } from './answers.ts';
import type { Messages } from './decode.ts';
import { encoded } from './encode.ts';
import type { CallsOfRank } from './occupancy.ts';
import type { Query } from './source.ts';

export interface AskedWindow {
  from_ns: number;
  to_ns: number;
  has_rank: (rank: number) => boolean;
  limit: number;
}
export function window_of(query: Query, span_ns: readonly [number, number], limit: number): AskedWindow {
  const given = (name: string, otherwise: number) => {
    const value = query[name];
    return value === undefined || value === null || value === '' ? otherwise : Number(value);
  };
  const text = String(query.ranks ?? ''),
    ranks = text === '' ? null : new Set(ranks_of(text));
  return {
    from_ns: given('from_ns', span_ns[0]),
    to_ns: given('to_ns', span_ns[1] + 1),
    has_rank: (rank) => ranks === null || ranks.has(rank),
    limit: given('limit', limit),
  };
}

// A piece that was read, and where its time begins: what began before that is in the piece before it, too.
export interface Read<T> {
  from_ns: number;
  is_first: boolean;
  list: T;
}

// "WWC1". `others`: how many there are beside those in the pieces.
export function calls_of_window(
  { from_ns, to_ns, has_rank, limit }: AskedWindow,
  pieces: Read<{ first_rank: number; ranks: CallsOfRank[] }>[],
  others: number,
): ArrayBuffer {
  const found: { of: CallsOfRank; i: number; rank: number; ns: number }[] = [];
  for (const { from_ns: piece_ns, is_first, list } of pieces)
    list.ranks.forEach((of, row) => {
      const rank = list.first_rank + row;
      if (!has_rank(rank)) return;
      for (let i = 0; i < of.enter_ns.length; ++i) {
        const enter = of.enter_ns[i] ?? 0,
          leave = of.leave_ns[i] ?? 0;
        if (enter >= to_ns) break;
        if ((leave <= from_ns && enter < from_ns) || (!is_first && enter < piece_ns)) continue;
        found.push({ of, i, rank, ns: leave - enter });
      }
    });
  const all = Math.min(0xffffffff, found.length + others),
    number = ({ of, i }: (typeof found)[number]) => of.call[i] ?? 0;
  if (found.length > limit) {
    found.sort((a, b) => b.ns - a.ns || a.rank - b.rank || number(a) - number(b));
    found.length = limit;
  }
  found.sort((a, b) => a.rank - b.rank || number(a) - number(b));
  const times = (of: (one: (typeof found)[number]) => number) => Float64Array.from(found, of),
    whole = (of: (one: (typeof found)[number]) => number) => Uint32Array.from(found, of);
  return encoded(
    'WWC1',
    [found.length, all, 0],
    [
      times(({ of, i }) => of.enter_ns[i] ?? 0),
      times(({ ns }) => ns),
      times(({ of, i }) => of.algorithmic_ns[i] ?? 0),
      times(({ of, i }) => of.service_ns[i] ?? 0),
      whole(({ rank }) => rank),
      whole(number),
      whole(({ of, i }) => of.name[i] ?? 0),
    ],
  );
}

// "WWM1".
export function messages_of_window(
  { from_ns, to_ns, has_rank, limit }: AskedWindow,
  pieces: Read<Messages>[],
  others: number,
): ArrayBuffer {
  const found: { of: Messages; i: number }[] = [];
  for (const { from_ns: piece_ns, is_first, list } of pieces)
    for (let i = 0; i < list.count; ++i) {
      const sent = list.sent_ns[i] ?? 0,
        received = list.received_ns[i] ?? Number.NaN;
      if (!has_rank(list.source[i] ?? -1) && !has_rank(list.destination[i] ?? -1)) continue;
      if (sent >= to_ns || (Number.isNaN(received) ? sent < from_ns : received <= from_ns) || (!is_first && sent < piece_ns)) continue;
      found.push({ of: list, i });
    }
  const every = Math.max(1, Math.ceil(found.length / Math.max(1, limit))),
    kept = limit > 0 ? found.filter((_, i) => i % every === 0) : [];
  const times = (name: 'sent_ns' | 'received_ns' | 'bytes') => Float64Array.from(kept, ({ of, i }) => of[name][i] ?? Number.NaN),
    whole = (name: 'source' | 'destination' | 'number') => Uint32Array.from(kept, ({ of, i }) => of[name][i] ?? 0);
  return encoded(
    'WWM1',
    [kept.length, Math.min(0xffffffff, found.length + others), 0],
    [
      times('sent_ns'),
      times('received_ns'),
      times('bytes'),
      whole('source'),
      whole('destination'),
      whole('number'),
      Int32Array.from(kept, ({ of, i }) => of.tag[i] ?? 0),
    ],
  );
}

export function marks_of_window({ from_ns, to_ns, has_rank, limit }: AskedWindow, pieces: Read<Marks>[], others: number): Marks {
  const markers = pieces.flatMap(({ list }) =>
      list.markers.filter(({ rank, at_ns }) => has_rank(rank) && at_ns >= from_ns && at_ns < to_ns),
    ),
    regions = pieces.flatMap(({ from_ns: piece_ns, is_first, list }) =>
      list.regions.filter(
        (one) =>
          has_rank(one.rank) &&
          one.from_ns < to_ns &&
          (one.to_ns > from_ns || one.from_ns >= from_ns) &&
          (is_first || one.from_ns >= piece_ns),
      ),
    ),
    every = Math.max(1, Math.ceil(markers.length / Math.max(1, limit))),
    kept = markers.length > limit ? markers.filter((_, i) => (i + 1) % every === 0) : markers,
    longest = regions.sort((a, b) => b.to_ns - b.from_ns - (a.to_ns - a.from_ns)).slice(0, limit);
  return {
    markers: kept.sort((a, b) => a.rank - b.rank || a.at_ns - b.at_ns),
    regions: longest.sort((a, b) => a.rank - b.rank || a.from_ns - b.from_ns || a.depth - b.depth),
    left_out: markers.length - kept.length + regions.length - longest.length + others,
  };
}
