// S1's Figure 1: the six terms of a message's time over its size, one straight line each; and the
// collectives.
import { el } from '../base/dom.ts';
import { count_text, seconds, ticks } from '../base/format.ts';
import { card } from '../charts/chart.ts';
import { by_key, bytes_axis, bytes_title, interval_text, on_log, plot, series_colour, size_label, time_axis } from '../charts/plot.ts';
import { fitted_s } from './pingpong.ts';

export const six_terms = {
  F: 'F, format: the send call until the message is ready',
  S: "S, send load: taken from the sender's computation after that",
  R: "R, receive load: taken from the receiver's computation",
  A: 'A, accept: of the receive call, before the message came',
  U: 'U, unformat: the rest of the receive call',
  E: 'E, elapsed: from the end of F to the begin of U',
};

export function six_line_series(machine) {
  const lines = machine.six_lines ?? {},
    costs = machine.costs ?? {};
  return Object.entries(six_terms)
    .map(([term, name], i) => {
      const line = lines[term],
        segments = costs[term] ?? [];
      if (!line && segments.length === 0) return null;
      const value = line ? (bytes) => line.base_s + line.seconds_per_byte * bytes : (bytes) => fitted_s(segments, bytes);
      const points = (line?.points ?? []).map((point) => ({
        x: point.bytes,
        y: point.median_s,
        low: point.low_s,
        high: point.high_s,
        title: `${term}, ${bytes_title(point.bytes)}`,
        rows: [
          ['measured', seconds(point.median_s, 4)],
          ...interval_text(point.low_s, point.high_s, seconds),
          ['line', seconds(value(point.bytes), 4)],
          ['samples', String(point.samples ?? '?')],
        ],
      }));
      return { term, name, line, segments, value, points, i };
    })
    .filter(Boolean);
}

// The ends of a term's line, and of its segments where they stand for it.
export function term_sizes(one, largest) {
  const breaks = one.line ? [] : one.segments.flatMap((segment) => [segment.from_bytes, segment.to_bytes ?? 0]);
  return [...new Set([0, ...breaks.filter((bytes) => bytes > 0 && bytes < largest), largest])].sort((a, b) => a - b);
}

// Round sizes on a linear axis: decimal below 4 KiB, as S1 has them, powers of two above.
export function size_ticks(largest) {
  if (largest <= 4096) return ticks(0, largest, 8).map((bytes) => [bytes, String(bytes)]);
  const step = 2 ** Math.ceil(Math.log2(largest / 8)),
    list = [];
  for (let bytes = 0; bytes <= largest * 1.001; bytes += step) list.push([bytes, size_label(bytes)]);
  return list;
}

export function six_lines_card(machine) {
  const all = six_line_series(machine);
  if (all.length === 0) return null;
  const sizes = all.flatMap((one) => [
    ...one.points.map((point) => point.x),
    ...(one.line ? [] : one.segments.map((segment) => segment.to_bytes ?? 0)),
  ]);
  const largest = Math.max(...sizes, 1),
    holder = el('div', { class: 'six' });
  const draw = (kind) => {
    const log = kind === 'logarithmic';
    holder.replaceChildren(
      ...[
        plot({
          name: 'six-lines',
          label: 'the six terms over message size',
          width: 600,
          height: 360,
          x: log
            ? { ...bytes_axis }
            : {
                kind: 'linear',
                label: (bytes) => (bytes === 0 ? '0' : size_label(bytes)),
                title: 'bytes in the message',
                include: [0],
                ticks: size_ticks(largest),
              },
          y: log ? time_axis('time') : { kind: 'linear', label: (s) => seconds(s, 2), title: 'time', include: [0] },
          series: all.map((one) => ({
            name: one.term,
            colour: series_colour(one.i),
            points: log ? one.points.map((point) => ({ ...point, x: on_log(point.x) })) : one.points,
            curve: log
              ? Array.from({ length: 61 }, (_, i) => largest ** (i / 60)).map((bytes) => [bytes, one.value(bytes)])
              : term_sizes(one, largest).map((bytes) => [bytes, one.value(bytes)]),
          })),
        }),
      ]
        .flat()
        .filter(Boolean),
    );
    for (const [name, button] of Object.entries(buttons)) button.setAttribute('aria-pressed', String(name === kind));
  };
  const buttons = Object.fromEntries(
    ['linear', 'logarithmic'].map((kind) => [kind, el('button', { type: 'button', onclick: () => draw(kind) }, kind)]),
  );
  const table = el(
    'div',
    { class: 'scroll dense' },
    el(
      'table',
      { class: 'compact terms' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ['term', 'base', 'per byte', 'largest distance of a point'].map((text, i) =>
            el('th', { class: i > 0 ? 'number' : '', scope: 'col' }, text),
          ),
        ),
      ),
      el(
        'tbody',
        {},
        all.map((one) => {
          const line = one.line ?? (one.segments.length === 1 ? one.segments[0] : null);
          return el(
            'tr',
            { 'data-term': one.term },
            el('td', {}, one.name),
            el('td', { class: 'number' }, line ? seconds(line.base_s) : `${one.segments.length} segments`),
            el('td', { class: 'number' }, line ? seconds(line.seconds_per_byte) : ''),
            el('td', { class: 'number' }, one.line?.max_error_s !== undefined ? seconds(one.line.max_error_s) : ''),
          );
        }),
      ),
    ),
  );
  const node = card(
    "The six terms of a message's time",
    all.some((one) => one.points.length > 0)
      ? 'Points are measured, the lines are fitted to them by least squares, one a term, as Krumme and Greenfield drew them.'
      : 'The lines of the model; no point of them was measured.',
    el('div', { class: 'legend' }, 'axes', Object.values(buttons)),
    el('div', { class: 'pair' }, holder, table),
  );
  draw('linear');
  return node;
}

