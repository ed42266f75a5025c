// The timeline's data, prepared for drawing at any zoom: for each row the calls in order of time and the
// running totals of library, algorithmic and service time, so that the exact time of each kind in any span is
// two binary searches away.
import { count_text, nanoseconds } from '../base/format.ts';
import type { BinsData, RegionsData, RowData, TimelineData } from '../data/types.ts';

export const NONE = -1,
  SEVERAL = -2;

type Numbers = ArrayLike<number>;
// The entry with this index, 0 outside.
export const entry = (list: Numbers, index: number) => list[index] ?? 0;
function sums_of(list: Numbers) {
  const sums = new Float64Array(list.length + 1);
  for (let i = 0, sum = 0; i < list.length; ++i) sums[i + 1] = sum += entry(list, i);
  return sums;
}
// The number of entries of the ascending `list` that are <= value.
export function count_up_to(list: Numbers, value: number) {
  let low = 0,
    high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) <= value)
      low = middle + 1; // within bounds: middle < high
    else high = middle;
  }
  return low;
}

export interface Arrow {
  source: number;
  destination: number;
  send_ns: number;
  receive_ns: number;
  bytes: number;
  tag: number;
  from: number;
  to: number; // rows
}
const kinds = ['library', 'algorithmic', 'service'] as const;
type Sums = Record<(typeof kinds)[number], Float64Array>;
type Times = Record<(typeof kinds)[number], number>;
export type Shares = Times & { compute: number };

export class TimelineRow {
  first_rank: number;
  last_rank: number;
  ranks: number;
  begin_ns: number;
  end_ns: number;
  bin_ns: number;
  host: string;
  label: string;
  enter: Float64Array;
  leave: Float64Array;
  sums: Sums;
  regions: RegionsData;
  data: RowData;

  constructor(row: RowData, bins: BinsData | undefined, bin_ns: number) {
    const count = row.enter.length;
    this.first_rank = row.first_rank;
    this.last_rank = row.last_rank;
    this.ranks = row.last_rank - row.first_rank + 1;
    this.host = row.host ?? '';
    this.begin_ns = row.begin_ns;
    this.end_ns = row.end_ns;
    this.enter = new Float64Array(count);
    this.leave = new Float64Array(count);
    for (let i = 0, at = 0; i < count; ++i) {
      this.enter[i] = at += entry(row.enter, i);
      this.leave[i] = at + entry(row.time, i);
    }
    this.data = row;
    const library = row.time.map((time, i) => time - entry(row.algorithmic, i) - entry(row.service, i));
    this.sums = bins
      ? { library: sums_of(bins.library), algorithmic: sums_of(bins.algorithmic), service: sums_of(bins.service) }
      : { library: sums_of(library), algorithmic: sums_of(row.algorithmic), service: sums_of(row.service) };
    this.regions = row.regions ?? { enter: [], time: [], name: [], depth: [] };
    this.bin_ns = bins ? bin_ns : 0;
    this.label = row.first_rank === row.last_rank ? `rank ${row.first_rank}` : `ranks ${row.first_rank}\u2013${row.last_rank}`;
  }

  // Totals of the three kinds from the beginning up to `ns`.
  up_to(ns: number, into: Times) {
    if (this.bin_ns > 0) {
      const bins = this.sums.library.length - 1,
        position = Math.min(Math.max(ns / this.bin_ns, 0), bins);
      const bin = Math.min(Math.floor(position), bins - 1),
        rest = position - bin;
      for (const key of kinds) {
        const sums = this.sums[key],
          before = entry(sums, bin);
        into[key] = before + rest * (entry(sums, bin + 1) - before);
      }
      return into;
    }
    const begun = count_up_to(this.enter, ns),
      call = begun - 1,
      leave = entry(this.leave, call);
    for (const key of kinds) into[key] = entry(this.sums[key], begun);
    if (call >= 0 && ns < leave) {
      // within a call: algorithmic, then service, then library
      const service_from = entry(this.enter, call) + entry(this.data.algorithmic, call),
        library_from = service_from + entry(this.data.service, call);
      into.algorithmic -= Math.max(0, service_from - ns);
      into.service -= Math.max(0, library_from - Math.max(ns, service_from));
      into.library -= leave - Math.max(ns, library_from);
    }
    return into;
  }

