// S5's clump display: who sends to whom as squares, collectives included, ranks grouped at will; and who waits for whom.
import { max } from 'd3-array';
import { type Row, svg, tip } from '../../base/dom.ts';
import { bytes_text, count_text, seconds } from '../../base/format.ts';
import { type Stop, walkable } from '../../charts/chart.ts';
import type { View } from '../display.ts';
import { readable_on, strength_scale } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { groups_of, type RankGroup, ranks_text, type Spread, spread_of } from '../drawing/ranks.ts';
import { view_ranks } from '../drawing/series.ts';

export interface PairFacts {
  source: number;
  destination: number;
  messages: number;
  bytes: number;
  collective_bytes: number;
  together_bytes: number;
  wait_s: number; // of the destination, before the source had begun
  waits: number;
}
type Measure = 'together_bytes' | 'bytes' | 'messages' | 'collective_bytes' | 'wait_s';
const measures: readonly (readonly [Measure, string])[] = [
  ['together_bytes', 'bytes, collectives included'],
  ['bytes', 'bytes of messages'],
  ['messages', 'messages'],
  ['collective_bytes', 'bytes of collectives'],
  ['wait_s', 'waiting for the sender'],
];
const measure: Control = { option: 'measure', label: 'show', choices: () => measures };
const statistic: Control = {
  option: 'of',
  label: 'of groups',
  about: 'What a square of several pairs shows',
  choices: () => [
    ['sum', 'sum'],
    ['mean', 'mean of the pairs'],
    ['most', 'most of a pair'],
    ['least', 'least of a pair'],
  ],
};
const groups: Control = {
  option: 'groups',
  label: 'groups',
  placeholder: '4 \u00b7 host \u00b7 0-3;4-7',
  about: 'Ranks that are one row: "4" for each four, "host", or lists as 0-3;4-7. Kept in the address.',
};
const MOST_ROWS = 48;

interface Sent {
  pairs: Omit<PairFacts, 'together_bytes' | 'wait_s' | 'waits'>[];
  combined_bytes: number;
}
interface Waits {
  waited_for: { rank: number; waited_for: number; blocked_algorithmic_s: number; calls: number }[];
}
export interface Clumps {
  pairs: PairFacts[];
  combined_bytes: number;
}
// Messages and collectives of each pair, and what the receiver waited for the sender.
export function pair_facts(sent: Sent, waits: Waits): PairFacts[] {
  const pairs = new Map<string, PairFacts>();
  const at = (source: number, destination: number) => {
    const key = `${source}>${destination}`;
    const pair = pairs.get(key) ?? {
      source,
      destination,
      messages: 0,
      bytes: 0,
      collective_bytes: 0,
      together_bytes: 0,
      wait_s: 0,
      waits: 0,
    };
    pairs.set(key, pair);
    return pair;
  };
  for (const one of sent.pairs) {
    const pair = at(one.source, one.destination);
    pair.messages += one.messages;
    pair.bytes += one.bytes;
    pair.collective_bytes += one.collective_bytes;
    pair.together_bytes += one.bytes + one.collective_bytes;
  }
  for (const { rank, waited_for, blocked_algorithmic_s, calls } of waits.waited_for) {
    const pair = at(waited_for, rank);
    pair.wait_s += blocked_algorithmic_s;
    pair.waits += calls;
  }
  return [...pairs.values()];
}

