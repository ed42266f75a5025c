// S1's Figure 1: the six terms of a message's time over its size, one straight line each; and the
// collectives.
import { ascending, groups, sum, ticks } from 'd3-array';
import { choice, el, number_heads, number_row, table } from '../base/dom.ts';
import { count_text, seconds } from '../base/format.ts';
import { type At, card, pair, type Tick } from '../charts/chart.ts';
import {
  bytes_axis,
  interval_text,
  linear_time_axis,
  on_log,
  plot,
  series_colour,
  size_label,
  size_points,
  time_axis,
} from '../charts/plot.ts';
import type { CollectiveRow, LoopRow, Machine, Segment, TermLine } from '../data/types.ts';
import { fitted_s } from './pingpong.ts';

const six_terms = {
  F: 'F, format: the send call until the message is ready',
  S: "S, send load: taken from the sender's computation after that",
  R: "R, receive load: taken from the receiver's computation",
  A: 'A, accept: of the receive call, before the message came',
  U: 'U, unformat: the rest of the receive call',
  E: 'E, elapsed: from the end of F to the begin of U',
};

function six_line_series(machine: Machine) {
  return Object.entries(six_terms).flatMap(([term, name], i) => {
    const line = machine.six_lines?.[term],
      segments = machine.costs?.[term] ?? [];
    if (!line && segments.length === 0) return [];
    const value = (bytes: number) => (line ? line.base_s + line.seconds_per_byte * bytes : fitted_s(segments, bytes));
    const points = line?.points ?? [];
    const drawn = (log: boolean) =>
      size_points(
        points,
        term,
        (point) => point.median_s,
        (point) => [
          ['measured', seconds(point.median_s, 4)],
          ...interval_text(point.low_s, point.high_s, seconds),
          ['line', seconds(value(point.bytes), 4)],
          ['samples', String(point.samples ?? '?')],
        ],
        log ? on_log : Number,
      );
    return [{ term, name, line, segments, value, points, drawn, colour: series_colour(i) }];
  });
}

// The ends of a term's line, and of its segments where they stand for it.
export function term_sizes({ line, segments }: { line?: TermLine | undefined; segments: Segment[] }, largest: number) {
  const breaks = line ? [] : segments.flatMap((segment) => [segment.from_bytes, segment.to_bytes ?? 0]);
  return [...new Set([0, ...breaks.filter((bytes) => bytes > 0 && bytes < largest), largest])].sort(ascending);
}

// Round sizes on a linear axis: decimal below 4 KiB, as S1 has them, powers of two above.
export function size_ticks(largest: number): Tick[] {
  if (largest <= 4096) return ticks(0, largest, 8).map((bytes) => [bytes, String(bytes)]);
  const step = 2 ** Math.ceil(Math.log2(largest / 8)),
    list: Tick[] = [];
  for (let bytes = 0; bytes <= largest * 1.001; bytes += step) list.push([bytes, size_label(bytes)]);
  return list;
}

// Nothing where the model has none of the terms.
export function six_lines_plot(machine: Machine, log: boolean, width = 600): Element[] {
  const all = six_line_series(machine);
  if (all.length === 0) return [];
  const sizes = all.flatMap((one) => [
    ...one.points.map((point) => point.bytes),
    ...(one.line ? [] : one.segments.map((segment) => segment.to_bytes ?? 0)),
  ]);
  const largest = Math.max(...sizes, 1);
  return plot({
    name: 'six-lines',
    label: 'the six terms over message size',
    width,
    height: 360,
    x: log
      ? bytes_axis
      : {
          kind: 'linear',
          label: (bytes) => (bytes === 0 ? '0' : size_label(bytes)),
          title: 'bytes in the message',
          include: [0],
          ticks: size_ticks(largest),
        },
    y: log ? time_axis('time') : linear_time_axis('time'),
    series: all.map((one) => ({
      name: one.term,
      colour: one.colour,
      points: one.drawn(log),
      curve: (log ? Array.from({ length: 61 }, (_, i) => largest ** (i / 60)) : term_sizes(one, largest)).map(
        (bytes): At => [bytes, one.value(bytes)],
      ),
    })),
  });
}
// What each letter is, and its line.
export const six_lines_table = (machine: Machine) =>
  table(
    'compact terms',
    number_heads('term', 'base', 'per byte', 'largest distance of a point'),
    six_line_series(machine).map(({ term, name, line, segments }) => {
      const one = line ?? (segments.length === 1 ? segments[0] : null),
        distance_s = line?.max_error_s;
      return number_row(
        { 'data-term': term },
        name,
        one ? seconds(one.base_s) : `${segments.length} segments`,
        one ? seconds(one.seconds_per_byte) : '',
        typeof distance_s === 'number' ? seconds(distance_s) : '',
      );
    }),
  );