  // Time of each kind in [from, to), summed over the row's ranks.
  between(from: number, to: number): Shares {
    const a = this.up_to(from, { library: 0, algorithmic: 0, service: 0 }),
      b = this.up_to(to, { library: 0, algorithmic: 0, service: 0 });
    const time = { library: b.library - a.library, algorithmic: b.algorithmic - a.algorithmic, service: b.service - a.service };
    const inside = Math.max(0, Math.min(to, this.end_ns) - Math.max(from, this.begin_ns)) * this.ranks;
    return { ...time, compute: Math.max(0, inside - time.library - time.algorithmic - time.service) };
  }

  // Names of the regions that the program had marked around this time, the outermost first.
  regions_at(ns: number, names: string[]) {
    const { enter, time, name } = this.regions;
    const around = name.filter((_, i) => entry(enter, i) <= ns && ns < entry(enter, i) + entry(time, i));
    return around.map((region) => names[region]).join(' \u203a ');
  }

  call_at(ns: number) {
    const call = count_up_to(this.enter, ns) - 1;
    return call >= 0 && ns < entry(this.leave, call) ? call : NONE;
  }

  // What is known of a call; library: its time less what it was blocked.
  call(index: number) {
    const { algorithmic, service, name, peer, sent, received } = this.data,
      enter = entry(this.enter, index),
      leave = entry(this.leave, index),
      blocked = { algorithmic: entry(algorithmic, index), service: entry(service, index) };
    return {
      ...blocked,
      enter,
      leave,
      library: leave - enter - blocked.algorithmic - blocked.service,
      name: entry(name, index),
      peer: entry(peer, index),
      sent: entry(sent, index),
      received: entry(received, index),
    };
  }
}

export class TimelineModel {
  data: TimelineData;
  extent_ns: number;
  names: string[];
  region_names: string[];
  rows: TimelineRow[];
  arrows: Arrow[];
  sent_at: Float64Array;
  longest_flight: number;

  constructor(data: TimelineData) {
    this.data = data;
    this.extent_ns = Math.max(1, data.end_ns - data.begin_ns);
    this.names = data.names;
    this.region_names = data.region_names ?? [];
    this.rows = data.rows.map((row, i) => new TimelineRow(row, data.bins?.rows[i], data.bins?.width_ns ?? 0));
    const row_of_rank = new Map<number, number>();
    this.rows.forEach((row, i) => {
      for (let rank = row.first_rank; rank <= row.last_rank; ++rank) row_of_rank.set(rank, i);
    });
    const a = data.arrows ?? { source: [], destination: [], send_ns: [], receive_ns: [], bytes: [], tag: [] };
    this.arrows = a.source.flatMap((source, i) => {
      const destination = entry(a.destination, i),
        from = row_of_rank.get(source),
        to = row_of_rank.get(destination);
      if (from === undefined || to === undefined) return [];
      return [
        {
          source,
          destination,
          send_ns: entry(a.send_ns, i),
          receive_ns: entry(a.receive_ns, i),
          bytes: entry(a.bytes, i),
          tag: entry(a.tag, i),
          from,
          to,
        },
      ];
    });
    this.sent_at = Float64Array.from(this.arrows, (arrow) => arrow.send_ns);
    this.longest_flight = this.arrows.reduce((longest, arrow) => Math.max(longest, arrow.receive_ns - arrow.send_ns), 0);
  }

  arrows_between(from: number, to: number) {
    const first = count_up_to(this.sent_at, from - this.longest_flight - 1);
    return this.arrows.slice(first, count_up_to(this.sent_at, to)).filter((arrow) => arrow.receive_ns >= from);
  }

  // What of the trace is not drawn one by one, in words; empty when everything is.
  limits_text() {
    const { calls, listed_calls, messages, listed_messages, shortest_listed_ns, bins } = this.data,
      said: string[] = [];
    if (bins && listed_calls > 0)
      said.push(
        `The ${count_text(listed_calls)} longest of ${count_text(calls)} calls (from ${nanoseconds(
          shortest_listed_ns ?? 0,
        )}) can be pointed at; the colours count all of them, in steps of ${nanoseconds(bins.width_ns)}.`,
      );
    else if (bins)
      said.push(`Rows merge several ranks; the colours count all ${count_text(calls)} calls, in steps of ${nanoseconds(bins.width_ns)}.`);
    if (listed_messages < messages) said.push(`Arrows: ${count_text(listed_messages)} of ${count_text(messages)} messages, evenly picked.`);
    return said.join(' ');
  }
}