export interface Clump {
  row: number;
  column: number;
  pairs: PairFacts[];
  spread: Spread; // over all pairs of ranks of the two groups, those that have nothing included
}
export function clumps_of(pairs: readonly PairFacts[], list: readonly RankGroup[], what: Measure): Clump[] {
  const group_of = new Map(list.flatMap(({ ranks }, group) => ranks.map((rank) => [rank, group] as const))),
    cells = new Map<number, PairFacts[]>();
  for (const pair of pairs) {
    const row = group_of.get(pair.source),
      column = group_of.get(pair.destination);
    if (row === undefined || column === undefined) continue;
    const key = row * list.length + column,
      cell = cells.get(key);
    if (cell) cell.push(pair);
    else cells.set(key, [pair]);
  }
  return [...cells].flatMap(([key, members]) => {
    const row = Math.floor(key / list.length),
      column = key % list.length,
      spread = spread_of(members.map((pair) => pair[what])),
      possible = (list[row]?.ranks.length ?? 0) * (list[column]?.ranks.length ?? 0);
    if (!spread || spread.sum <= 0) return [];
    const least = members.length < possible ? 0 : spread.least;
    return [{ row, column, pairs: members, spread: { ...spread, least, mean: spread.sum / possible, count: possible } }];
  });
}

