// The data of the page, as src/report/html.hpp describes them and html_check.cpp checks them: times in seconds (`_s`) or
// nanoseconds (`_ns`), sizes in bytes, rates a second, shares as parts of 1 unless the key says `_percent`. What is absent or
// null is not shown. Only what the page reads is named; web/test/types.test-d.ts holds it to real reports.

// [low, high] of 95%, in the unit of what it belongs to.
export type Interval = (number | null)[];

export interface Report {
  title?: string | null;
  made_by?: string | null; // "whatwire 0.1.0"
  machine?: Machine | null; // that the programs were recorded on
  machines?: Machine[] | null; // to be drawn side by side; `studies` is empty then
  sweeps?: Sweep[] | null;
  diagnostics?: Diagnostic[] | null;
  assumptions?: string[] | null;
  studies: Study[];
}
export interface Diagnostic {
  name: string;
  severity: string; // info, warning, data loss, error
  count?: number | null; // 1
  remedy?: string | null;
}

// One program, and what was asked about it.
export interface Study {
  name: string;
  launch?: string | string[] | null;
  recorded_s: number; // median of recorded_runs_s
  recorded_runs_s?: number[] | null;
  what_ifs: WhatIf[];
  report?: TraceReport | null;
  peers?: Peer[] | null; // here or in `report`
  timeline?: TimelineData | null;
  dilation?: Dilation | null;
  machine?: Machine | null; // where it differs from the report's
  assumptions?: string[] | null;
  diagnostics?: Diagnostic[] | null;
}
// How long the program takes; low and high: 95%, or the extremes of the runs.
export interface Time {
  s: number;
  low?: number | null;
  high?: number | null;
}
export interface WhatIf {
  spec: string; // "bandwidth=x10,latency=5us"
  simulated?: Time | null;
  dilated?: Time | null;
  virtual?: Time | null;
  real?: Time | null;
  agree?: boolean | null;
  headline: Headline;
}
// src/report/headline.hpp
export interface Headline {
  by?: string | null; // "simulation", "real run", ...; null: withheld, for the reason in `because`
  s?: number | null;
  gain?: number | null; // times as fast as the recorded run
  gain_low?: number | null;
  gain_high?: number | null;
  self_check?: number | null; // the replay on today's machine, relative to the recorded run: -0.94 is 94% too short
  because?: string | null;
  sentence: string;
}

// As `whatwire report --json`.
export interface TraceReport {
  ranks: RankTimes[];
  calls?: Record<string, CallTimes> | null; // by name, "MPI_Send"
  regions?: RegionTimes[] | null;
  peers?: Peer[] | null;
  combined_bytes?: number | null; // that reductions combined for several ranks
  unmatched_sends?: number | null;
  unmatched_receives?: number | null;
  causes?: { sentence: string }[] | null; // what is waited for most
  diagnostics?: Diagnostic[] | null;
}
export interface RankTimes {
  rank: number;
  host?: string | null;
  elapsed_s: number; // the sum of the next four
  compute_s: number;
  library_s: number;
  blocked_algorithmic_s: number;
  blocked_service_s: number;
  messages_sent?: number | null;
  bytes_sent?: number | null;
}
// Summed over the ranks.
export interface CallTimes {
  count: number;
  time_s: number;
  program_s?: number | null; // of it between the return of MPI_Init and the entry of MPI_Finalize
  blocked_s?: number | null;
}
export interface RegionTimes {
  region: string;
  visits: number;
  time_s: number; // the sum of the next three, regions within included
  compute_s: number;
  library_s: number;
  blocked_s: number;
}
export interface Peer {
  source: number;
  destination: number; // ranks
  messages: number;
  bytes: number;
  collective_bytes?: number | null;
}