// What the model says of a collective: those rows of the closed loop that simulated it.
export function simulated_collective(closed_loop, name) {
  return (closed_loop ?? []).filter((row) => {
    const experiment = row.experiment.toLowerCase().replace(/^mpi_/, '');
    return experiment === name && typeof row.bytes === 'number' && row.simulated_s > 0;
  });
}

// One chart a collective: a line for each number of ranks, and beside the points what the model says of them.
export function collective_cards(collectives, closed_loop) {
  return Object.entries(collectives ?? {})
    .filter(([, rows]) => rows.length > 0)
    .map(([name, rows]) => {
      const late = rows.reduce((sum, row) => sum + (row.late ?? 0), 0);
      const groups = by_key(rows, (row) => `${row.ranks} ranks`),
        again = simulated_collective(closed_loop, name);
      const measured = groups.map(([ranks, list], i) => ({
        name: ranks,
        joined: true,
        colour: series_colour(i),
        points: [...list]
          .sort((a, b) => a.bytes - b.bytes)
          .map((row) => ({
            x: on_log(row.bytes),
            y: row.median_s,
            low: row.low_s,
            high: row.high_s,
            title: `${ranks}, ${bytes_title(row.bytes)}`,
            rows: [
              ['median', seconds(row.median_s, 4)],
              ...interval_text(row.low_s, row.high_s, seconds),
              ['samples', String(row.samples ?? '?')],
              ['too late', String(row.late ?? 0)],
            ],
          })),
      }));
      const simulated = by_key(again, (row) => (row.ranks === undefined ? '' : `${row.ranks} ranks`)).map(([ranks, list]) => {
        const i = groups.findIndex(([known]) => known === ranks);
        return {
          name: `${ranks ? ranks + ', ' : ''}simulated`,
          joined: true,
          hollow: true,
          colour: i < 0 ? 'var(--soft)' : series_colour(i),
          dash: '4 4',
          points: [...list]
            .sort((a, b) => a.bytes - b.bytes)
            .map((row) => ({
              x: on_log(row.bytes),
              y: row.simulated_s,
              title: `${ranks ? ranks + ', ' : ''}${bytes_title(row.bytes)}`,
              rows: [
                ['simulated', seconds(row.simulated_s, 4)],
                ['measured', seconds(row.measured_s, 4)],
              ],
            })),
        };
      });
      const notes = [
        late > 0 && `${count_text(late)} runs were thrown out since a rank came too late to their start.`,
        again.length > 0 && 'Dashed: simulated on the model.',
      ].filter(Boolean);
      return card(
        `MPI_${name[0].toUpperCase()}${name.slice(1)}`,
        notes.length > 0 && notes.join(' '),
        plot({
          name: 'collective-' + name,
          label: `${name} over message size, a line for each number of ranks`,
          x: { ...bytes_axis },
          y: time_axis('until the last rank is out'),
          series: [...measured, ...simulated],
          legend: 'always',
        }),
      );
    });
}
