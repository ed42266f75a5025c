// The experiments beside the ping-pong, each as a small chart: one series for each place or size it was made at.

import { ascending, groups, max, mean } from 'd3-array';
import { type Child, number_heads, number_row, type Row, table } from '../base/dom.ts';
import { count_text, factor_text, percent, seconds, signed_percent, with_prefix } from '../base/format.ts';
import { type Axis, card } from '../charts/chart.ts';
import {
  bytes_axis,
  bytes_title,
  interval_text,
  linear_time_axis,
  on_log,
  type Plot,
  type PlotPoint,
  plot,
  type Series,
  series_colour,
  share_axis,
  size_points,
  time_axis,
} from '../charts/plot.ts';
import type { InterferenceRow, Interval, LoopRow, Observations, Placed, TimerRow } from '../data/types.ts';
import { link_name } from './pingpong.ts';

type Maybe<T> = T | null | undefined;
const place_of = (row: Placed) => (row.between ? link_name(row.between) : 'all');
const exact = (s: number) => seconds(s, 4);

// What of a row is a point: its place, its value with an interval of 95%, and what its tooltip says. name: the series'.
interface Reading<R> {
  at: (row: R) => Maybe<number>;
  value: (row: R) => Maybe<number>;
  interval?: (row: R) => Maybe<Interval>;
  title: (row: R, name: string) => string;
  text: (value: number) => string;
  what?: string; // measured
}
// Rows as points of a series, from left to right; those that lack a number (null, where the model has none) are left out.
export function row_points<R>(rows: R[], { at, value, interval, title, text, what = 'measured' }: Reading<R>, name = ''): PlotPoint[] {
  const points = rows.flatMap((row) => {
    const x = at(row),
      y = value(row),
      [low, high] = interval?.(row) ?? [],
      measured: Row[] = [[what, text(y ?? 0)]];
    if (typeof x !== 'number' || typeof y !== 'number' || Number.isNaN(x)) return [];
    return [{ x, y, low, high, title: title(row, name), rows: [...measured, ...interval_text(low, high, text)] }];
  });
  return points.sort((a, b) => ascending(a.x, b.x));
}
// A joined series for each name that `key` gives, in the order in which they come.
const lines = <R>(rows: R[], key: (row: R) => string, reading: Reading<R>): Series[] =>
  groups(rows, key).map(([name, list]) => ({ name, joined: true, points: row_points(list, reading, name) }));
const over_bytes = <R extends Placed>(rows: R[], reading: Omit<Reading<R>, 'at' | 'title'>) =>
  lines(rows, place_of, { at: (row) => on_log(row.bytes), title: (row, name) => `${name}, ${bytes_title(row.bytes)}`, ...reading });
const by_size = (row: Placed) => bytes_title(row.bytes);
const over_count = <R extends Placed>(rows: R[], what: string, reading: Omit<Reading<R>, 'title'>) =>
  lines(rows, by_size, { title: (row, name) => `${reading.at(row)} ${what}, ${name}`, ...reading });

const whole_axis = (title: string, values: Maybe<number>[]): Axis => ({
  kind: 'linear',
  label: String,
  title,
  include: [0],
  ticks: [...new Set(values.filter((value) => typeof value === 'number'))].sort(ascending).map((value) => [value, String(value)]),
});
const factor_axis = (title: string): Axis => ({ kind: 'linear', label: (value) => '×' + +value.toFixed(2), title, include: [0, 1] });
const second_dash = '4 4';

// How much computation Q is slowed by neighbours that stream messages through its node, and what the
// software costs alone would say.
export function interference_cards(rows: InterferenceRow[]) {
  if (rows.length === 0) return [];
  const x = whole_axis(
    'streaming neighbours',
    rows.map((row) => row.neighbours),
  );
  const at = (row: InterferenceRow) => row.neighbours,
    title = (row: InterferenceRow, name: string) => `${row.neighbours} neighbours, ${name}`;
  const slow = groups(rows, by_size).flatMap(([name, list], i): Series[] => [
    {
      name,
      joined: true,
      colour: series_colour(i),
      points: row_points(list, { at, value: (row) => row.slowdown, interval: (row) => row.slowdown_ci, title, text: factor_text }, name),
    },
    {
      name: name + ', by software costs',
      joined: true,
      colour: series_colour(i),
      dash: second_dash,
      hollow: true,
      points: row_points(list, { at, value: (row) => row.predicted_slowdown, title, text: factor_text, what: 'predicted' }, name),
    },
  ]);
  return [
    card(
      'Interference: computation beside streaming neighbours',
      'Full: measured, with 95% intervals. Dashed: what the software costs of the messages alone would take from the computation.',
      plot({
        name: 'interference',
        label: 'slow-down of a computation over streaming neighbours',
        x,
        y: factor_axis('slow-down of the computation'),
        series: slow.filter((one) => one.points?.length),
      }),
    ),
    card(
      'Interference: time per message',
      null,
      plot({
        name: 'interference-message',
        label: 'time per message over streaming neighbours',
        x,
        y: linear_time_axis('time per message'),
        series: over_count(rows, 'neighbours', { at, value: (row) => row.message_s, interval: (row) => row.message_ci_s, text: exact }),
      }),
    ),
  ];
}

