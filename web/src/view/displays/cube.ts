// S5's cube display: the ranks as nodes of a network, coloured by what they do at the instant; on every link what messages of their routes
// bring over it, at the instant or in the selected time. Hypercubes by e-cube routing, and other networks by theirs.
import { max } from 'd3-array';
import { type Row, svg, tip } from '../../base/dom.ts';
import { bytes_text, count_text, nanoseconds } from '../../base/format.ts';
import { type Stop, walkable } from '../../charts/chart.ts';
import type { View } from '../display.ts';
import { strength_scale } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, panel } from '../drawing/panel.ts';
import { selected_ranks } from '../drawing/ranks.ts';
import { saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';
import {
  dims_of,
  is_power_of_two,
  type LinkLoad,
  link_loads,
  type Place,
  places_of,
  topology_kinds,
  topology_of,
} from '../drawing/topology.ts';
import type { RankState } from '../source/answers.ts';
import type { Messages } from '../source/decode.ts';
import { toggle_ranks } from './ranks.ts';

// As the user gave its sizes, or the program made it.
const sizes: Control = {
  option: 'dims',
  label: 'sizes',
  about: 'of a mesh or torus, as 4x2: ranks along each dimension, the first changes fastest',
  placeholder: 'as the run',
};
const topology_in = (view: View, kind: string) => {
  const { ranks, topology } = view.trace.facts;
  return topology_of(kind, ranks.length, topology, dims_of(view.option('dims'), ranks.length));
};
const shape_text = ({ kind, dims }: ReturnType<typeof topology_of>) =>
  kind === 'mesh' || kind === 'torus' ? `${kind} ${dims.join('\u00d7')}` : kind;
const network: Control = {
  option: 'network',
  label: 'network',
  choices: (view) => [
    ['', `as the run: ${shape_text(topology_in(view, ''))}`],
    ...topology_kinds
      .filter((kind) => kind !== 'hypercube' || is_power_of_two(view.trace.facts.ranks.length))
      .map((kind): readonly [string, string] => [kind, kind === 'full' ? 'every pair joined' : kind]),
  ],
};
const when: Control = {
  option: 'when',
  label: 'traffic',
  choices: (view) =>
    view.look.at_ns === null
      ? [['all', 'of the selected time']]
      : [
          ['now', 'at the instant'],
          ['all', 'of the selected time'],
        ],
};
const measure: Control = {
  option: 'measure',
  label: 'by',
  choices: () => [
    ['bytes', 'bytes'],
    ['messages', 'messages'],
  ],
};
const MOST_NODES = 1024,
  MOST_PAIRS = 6; // in a tooltip

interface Pair {
  source: number;
  destination: number;
  messages: number;
  bytes: number;
}
export interface Traffic {
  states: RankState[] | null;
  pairs: Pair[];
  all: number; // messages under way; more than are listed: the amounts are scaled up
}
// Messages under way as pairs; where only every n-th is listed each counts for n.
export function pairs_under_way(messages: Messages): Pair[] {
  const scale = messages.count > 0 ? messages.all / messages.count : 1,
    pairs = new Map<string, Pair>();
  for (let i = 0; i < messages.count; ++i) {
    const [source, destination] = [messages.source[i] ?? 0, messages.destination[i] ?? 0],
      key = `${source}>${destination}`,
      pair = pairs.get(key) ?? { source, destination, messages: 0, bytes: 0 };
    pair.messages += scale;
    pair.bytes += scale * (messages.bytes[i] ?? 0);
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

async function ask(view: View, signal: AbortSignal): Promise<Traffic> {
  const at = view.look.at_ns,
    now = chosen(when, view) === 'now' && at !== null;
  const states = at === null ? null : (await view.trace.state(at, signal)).ranks;
  if (now) {
    const from_ns = Math.round(at),
      messages = await view.trace.messages({ from_ns, to_ns: from_ns + 1, limit: 10_000 }, signal);
    return { states, pairs: pairs_under_way(messages), all: messages.all };
  }
  const { pairs } = await view.trace.ask<{ pairs: Pair[] }>('sent', view.selection, signal);
  return { states, pairs, all: pairs.reduce((sum, { messages }) => sum + messages, 0) };
}

// The least distance of two nodes, in the unit square.
export function nearest(places: readonly Place[]): number {
  let least = 1;
  places.forEach(([x, y], i) => {
    for (let j = i + 1; j < places.length; ++j) least = Math.min(least, Math.hypot(x - (places[j]?.[0] ?? 0), y - (places[j]?.[1] ?? 0)));
  });
  return least;
}

export const cube = panel<Traffic>({
  name: 'cube',
  title: 'Cube: nodes and channels',
  group: 'Ranks',
  about: 'Which links of a network would carry the messages, and what does each node do?',
  controls: [network, sizes, when, measure],
  instant: true,
  depends: (view) => [view.trace.number, view.look.at_ns, chosen(when, view) === 'now' ? null : view.selection],
  ask,
  draw(view, { states, pairs, all }, { width, height }) {
    const { facts } = view.trace,
      nodes = facts.ranks.length;
    if (nodes > MOST_NODES)
      return nothing(`${nodes} nodes are more than fit into this picture (${MOST_NODES}); the matrix of pairs shows them in groups.`);
    const topology = topology_in(view, chosen(network, view)),
      by = chosen(measure, view) as 'bytes' | 'messages',
      text = (value: number) => (by === 'bytes' ? bytes_text(Math.round(value)) : `${count_text(Math.round(value))} messages`),
      loads = link_loads(
        topology,
        pairs.map((pair) => [pair.source, pair.destination, pair[by]] as const),
      ),
      most = max(loads, (load) => load.forward + load.backward) ?? 0,
      places = places_of(topology),
      side = Math.max(240, Math.min(width, height - 40)),
      room = { width: topology.kind === 'tree' ? width : side, height: side },
      node_radius = Math.max(2.5, Math.min(15, 0.42 * side * nearest(places))),
      inset = node_radius + 14,
      at = (node: number) => {
        const [x, y] = places[node] ?? [0, 0];
        return [inset + x * (room.width - 2 * inset), inset + y * (room.height - 2 * inset)] as const;
      };
    const strength = strength_scale(view.palette.dark),
      { classes, of_key } = view.palette.classes(facts.names, facts.keys),
      selected = new Set(selected_ranks(view.look.selection.ranks, nodes)),
      stops: Stop[] = [];
    const busiest_last = [...loads].sort((a, b) => a.forward + a.backward - b.forward - b.backward);
    const channels = busiest_last.map((load) => channel(load, at, most, strength, text, stops, view));
    const circles = facts.ranks.map(({ rank, host }, node) => {
      const [x, y] = at(node),
        state = states?.find((one) => one.rank === rank),
        shown = state && classes[of_key[state.key] ?? 0],
        rows: Row[] = state ? state_rows(state) : [['host', host]];
      const drawn = svg(
        'g',
        { class: 'choosable', 'data-rank': rank, 'data-state': shown?.name, onclick: () => toggle_ranks(view, [rank]) },
        svg('circle', {
          cx: x,
          cy: y,
          r: node_radius,
          fill: shown?.colour ?? 'var(--paper)',
          stroke: selected.has(rank) ? 'var(--ink)' : 'var(--line)',
          'stroke-width': 1.5,
        }),
        node_radius > 8 && svg('text', { x, y: y + 4, 'text-anchor': 'middle', class: 'halo', 'pointer-events': 'none' }, String(rank)),
      );
      stops.push({ node: drawn, title: `rank ${rank}`, rows });
      return tip(drawn, `rank ${rank}`, rows);
    });
    const picture = svg(
      'svg',
      {
        class: 'cube',
        viewBox: `0 0 ${room.width} ${room.height}`,
        width: room.width,
        height: room.height,
        role: 'img',
        'aria-label': `${topology.kind} of ${nodes} nodes`,
        'data-most': most,
        'data-all': all,
      },
      channels,
      circles,
    );
    const now = chosen(when, view) === 'now';
    return {
      note:
        `${text(pairs.reduce((sum, pair) => sum + pair[by], 0))} ${now ? 'under way at the instant' : 'sent in the selected time'}; ` +
        `the busiest link of this ${topology.kind} carries ${text(most)}. Messages only, not what collectives do inside.` +
        (states ? '' : ' Choose an instant to see what each node does.'),
      body: [
        states && time_legend(classes.map(({ title, about, colour }) => ({ name: title, about, colour, values: [] }))),
        walkable(picture, stops),
      ],
      picture,
      table: () =>
        saved_table<LinkLoad>(
          [
            { title: 'low', name: 'node', value: ({ low }) => low },
            { title: 'high', name: 'neighbour', value: ({ high }) => high },
            { title: 'forward', name: `${by}_to_neighbour`, value: ({ forward }) => forward },
            { title: 'backward', name: `${by}_to_node`, value: ({ backward }) => backward },
          ],
          loads,
        ),
    };
  },
});

function channel(
  load: LinkLoad,
  at: (node: number) => readonly [number, number],
  most: number,
  strength: (share: number) => string,
  text: (value: number) => string,
  stops: Stop[],
  view: View,
) {
  const [x1, y1] = at(load.low),
    [x2, y2] = at(load.high),
    both = load.forward + load.backward,
    share = most > 0 ? both / most : 0,
    busiest = [...load.pairs].sort((a, b) => b[2] - a[2]);
  const rows: Row[] = [
    [`${load.low} \u2192 ${load.high}`, text(load.forward)],
    [`${load.high} \u2192 ${load.low}`, text(load.backward)],
    ...busiest.slice(0, MOST_PAIRS).map(([source, destination, amount]): Row => [`of rank ${source} to ${destination}`, text(amount)]),
    ...(busiest.length > MOST_PAIRS ? [['and pairs more', String(busiest.length - MOST_PAIRS)] satisfies Row] : []),
  ];
  const node = svg(
    'g',
    {
      class: 'choosable',
      'data-link': `${load.low}-${load.high}`,
      'data-forward': load.forward,
      'data-backward': load.backward,
      onclick: () => toggle_ranks(view, [load.low, load.high]),
    },
    svg('line', {
      x1,
      y1,
      x2,
      y2,
      stroke: share > 0 ? strength(0.25 + 0.75 * share) : 'var(--line)',
      'stroke-width': share > 0 ? 1.5 + 6 * share : 1,
    }),
    svg('line', { x1, y1, x2, y2, stroke: 'transparent', 'stroke-width': 11 }),
  );
  const title = `link ${load.low} \u2013 ${load.high}`;
  if (both > 0) stops.push({ node, title, rows });
  return tip(node, title, rows);
}
export function state_rows(state: RankState): Row[] {
  return [
    ['in', state.name || state.part],
    ['part', state.part],
    ['since', nanoseconds(state.since_ns)],
    ['until', nanoseconds(state.until_ns)],
    ...peer_rows(state),
    ['waiting for it', `${count_text(state.queued_messages)} messages, ${bytes_text(state.queued_bytes)}`],
    ['of its own under way', `${count_text(state.outgoing_messages)} messages, ${bytes_text(state.outgoing_bytes)}`],
  ];
}
function peer_rows({ peer, tag }: RankState): Row[] {
  return [
    ...(typeof peer === 'number' && peer !== -1 ? [['peer', peer === -2 ? 'several' : String(peer)] satisfies Row] : []),
    ...(typeof tag === 'number' && tag >= 0 ? [['tag', String(tag)] satisfies Row] : []),
  ];
}