// As src/report/timeline_json.hpp writes it; all times count from begin_ns.
export interface TimelineData {
  begin_ns: number;
  end_ns: number;
  calls: number;
  listed_calls: number;
  messages: number;
  listed_messages: number;
  shortest_listed_ns?: number | null; // where not all calls are listed
  names: string[]; // of calls
  region_names?: string[] | null;
  rows: RowData[];
  bins?: { width_ns: number; rows: BinsData[] } | null; // null when all calls are listed
  arrows?: ArrowsData | null;
}
// Of one rank, or of several that are merged. Columns of equal length, an entry a listed call.
export interface RowData {
  first_rank: number;
  last_rank: number;
  host?: string | null;
  begin_ns: number;
  end_ns: number;
  regions?: RegionsData | null;
  enter: number[]; // ns, from the entry before
  time: number[]; // ns inside the call
  algorithmic: number[]; // ns of it blocked
  service: number[];
  name: number[]; // index into the timeline's names
  peer: number[]; // rank in the world; -1 none, -2 several
  sent: number[]; // bytes
  received: number[];
}
// Columns of equal length, in ns: enter from the beginning; name an index into region_names; depth: so many others around it.
export interface RegionsData {
  enter: number[];
  time: number[];
  name: number[];
  depth: number[];
}
// ns in each span of width_ns, summed over the row's ranks.
export interface BinsData {
  library: number[];
  algorithmic: number[];
  service: number[];
}
// Columns of equal length, in the order of sending.
export interface ArrowsData {
  source: number[];
  destination: number[]; // ranks
  send_ns: number[]; // entry of the sending call
  receive_ns: number[]; // return of the receiving one
  bytes: number[];
  tag: number[];
}

// As `whatwire dilate --json`. D: the wire is so many times as fast.
export interface Dilation {
  runs?: DilationRun[] | null;
  speedup?: { D: number; value: number; low?: number | null; high?: number | null }[] | null;
  shares?: DilationShares[] | null;
  flattens?: { D: number; because: string } | null;
  verdict?: string | null; // "communication-bound"
  verdict_withheld?: string | null; // why there is none
  because?: string | null;
}
export interface DilationRun {
  D: number;
  elapsed_s: number;
  normalised_s: number; // divided by D
  progress?: string | null; // of open operations while computing: calls, probes
  components?: ComponentTimes | null;
}
// Divided by D, mean of the ranks; their sum is the time of a rank.
export interface ComponentTimes {
  user_s: number;
  communication_s: number;
  receive_wait_s: number;
  send_s: number;
}
export interface DilationShares {
  D: number;
  normalised_s: number;
  user_percent: number;
  communication_percent: number;
  receive_wait_percent: number;
  send_percent: number;
  components?: ComponentTimes | null;
}

// As `whatwire simulate --sweep --json`.
export interface Sweep {
  name: string;
  recorded_s: number;
  replayed_s?: number | null; // on today's machine
  gain_withheld?: string | null; // why there are no speed-ups
  axes: SweepAxis[];
  cells: SweepCell[];
}
export interface SweepAxis {
  part: string; // of a what-if: "bandwidth"
  kind: string; // of `numbers`: seconds, factor, name (then numbers count)
  values: string[]; // as they were written: "x10"
  numbers: number[];
}
export interface SweepCell {
  at: number[]; // an index for each axis
  what_if: string;
  predicted_s: number;
  predicted_low_s?: number | null;
  predicted_high_s?: number | null;
  gain?: number | null; // replayed_s / predicted_s
  blocked_s?: number | null; // mean of the ranks
  blocked_service_s?: number | null;
}

// A machine model, docs/machine-model.md.
export interface Machine {
  name?: string | null;
  links: Link[];
  costs?: Record<string, Segment[]> | null; // by term: F, S, R, A, U, E
  six_lines?: Record<string, TermLine> | null; // likewise
  collectives?: Record<string, CollectiveRow[]> | null; // by name: "allreduce"
  observations?: Observations | null;
  closed_loop?: LoopRow[] | null;
  clock_hz?: number | null;
  alpha_cycles?: number | null; // of the smallest message
  beta_cycles_per_byte?: number | null;
  alpha_beta?: AlphaBeta[] | null; // a row a link
  samples?: string | null; // file of them
  environment?: Record<string, unknown> | null;
  flags?: string[] | null;
}
export interface Link {
  between: string; // inter (hosts), intra (a host)
  latency_s?: number | null;
  latency_ci_s?: Interval | null;
  smallest_s?: number | null; // one way, software included
  smallest_ci_s?: Interval | null;
  segments: Segment[]; // in the order of size
  points?: Point[] | null;
  switches?: Switch[] | null;
  wire?: { seconds_per_byte?: number | null; two_way_efficiency?: number | null } | null;
  eager_threshold_bytes?: number | null;
  pingpong_fit_error?: { mean: number; max: number } | null;
}
// base_s + seconds_per_byte * bytes, for from_bytes < bytes <= to_bytes.
export interface Segment {
  from_bytes: number;
  to_bytes?: number | null; // no end
  base_s: number;
  seconds_per_byte: number;
}
export interface Point {
  bytes: number;
  median_s: number;
  low_s?: number | null;
  high_s?: number | null;
  samples?: number | null;
}
// A size above which messages take longer or shorter by jump_s.
export interface Switch {
  bytes: number;
  low_bytes?: number | null;
  high_bytes?: number | null;
  jump_s: number;
  relative?: number | null; // jump_s to the time before it
  avoid_up_to_bytes?: number | null; // 0: no size is worth avoiding
  cause?: string | null;
}
export interface TermLine {
  base_s: number;
  seconds_per_byte: number;
  max_error_s?: number | null; // largest distance of a point
  points?: Point[] | null;
}
export interface CollectiveRow extends Point {
  ranks: number;
  late?: number | null; // runs thrown out
}
// An experiment simulated on the finished model.
export interface LoopRow {
  experiment: string;
  between?: string | null;
  ranks?: number | null;
  bytes?: number | null;
  measured_s: number;
  simulated_s: number;
  relative?: number | null;
}