// Some times of each group, each of a look. times: what they are called, and their reading.
type Times<R> = [name: string, value: (row: R) => Maybe<number>, interval: (row: R) => Maybe<Interval>];
const several_times = <R extends Placed>(
  rows: R[],
  key: (row: R) => string,
  times: Times<R>[],
  text: (s: number) => string,
  look: (group: string, group_index: number, time: string, time_index: number) => Omit<Series, 'points'>,
): Series[] =>
  groups(rows, key).flatMap(([group, list], g) =>
    times.map(([time, value, interval], t) => {
      const series = look(group, g, time, t),
        title = (row: R) => `${series.name}, ${bytes_title(row.bytes)}`;
      return { ...series, joined: true, points: row_points(list, { at: (row) => on_log(row.bytes), value, interval, title, text }) };
    }),
  );
// Of one colour, the first one full, the second dashed.
const full_and_dashed = <R extends Placed>(rows: R[], key: (row: R) => string, times: Times<R>[]) =>
  several_times(rows, key, times, exact, (group, g, time, t) => ({
    name: `${group}, ${time}`,
    colour: series_colour(g),
    dash: t > 0 ? second_dash : null,
    hollow: t > 0,
  }));

function experiment<R>(
  name: string,
  rows: Maybe<R[]>,
  title: string,
  note: Child,
  chart_of: (rows: R[]) => Pick<Plot, 'x' | 'y' | 'series'>,
) {
  return rows && rows.length > 0 && card(title, note, plot({ name, label: title, ...chart_of(rows) }));
}
const rate_text = (rate: number) => with_prefix(+rate.toPrecision(3), '/s');
export const experiment_cards = (seen: Observations): Child[] => [
  experiment('message_rate', seen.message_rate, 'Message rate', 'Many messages in flight at a time.', (rows) => ({
    x: bytes_axis,
    y: { kind: 'log', label: (rate) => with_prefix(+rate.toPrecision(2), '/s'), title: 'messages per second' },
    series: over_bytes(rows, { value: (row) => row.messages_per_s, interval: (row) => row.ci_per_s, text: rate_text }),
  })),
  experiment('overlap', seen.overlap, 'Overlap', 'The share of a transfer that is hidden behind computation.', (rows) => ({
    x: bytes_axis,
    y: share_axis('hidden share of the transfer', [0, 1]),
    series: over_bytes(rows, { value: (row) => row.overlapped, interval: (row) => row.overlapped_ci, text: percent }),
  })),
  experiment(
    'bidirectional',
    seen.bidirectional,
    'Both directions at once',
    'The rate of each direction when both are busy, relative to one alone.',
    (rows) => ({
      x: bytes_axis,
      y: share_axis('efficiency', [0, 1]),
      series: over_bytes(rows, { value: (row) => row.efficiency, text: percent }),
    }),
  ),
  experiment(
    'congestion',
    seen.congestion,
    'Congestion',
    'The time of a message when many pairs send at once, relative to one pair.',
    (rows) => ({
      x: whole_axis(
        'pairs at once',
        rows.map((row) => row.pairs),
      ),
      y: factor_axis('time relative to one pair'),
      series: over_count(rows, 'pairs', {
        at: (row) => row.pairs,
        value: (row) => row.relative,
        interval: ({ message_s, message_ci_s, relative }) =>
          message_s && message_s > 0 ? message_ci_s?.map((s) => ((s ?? NaN) / message_s) * (relative ?? NaN)) : null,
        text: factor_text,
      }),
    }),
  ),
  experiment('relay', seen.relay, 'Echo through processes that pass it on', null, (rows) => ({
    x: whole_axis(
      'hops',
      rows.map((row) => row.hops),
    ),
    y: linear_time_axis('there and back'),
    series: over_count(rows, 'hops', { at: (row) => row.hops, value: (row) => row.echo_s, interval: (row) => row.echo_ci_s, text: exact }),
  })),
  experiment(
    'forwarding',
    seen.forwarding,
    'Messages through the host of a computation',
    'For each message: what the computation loses, and what the daemon there and the task that passes messages on ran.',
    (rows) => ({
      x: bytes_axis,
      y: linear_time_axis('for each message'),
      series: several_times(
        rows,
        (row) => `${place_of(row)}, ${row.computation}`,
        [
          ['lost', (row) => row.loss_s, (row) => row.loss_ci_s],
          ['daemon', (row) => row.daemon_s, (row) => row.daemon_ci_s],
          ['task', (row) => row.task_s, (row) => row.task_ci_s],
        ],
        exact,
        (group, g, time, t) => ({ name: `${time}, ${group}`, colour: series_colour(t), dash: g > 0 ? '6 4' : null }),
      ).filter((one) => one.points?.length),
    }),
  ),
  experiment(
    'busy',
    seen.busy,
    'Echo beside computing processes',
    'The echo while the other processes are idle, and while they compute.',
    (rows) => ({
      x: bytes_axis,
      y: time_axis('there and back'),
      series: full_and_dashed(rows, place_of, [
        ['idle', (row) => row.idle_s, (row) => row.idle_ci_s],
        ['busy', (row) => row.busy_s, (row) => row.busy_ci_s],
      ]),
    }),
  ),
  experiment(
    'after_computation',
    seen.after_computation,
    'Calls after a stretch of computation',
    'Full: in a loop of calls. Dashed: right after a computation that used its data.',
    (rows) => ({
      x: bytes_axis,
      y: linear_time_axis('of the call'),
      series: full_and_dashed(rows, (row) => `${row.call} ${place_of(row)}`, [
        ['in a loop', (row) => row.warm_s, (row) => row.warm_ci_s],
        ['after computing', (row) => row.after_s, (row) => row.after_ci_s],
      ]),
    }),
  ),
  experiment(
    'loggp',
    seen.loggp,
    'LogGP by parametrised round trips',
    'g: the gap between messages; o: software of sender and receiver; L: latency.',
    (rows) => ({
      x: bytes_axis,
      y: linear_time_axis('time'),
      series: several_times(
        rows,
        place_of,
        [
          ['g', (row) => row.g_s, (row) => row.g_ci_s],
          ['o send', (row) => row.o_send_s, (row) => row.o_send_ci_s],
          ['o receive', (row) => row.o_receive_s, (row) => row.o_receive_ci_s],
          ['L', (row) => row.latency_s, (row) => row.latency_ci_s],
        ],
        seconds,
        (place, p, term, t) => ({ name: `${term} ${place}`, colour: series_colour(t), dash: p > 0 ? '6 4' : null }),
      ).filter((one) => one.points?.length),
    }),
  ),
];