export const clump = panel<Clumps>({
  name: 'clump',
  title: 'Who to whom',
  group: 'Messages',
  about: 'Who sends how much to whom, and who waits for whom?',
  controls: [measure, statistic, groups],
  depends: of_selection,
  async ask(view, signal) {
    const [sent, waits] = await Promise.all([
      view.trace.ask<Sent>('sent', view.selection, signal),
      view.trace.ask<Waits>('waits', view.selection, signal),
    ]);
    return { pairs: pair_facts(sent, waits), combined_bytes: sent.combined_bytes };
  },
  draw(view, { pairs, combined_bytes }, { width, height }) {
    const what = chosen(measure, view) as Measure,
      over = chosen(statistic, view) as 'sum' | 'mean' | 'most' | 'least',
      hosts = view.trace.facts.ranks.map(({ host }) => host),
      // A selection of ranks leaves their partners in the picture.
      used =
        view.look.selection.ranks === ''
          ? view_ranks(view)
          : [...new Set([...view_ranks(view), ...pairs.flatMap(({ source, destination }) => [source, destination])])].sort((a, b) => a - b),
      list = groups_of(chosen(groups, view), hosts, used, MOST_ROWS);
    if (!list) return nothing('The groups are none: write a number of ranks ("4"), "host", or lists of ranks as 0-3;4-7.');
    const cells = clumps_of(pairs, list, what),
      total = pairs.reduce((sum, pair) => sum + pair[what], 0);
    if (cells.length === 0)
      return nothing(what === 'wait_s' ? 'No rank waited here for another to begin.' : 'Nothing was sent here, of what is shown.');
    const text = (value: number) =>
        what === 'wait_s' ? seconds(value) : what === 'messages' ? count_text(+value.toFixed(1)) : bytes_text(Math.round(value)),
      most = max(cells, ({ spread }) => spread[over]) ?? 0,
      label_width = Math.min(140, 34 + 6.6 * (max(list, ({ label }) => Math.min(18, label.length)) ?? 1)),
      top = 36,
      size = Math.max(7, Math.min(64, (Math.min(width - label_width, Math.max(200, height - top - 30)) - 4) / list.length)),
      whole = size * list.length,
      scale = strength_scale(view.palette.dark),
      stops: Stop[] = [];
    const drawn = cells.map((cell) => {
      const value = cell.spread[over];
      if (!(value > 0)) return null;
      const share = value / most,
        x = label_width + cell.column * size,
        y = top + cell.row * size,
        from = list[cell.row],
        to = list[cell.column],
        title = `${from?.label} \u2192 ${to?.label}`,
        rows = cell_rows(cell, text);
      const node = svg(
        'g',
        { class: 'choosable', 'data-from': from?.label, 'data-to': to?.label, 'data-value': value, onclick: () => choose(view, from, to) },
        svg('rect', { x: x + 0.5, y: y + 0.5, width: size - 1, height: size - 1, fill: scale(0.08 + 0.92 * share) }),
        size >= 44 &&
          svg(
            'text',
            {
              x: x + size / 2,
              y: y + size / 2 + 4,
              'text-anchor': 'middle',
              'pointer-events': 'none',
              class: 'in-cell',
              style: `fill: ${readable_on(0.08 + 0.92 * share, view.palette.dark)}`,
            },
            text(value),
          ),
      );
      stops.push({ node, title, rows });
      return tip(node, title, rows);
    });
    const every = Math.ceil(14 / size),
      across = Math.ceil((7 + 6.6 * (max(list, ({ label }) => Math.min(18, label.length)) ?? 1)) / size);
    const labels = list.flatMap(({ label }, i) => {
      const short = label.length > 18 ? `${label.slice(0, 17)}\u2026` : label;
      return [
        i % every === 0 && svg('text', { x: label_width - 6, y: top + (i + 0.5) * size + 4, 'text-anchor': 'end' }, short),
        i % across === 0 && svg('text', { x: label_width + (i + 0.5) * size, y: top - 5, 'text-anchor': 'middle' }, short),
      ];
    });
    const picture = svg(
      'svg',
      {
        class: 'clump',
        viewBox: `0 0 ${label_width + whole + 4} ${top + whole + 4}`,
        width: label_width + whole + 4,
        height: top + whole + 4,
        role: 'img',
        'aria-label': 'who sends to whom',
        'data-total': total,
      },
      svg('text', { x: label_width, y: 12 }, what === 'wait_s' ? 'who waits' : 'to rank'),
      svg('text', { x: 0, y: top - 5 }, what === 'wait_s' ? 'for' : 'from'),
      svg('rect', { x: label_width, y: top, width: whole, height: whole, fill: 'none', stroke: 'var(--line)' }),
      labels,
      drawn,
    );
    return {
      note:
        `${text(total)} in all${list.some((group) => group.ranks.length > 1) ? `; a square shows the ${over} of its pairs` : ''}.` +
        (combined_bytes > 0 && (what === 'together_bytes' || what === 'collective_bytes')
          ? ` ${bytes_text(combined_bytes)} went into reductions for several ranks and belong to no pair.`
          : ''),
      body: walkable(picture, stops),
      picture,
      table: () => ({
        columns: ['source', 'destination', 'messages', 'bytes', 'collective_bytes', 'waited_for_source_s', 'waits'],
        rows: pairs.map((pair) => [
          pair.source,
          pair.destination,
          pair.messages,
          pair.bytes,
          pair.collective_bytes,
          pair.wait_s,
          pair.waits,
        ]),
      }),
    };
  },
});
function cell_rows({ pairs, spread }: Clump, text: (value: number) => string): Row[] {
  const sum = (key: 'messages' | 'bytes' | 'collective_bytes' | 'wait_s') => pairs.reduce((all, pair) => all + pair[key], 0),
    messages = sum('messages');
  return [
    ['messages', count_text(messages)],
    ['bytes', bytes_text(sum('bytes'))],
    ...(messages > 0 ? [['mean size', bytes_text(Math.round(sum('bytes') / messages))] satisfies Row] : []),
    ['by collectives', bytes_text(sum('collective_bytes'))],
    ['waited for the sender', seconds(sum('wait_s'))],
    ...(spread.count > 1
      ? [
          [
            `of ${count_text(spread.count)} pairs, least \u2013 mean \u2013 most`,
            `${text(spread.least)} \u2013 ${text(spread.mean)} \u2013 ${text(spread.most)}`,
          ] satisfies Row,
        ]
      : []),
  ];
}
// The pair's messages: what the senders do with these peers.
function choose(view: View, from: RankGroup | undefined, to: RankGroup | undefined) {
  const ranks = ranks_text(from?.ranks ?? []),
    peers = ranks_text(to?.ranks ?? []),
    { selection } = view.look,
    same = selection.ranks === ranks && selection.peers === peers;
  view.change({ selection: { ...selection, ranks: same ? '' : ranks, peers: same ? '' : peers } });
}