export const six_lines_note = (machine: Machine) =>
  six_line_series(machine).some((one) => one.points.length > 0)
    ? 'Points are measured, the lines are fitted to them by least squares, one a term, as Krumme and Greenfield drew them.'
    : 'The lines of the model; no point of them was measured.';

export function six_lines_card(machine: Machine) {
  if (six_line_series(machine).length === 0) return null;
  const holder = el('div', { class: 'six' });
  return card(
    "The six terms of a message's time",
    six_lines_note(machine),
    choice('axes', ['linear', 'logarithmic'], (kind) => holder.replaceChildren(...six_lines_plot(machine, kind === 'logarithmic'))),
    pair(holder, six_lines_table(machine)),
  );
}

// What the model says of a collective: those rows of the closed loop that simulated it.
export const simulated_collective = (closed_loop: LoopRow[], name: string) =>
  closed_loop.filter((row) => {
    const experiment = row.experiment.toLowerCase().replace(/^mpi_/, '');
    return experiment === name && typeof row.bytes === 'number' && row.simulated_s > 0;
  });

// One chart a collective: a line for each number of ranks, and beside the points what the model says of them.
function collective_card(name: string, rows: CollectiveRow[], closed_loop: LoopRow[]) {
  const late = sum(rows, (row) => row.late ?? 0),
    known = groups(rows, (row) => `${row.ranks} ranks`),
    again = simulated_collective(closed_loop, name);
  const measured = known.map(([ranks, list], i) => ({
    name: ranks,
    joined: true,
    colour: series_colour(i),
    points: size_points(
      list,
      ranks,
      (row) => row.median_s,
      (row) => [
        ['median', seconds(row.median_s, 4)],
        ...interval_text(row.low_s, row.high_s, seconds),
        ['samples', String(row.samples ?? '?')],
        ['too late', String(row.late ?? 0)],
      ],
    ),
  }));
  const simulated = groups(again, (row) => (typeof row.ranks === 'number' ? `${row.ranks} ranks` : '')).map(([ranks, list]) => {
    const i = known.findIndex(([other]) => other === ranks);
    return {
      name: ranks ? `${ranks}, simulated` : 'simulated',
      joined: true,
      hollow: true,
      colour: i < 0 ? 'var(--soft)' : series_colour(i),
      dash: '4 4',
      points: size_points(
        list,
        ranks,
        (row) => row.simulated_s,
        (row) => [
          ['simulated', seconds(row.simulated_s, 4)],
          ['measured', seconds(row.measured_s, 4)],
        ],
      ),
    };
  });
  return card(
    `MPI_${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    [
      late > 0 && `${count_text(late)} runs were thrown out since a rank came too late to their start.`,
      again.length > 0 && 'Dashed: simulated on the model.',
    ]
      .filter(Boolean)
      .join(' '),
    plot({
      name: 'collective-' + name,
      label: `${name} over message size, a line for each number of ranks`,
      x: bytes_axis,
      y: time_axis('until the last rank is out'),
      series: [...measured, ...simulated],
      legend: 'always',
    }),
  );
}
export const collective_cards = ({ collectives, closed_loop }: Machine) =>
  Object.entries(collectives ?? {}).map(([name, rows]) => rows.length > 0 && collective_card(name, rows, closed_loop ?? []));