// What the experiments take when they are simulated on the finished model, against what they took.
export function closed_loop_card(rows: LoopRow[]) {
  const usable = rows.flatMap((row) => (typeof row.relative === 'number' ? [{ ...row, relative: row.relative }] : []));
  if (usable.length === 0) return null;
  const size = (row: { relative: number }) => Math.abs(row.relative),
    named = (row: LoopRow) => `${row.experiment}${row.between ? ' ' + place_of(row) : ''}`;
  const series = groups(
    usable.filter((row) => typeof row.bytes === 'number'),
    named,
  ).map(([name, list]) => ({
    name,
    points: size_points(
      list,
      name,
      (row) => row.relative,
      (row) => [
        ['measured', exact(row.measured_s)],
        ['simulated', exact(row.simulated_s)],
        ['off by', signed_percent(row.relative)],
      ],
    ),
  }));
  const worst = [...usable].sort((a, b) => size(b) - size(a)).slice(0, 12);
  return card(
    'The closed loop: the model simulated on its own experiments',
    `Of ${usable.length} experiments, simulation is off by ${percent(mean(usable, size) ?? 0)} on average and ${percent(
      max(usable, size) ?? 0,
    )} at most. Above zero: simulated too slow.`,
    plot({
      name: 'closed-loop',
      label: 'relative error of the simulation over message size',
      width: 900,
      x: bytes_axis,
      y: { kind: 'linear', label: signed_percent, title: 'simulated against measured', include: [0] },
      series,
    }),
    table(
      'compact closed-loop',
      number_heads('furthest off', 'bytes', 'measured', 'simulated', 'off by'),
      worst.map((row) =>
        number_row(
          {},
          named(row),
          typeof row.bytes === 'number' ? count_text(row.bytes) : '',
          exact(row.measured_s),
          exact(row.simulated_s),
          signed_percent(row.relative),
        ),
      ),
    ),
  );
}

export function timer_card(rows: TimerRow[]) {
  if (rows.length === 0) return null;
  const time = (s: Maybe<number>) => (typeof s === 'number' ? seconds(s) : '');
  return card(
    'Timer',
    'What reading the clock costs, its resolution, and how often it went backwards.',
    table(
      'compact timer',
      number_heads('host', 'a call', 'resolution', 'backward steps'),
      rows.map((row) => number_row({}, row.host ?? '', time(row.call_s), time(row.resolution_s), String(row.backward_steps ?? 0))),
    ),
  );
}