// Rows of an experiment: any number may be missing, its row is not drawn then.
type Numbers<K extends string> = { [key in K]?: number | null };
type Intervals<K extends string> = { [key in K]?: Interval | null };
export type Placed = { between?: string | null; bytes?: number | null };
export type AlphaBeta = { between?: string | null; fit?: Numbers<'sizes' | 'measured_sizes' | 'from_bytes' | 'to_bytes'> | null } & Numbers<
  | 't_s'
  | 't_c_s_per_byte'
  | 'clock_hz'
  | 'ipc'
  | 'alpha_cycles'
  | 'beta_cycles_per_byte'
  | 'inverse_beta_bytes_per_cycle'
  | 'operations_per_s'
  | 'alpha_operations'
  | 'beta_operations_per_byte'
>;
export type InterferenceRow = Numbers<'neighbours' | 'bytes' | 'message_s' | 'slowdown' | 'predicted_slowdown'> &
  Intervals<'message_ci_s' | 'slowdown_ci'>;
type RelayRow = Numbers<'hops' | 'bytes' | 'echo_s'> & Intervals<'echo_ci_s'>;
type PassingRow = Placed &
  Numbers<'loss_s' | 'daemon_s' | 'task_s'> &
  Intervals<'loss_ci_s' | 'daemon_ci_s' | 'task_ci_s'> & { computation?: string | null };
type RateRow = Placed & Numbers<'messages_per_s'> & Intervals<'ci_per_s'>;
type LoggpRow = Placed &
  Numbers<'g_s' | 'o_send_s' | 'o_receive_s' | 'latency_s'> &
  Intervals<'g_ci_s' | 'o_send_ci_s' | 'o_receive_ci_s' | 'latency_ci_s'>;
type OverlapRow = Placed & Numbers<'overlapped'> & Intervals<'overlapped_ci'>; // share of the transfer hidden
type BidirectionalRow = Placed & Numbers<'efficiency'>; // of each direction, to one alone
type CongestionRow = Numbers<'pairs' | 'bytes' | 'relative' | 'message_s'> & Intervals<'message_ci_s'>; // relative: to one pair
type AfterRow = Placed & Numbers<'warm_s' | 'after_s'> & Intervals<'warm_ci_s' | 'after_ci_s'> & { call?: string | null };
type BusyRow = Placed & Numbers<'idle_s' | 'busy_s'> & Intervals<'idle_ci_s' | 'busy_ci_s'>;
export type TimerRow = { host?: string | null } & Numbers<'call_s' | 'resolution_s' | 'backward_steps'>;
export interface Observations {
  matrix?: PairMatrix | null;
  interference?: InterferenceRow[] | null;
  relay?: RelayRow[] | null;
  forwarding?: PassingRow[] | null;
  message_rate?: RateRow[] | null;
  loggp?: LoggpRow[] | null;
  overlap?: OverlapRow[] | null;
  bidirectional?: BidirectionalRow[] | null;
  congestion?: CongestionRow[] | null;
  after_computation?: AfterRow[] | null;
  busy?: BusyRow[] | null;
  timer?: TimerRow[] | null;
  printed?: AlphaBeta[] | null; // what a source prints, as it prints it
}
export type Table = (number | null)[][]; // row: sender, column: receiver
export interface PairMatrix {
  ranks?: number | number[] | null; // how many, or which
  hosts?: string[] | null; // of each
  small_bytes?: number | null;
  latency_s?: Table | null;
  large_bytes?: number | null;
  bytes_per_s?: Table | null;
}
