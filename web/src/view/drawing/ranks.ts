// Lists of ranks as the selection writes them ("0-3,7"), and ranks put together into groups.
import { range } from 'd3-array';

export function ranks_text(ranks: readonly number[]): string {
  const sorted = [...new Set(ranks)].sort((a, b) => a - b),
    runs: [number, number][] = [];
  for (const rank of sorted) {
    const last = runs.at(-1);
    if (last && rank === last[1] + 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}
// Those below `count` that the text names, rising; null: the text is no such list.
export function ranks_of(text: string, count: number): number[] | null {
  const found = new Set<number>();
  for (const piece of text.split(',')) {
    const match = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(piece);
    if (!match) return null;
    const from = Number(match[1]),
      to = Number(match[2] ?? match[1]);
    for (let rank = from; rank <= Math.min(to, count - 1); ++rank) found.add(rank);
  }
  return [...found].sort((a, b) => a - b);
}
// What a selection of ranks lets through; '' is all.
export const selected_ranks = (text: string, count: number) => (text.trim() === '' ? range(count) : (ranks_of(text, count) ?? []));

export interface RankGroup {
  label: string;
  ranks: number[];
}
export const group_label = (ranks: readonly number[], host = '') => (host ? `${host} (${ranks_text(ranks)})` : ranks_text(ranks));

// Ranks in blocks of `size`, in the order given.
export const blocks_of = (ranks: readonly number[], size: number): RankGroup[] =>
  range(0, ranks.length, Math.max(1, size)).map((first) => {
    const members = ranks.slice(first, first + Math.max(1, size));
    return { label: group_label(members), ranks: members };
  });
// So many at most.
export const at_most = (ranks: readonly number[], most: number) => blocks_of(ranks, Math.ceil(ranks.length / Math.max(1, most)));

// "": at most `most` groups; "4": blocks of four; "host": by host; "0-3;4-7,12": these lists, who is in none is in the group of the rest.
// null: none of these.
export function groups_of(text: string, hosts: readonly string[], ranks: readonly number[], most: number): RankGroup[] | null {
  const wanted = text.trim();
  if (wanted === '') return at_most(ranks, most);
  if (/^\d+$/.test(wanted)) return Number(wanted) > 0 ? blocks_of(ranks, Number(wanted)) : null;
  if (wanted === 'host') {
    const by_host = new Map<string, number[]>();
    for (const rank of ranks) {
      const host = hosts[rank] ?? '',
        members = by_host.get(host);
      if (members) members.push(rank);
      else by_host.set(host, [rank]);
    }
    return [...by_host].map(([host, members]) => ({ label: group_label(members, host), ranks: members }));
  }
  const taken = new Set<number>(),
    groups: RankGroup[] = [];
  for (const piece of wanted.split(';')) {
    const members = ranks_of(piece, hosts.length);
    if (!members) return null;
    const own = members.filter((rank) => ranks.includes(rank) && !taken.has(rank));
    for (const rank of own) taken.add(rank);
    if (own.length > 0) groups.push({ label: ranks_text(own), ranks: own });
  }
  const rest = ranks.filter((rank) => !taken.has(rank));
  if (rest.length > 0) groups.push({ label: `rest: ${ranks_text(rest)}`, ranks: rest });
  return groups;
}

export interface Spread {
  least: number;
  mean: number;
  most: number;
  sum: number;
  count: number;
}
// Of numbers that are there; null of none.
export function spread_of(values: Iterable<number>): Spread | null {
  let least = Number.POSITIVE_INFINITY,
    most = Number.NEGATIVE_INFINITY,
    sum = 0,
    count = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
    sum += value;
    ++count;
  }
  return count === 0 ? null : { least, mean: sum / count, most, sum, count };
}
