// The JSON answers of docs/design/viewing.md, key by key. All times are ns since the begin of the program proper, unless the name says s.
export interface TraceEntry {
  number: number;
  name: string;
  kind: 'recorded' | 'predicted' | 'live';
  source: string;
  spec?: string; // predicted: of which what-if
  of?: number; // predicted: the recorded trace it was made of
  passing?: true; // predicted: for a place of a slider that moves on
  unclosed?: true; // there is a spool and no archive
  picture?: true; // of its calls a picture can be had, before all of it is loaded
}
export interface Named {
  name: string;
  about: string;
}
export interface TraceList {
  made_by: string;
  read_only: boolean;
  may_run?: true; // programs, for the page
  traces: TraceEntry[];
  machines: Named[]; // that a what-if may name
  networks: Named[];
}

export type Part = 'compute' | 'library' | 'algorithmic' | 'service' | 'outside';
export type State = 'sending' | 'receiving' | 'computing' | 'idle' | 'routing' | 'outside';
// What an instant of a rank can be: a call (or none: -1) and the part of it.
export interface Key {
  name: number;
  part: Part;
  role: string;
  state: State;
}
export interface RankFacts {
  rank: number;
  host: string;
  begin_ns: number;
  end_ns: number;
}
// src/base/diagnostic.hpp; `whatwire explain NAME` says more.
export interface Diagnostic {
  name: string; // "clock-uncertain"
  severity: string;
  count: number;
  remedy: string;
}
export interface TraceFacts {
  name: string;
  kind: 'recorded' | 'predicted' | 'live';
  ranks: RankFacts[];
  span_ns: [number, number];
  elapsed_s: number;
  calls: number;
  messages: number;
  collectives: number;
  names: string[];
  keys: Key[];
  communicators: { name: string; ranks: number[] | number }[]; // of one that every rank is in, how many
  user_regions: string[];
  values: { name: string; unit: string }[];
  markers: number;
  topology: { dims: number[]; periodic: boolean[] } | null; // of the program's Cartesian communicator; the first changes fastest
  diagnostics: Diagnostic[];
  run: Record<string, unknown>;
  index: { top_level: number; bytes: number };
  calls_only?: true; // a picture (TraceEntry.picture): what waited, and messages, are not known
}

export interface RankState {
  rank: number;
  key: number;
  name: string | null; // of the call; null: in none
  call?: number | null;
  part: Part;
  since_ns: number;
  until_ns: number;
  peer?: number | null; // -1: none or any, -2: several
  tag?: number | null;
  comm?: string | null;
  bytes?: number | null;
  queued_messages: number;
  queued_bytes: number;
  outgoing_messages: number;
  outgoing_bytes: number;
}
export interface CallMessage {
  number: number;
  outgoing: boolean;
  peer: number;
  tag: number;
  bytes: number;
  sent_ns: number;
  received_ns: number | null;
}
export interface CallDetails {
  rank: number;
  call: number;
  name: string;
  enter_ns: number;
  leave_ns: number;
  algorithmic_ns: number;
  service_ns: number;
  library_ns: number;
  messages: CallMessage[];
  collective: { op: string; comm: string; members: { rank: number; enter_ns: number; leave_ns: number }[] } | null;
  [more: string]: unknown;
}

// A place in the picture: what a link, a jump or a search sets.
export interface Link {
  from_ns: number;
  to_ns: number;
  ranks?: string;
  calls?: string;
  display?: string;
}
export interface Cause {
  text: string;
  remedy?: string; // what its author can do about it
  part?: Part; // that its time counts as
  s: number; // of all of them together
  waiting?: number; // so many ranks wait
  share: number; // of the time of the ranks that wait
  of_all?: number; // of the time of all ranks
  link: Link; // from its first wait to its last
  longest?: { rank: number; call: number; from_ns: number; to_ns: number };
}
export interface FirstLook {
  causes: Cause[];
  waits_of_at_least?: number; // share from which on a cause is one
  disturbed?: true; // ranks did not have their cores all the time: diagnostics say more
}
export interface Jump {
  rank: number;
  call: number | null;
  from_ns: number;
  to_ns: number;
  text: string;
}
export interface Found {
  kind: string;
  text: string;
  rank?: number;
  from_ns?: number;
  to_ns?: number;
  count?: number;
}
export interface Marks {
  markers: { rank: number; at_ns: number; text: string }[];
  regions: { rank: number; from_ns: number; to_ns: number; name: string; depth: number }[]; // depth 0: the outermost of its thread
  left_out: number;
}
export interface Prediction {
  recorded_s: number | null;
  replayed_s: number;
  predicted_s: number;
  predicted_low_s: number | null;
  predicted_high_s: number | null;
  ranks: unknown[];
  assumptions: string[];
  diagnostics: Diagnostic[];
  trace: number | null;
}
export interface QueryAnswer {
  columns: string[];
  rows: (string | number | null)[][];
  left_out: number | string | null;
}
export interface LiveRank {
  rank: number;
  host: string;
  state: string;
  call: string | null;
  peer: number | null; // -1: any
  tag: number | null;
  comm: string | null;
  since_ns: number;
  for_ns: number;
  records: number;
  not_entered?: number[]; // of a collective: members that are not in it
}
export interface LiveState {
  running: boolean;
  now_ns: number;
  ring: number[]; // ranks each of which waits for the next, the last for the first
  ranks: LiveRank[];
}
