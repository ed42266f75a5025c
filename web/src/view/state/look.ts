// What is looked at: one plain value. Every display shows this and nothing else, the address has it, undo goes back in it.
import type { Query } from '../source/source.ts';
import { default_panes, type Pane } from './panes.ts';

export type Colouring = 'state' | 'part' | 'call' | 'key'; // key: a call and which part of it
export type Theme = 'auto' | 'light' | 'dark';

// As `report --select` has it; '' or null: all.
export interface Selection {
  from_ns: number | null;
  to_ns: number | null;
  ranks: string; // "0-3,7"
  calls: string; // "MPI_Send,p2p"
  peers: string;
}
export interface Picked {
  trace: number;
  rank: number;
  call: number;
}
export interface Look {
  traces: number[]; // shown, one below the other; displays of one trace show the first
  window: readonly [from_ns: number, to_ns: number] | null; // visible; null: the whole span of the traces shown
  rows: readonly [from: number, to: number] | null; // visible ranks, to excluded, may lie within a row; null: all
  order: 'rank' | 'blocked'; // of the rows
  selection: Selection;
  at_ns: number | null; // the instant (cursor)
  picked: Picked | null; // the call in the details
  colouring: Colouring;
  colours: Record<string, string>; // changed by the user: class name to colour
  colour_map: string; // the name under which they are saved in this browser; '' where they are not
  messages: boolean; // lines in the timeline
  speed: number; // of replay, ns of the trace a second
  what_if: string; // spec of the moved wire, '' as recorded
  panes: Pane;
  theme: Theme;
}

export const no_selection: Selection = { from_ns: null, to_ns: null, ranks: '', calls: '', peers: '' };
export const first_look = (): Look => ({
  traces: [0],
  window: null,
  rows: null,
  order: 'rank',
  selection: no_selection,
  at_ns: null,
  picked: null,
  colouring: 'state',
  colours: {},
  colour_map: '',
  messages: true,
  speed: 0,
  what_if: '',
  panes: default_panes(),
  theme: 'auto',
});

export const is_selected = ({ from_ns, ranks, calls, peers }: Selection) =>
  from_ns !== null || ranks !== '' || calls !== '' || peers !== '';

// SEL of the protocol.
export const selection_query = ({ from_ns, to_ns, ranks, calls, peers }: Selection): Query => ({
  from_ns: from_ns === null ? null : Math.floor(from_ns),
  to_ns: to_ns === null ? null : Math.ceil(to_ns),
  ranks,
  calls,
  peers,
});
