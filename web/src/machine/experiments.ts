// The experiments beside the ping-pong, each as a small chart: one series for each place or size it was made
// at.
import { el } from '../base/dom.ts';
import { count_text, factor_text, percent, seconds, signed_percent, with_prefix } from '../base/format.ts';
import { card } from '../charts/chart.ts';
import { by_key, bytes_axis, bytes_title, interval_text, on_log, plot, series_colour, share_axis, time_axis } from '../charts/plot.ts';
import { link_name } from './pingpong.ts';

export const place_of = (row) => link_name[row.between] ?? row.between ?? 'all';

// Rows as a series of points. value: row -> number; interval: row -> [low, high] or nothing.
// Rows that lack one of both (null, where the model has no number) are left out.
export function row_points(rows, at, value, interval, title, text) {
  const usable = rows.filter((row) => Number.isFinite(at(row)) && Number.isFinite(value(row)));
  return usable
    .sort((a, b) => at(a) - at(b))
    .map((row) => {
      const [low, high] = interval?.(row) ?? [];
      return {
        x: at(row),
        y: value(row),
        low,
        high,
        title: title(row),
        rows: [['measured', text(value(row))], ...interval_text(low, high, text)],
      };
    });
}
export const over_bytes = (rows, value, interval, text) =>
  by_key(rows, place_of).map(([name, list]) => ({
    name,
    joined: true,
    points: row_points(
      list,
      (row) => on_log(row.bytes),
      value,
      interval,
      (row) => `${name}, ${bytes_title(row.bytes)}`,
      text,
    ),
  }));
export const whole_axis = (title, values) => ({
  kind: 'linear',
  label: String,
  title,
  include: [0],
  ticks: [...new Set(values)].sort((a, b) => a - b).map((value) => [value, String(value)]),
});
export const factor_axis = (title) => ({ kind: 'linear', label: (value) => '×' + +value.toFixed(2), title, include: [0, 1] });

// How much computation Q is slowed by neighbours that stream messages through its node, and what the
// software costs alone would say.
export function interference_cards(rows) {
  if (rows.length === 0) return [];
  const x = whole_axis(
      'streaming neighbours',
      rows.map((row) => row.neighbours),
    ),
    groups = by_key(rows, (row) => bytes_title(row.bytes));
  const at = (row) => row.neighbours;
  const slow = groups.flatMap(([name, list], i) => [
    {
      name,
      joined: true,
      colour: series_colour(i),
      points: row_points(
        list,
        at,
        (row) => row.slowdown,
        (row) => row.slowdown_ci,
        (row) => `${row.neighbours} neighbours, ${name}`,
        factor_text,
      ),
    },
    {
      name: name + ', by software costs',
      joined: true,
      colour: series_colour(i),
      dash: '4 4',
      hollow: true,
      points: list
        .filter((row) => typeof row.predicted_slowdown === 'number')
        .sort((a, b) => at(a) - at(b))
        .map((row) => ({
          x: at(row),
          y: row.predicted_slowdown,
          title: `${row.neighbours} neighbours, ${name}`,
          rows: [['predicted', factor_text(row.predicted_slowdown)]],
        })),
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
        series: slow.filter((one) => one.points.length > 0),
      }),
    ),
    card(
      'Interference: time per message',
      null,
      plot({
        name: 'interference-message',
        label: 'time per message over streaming neighbours',
        x,
        y: { kind: 'linear', label: (s) => seconds(s, 2), title: 'time per message', include: [0] },
        series: groups.map(([name, list]) => ({
          name,
          joined: true,
          points: row_points(
            list,
            at,
            (row) => row.message_s,
            (row) => row.message_ci_s,
            (row) => `${row.neighbours} neighbours, ${name}`,
            (s) => seconds(s, 4),
          ),
        })),
      }),
    ),
  ];
}

// Two times of each group, of one colour: the first one full, the second dashed. times: [[key, name], ...].
export const full_and_dashed = (groups, times) =>
  groups.flatMap(([group, list], i) =>
    times.map(([key, time], k) => ({
      name: `${group}, ${time}`,
      joined: true,
      colour: series_colour(i),
      dash: k > 0 ? '4 4' : null,
      hollow: k > 0,
      points: row_points(
        list,
        (row) => on_log(row.bytes),
        (row) => row[key],
        (row) => row[key.replace(/_s$/, '_ci_s')],
        (row) => `${group}, ${time}, ${bytes_title(row.bytes)}`,
        (s) => seconds(s, 4),
      ),
    })),
  );

// kind: [key of observations, title, note, rows -> the chart's axes and series].
export const experiments = [
  [
    'message_rate',
    'Message rate',
    'Many messages in flight at a time.',
    (rows) => ({
      x: { ...bytes_axis },
      y: { kind: 'log', label: (rate) => with_prefix(+rate.toPrecision(2), '/s'), title: 'messages per second' },
      series: over_bytes(
        rows,
        (row) => row.messages_per_s,
        (row) => row.ci_per_s,
        (rate) => with_prefix(+rate.toPrecision(3), '/s'),
      ),
    }),
  ],
  [
    'overlap',
    'Overlap',
    'The share of a transfer that is hidden behind computation.',
    (rows) => ({
      x: { ...bytes_axis },
      y: share_axis('hidden share of the transfer', [0, 1]),
      series: over_bytes(
        rows,
        (row) => row.overlapped,
        (row) => row.overlapped_ci,
        (share) => percent(share),
      ),
    }),
  ],
  [
    'bidirectional',
    'Both directions at once',
    'The rate of each direction when both are busy, relative to one alone.',
    (rows) => ({
      x: { ...bytes_axis },
      y: share_axis('efficiency', [0, 1]),
      series: over_bytes(
        rows,
        (row) => row.efficiency,
        null,
        (share) => percent(share),
      ),
    }),
  ],
  [
    'congestion',
    'Congestion',
    'The time of a message when many pairs send at once, relative to one pair.',
    (rows) => ({
      x: whole_axis(
        'pairs at once',
        rows.map((row) => row.pairs),
      ),
      y: factor_axis('time relative to one pair'),
      series: by_key(rows, (row) => bytes_title(row.bytes)).map(([name, list]) => ({
        name,
        joined: true,
        points: row_points(
          list,
          (row) => row.pairs,
          (row) => row.relative,
          (row) => (row.message_ci_s && row.message_s > 0 ? row.message_ci_s.map((s) => (s / row.message_s) * row.relative) : undefined),
          (row) => `${row.pairs} pairs, ${name}`,
          factor_text,
        ),
      })),
    }),
  ],
  [
    'relay',
    'Echo through processes that pass it on',
    null,
    (rows) => ({
      x: whole_axis(
        'hops',
        rows.map((row) => row.hops),
      ),
      y: { kind: 'linear', label: (s) => seconds(s, 2), title: 'there and back', include: [0] },
      series: by_key(rows, (row) => bytes_title(row.bytes)).map(([name, list]) => ({
        name,
        joined: true,
        points: row_points(
          list,
          (row) => row.hops,
          (row) => row.echo_s,
          (row) => row.echo_ci_s,
          (row) => `${row.hops} hops, ${name}`,
          (s) => seconds(s, 4),
        ),
      })),
    }),
  ],
  [
    'busy',
    'Echo beside computing processes',
    'The echo while the other processes are idle, and while they compute.',
    (rows) => ({
      x: { ...bytes_axis },
      y: time_axis('there and back'),
      series: full_and_dashed(by_key(rows, place_of), [
        ['idle_s', 'idle'],
        ['busy_s', 'busy'],
      ]),
    }),
  ],
  [
    'after_computation',
    'Calls after a stretch of computation',
    'Full: in a loop of calls. Dashed: right after a computation that used its data.',
    (rows) => ({
      x: { ...bytes_axis },
      y: { kind: 'linear', label: (s) => seconds(s, 2), title: 'of the call', include: [0] },
      series: full_and_dashed(
        by_key(rows, (row) => `${row.call} ${place_of(row)}`),
        [
          ['warm_s', 'in a loop'],
          ['after_s', 'after computing'],
        ],
      ),
    }),
  ],
  [
    'loggp',
    'LogGP by parametrised round trips',
    'g: the gap between messages; o: software of sender and receiver; L: latency.',
    (rows) => ({
      x: { ...bytes_axis },
      y: { kind: 'linear', label: (s) => seconds(s, 2), title: 'time', include: [0] },
      series: by_key(rows, place_of)
        .flatMap(([name, list], place) =>
          [
            ['g_s', 'g'],
            ['o_send_s', 'o send'],
            ['o_receive_s', 'o receive'],
            ['latency_s', 'L'],
          ].map(([key, term], i) => ({
            name: `${term} ${name}`,
            joined: true,
            colour: series_colour(i),
            dash: place > 0 ? '6 4' : null,
            points: row_points(
              list.filter((row) => typeof row[key] === 'number'),
              (row) => on_log(row.bytes),
              (row) => row[key],
              (row) => row[key.replace(/_s$/, '_ci_s')],
              (row) => `${term} ${name}, ${bytes_title(row.bytes)}`,
              (s) => seconds(s),
            ),
          })),
        )
        .filter((one) => one.points.length > 0),
    }),
  ],
];

export function experiment_cards(observations) {
  return experiments.map(([key, title, note, chart_of]) => {
    const rows = observations[key] ?? [];
    return rows.length > 0 && card(title, note, plot({ name: key, label: title, ...chart_of(rows) }));
  });
}

// What the experiments take when they are simulated on the finished model, against what they took.
export function closed_loop_card(rows) {
  const usable = rows.filter((row) => typeof row.relative === 'number');
  if (usable.length === 0) return null;
  const sizes = [...usable].map((row) => Math.abs(row.relative)).sort((a, b) => a - b);
  const mean = sizes.reduce((a, b) => a + b, 0) / sizes.length;
  const named = (row) => `${row.experiment}${row.between ? ' ' + place_of(row) : ''}`;
  const with_size = usable.filter((row) => typeof row.bytes === 'number');
  const series = by_key(with_size, named).map(([name, list]) => ({
    name,
    points: [...list]
      .sort((a, b) => a.bytes - b.bytes)
      .map((row) => ({
        x: on_log(row.bytes),
        y: row.relative,
        title: `${name}, ${bytes_title(row.bytes)}`,
        rows: [
          ['measured', seconds(row.measured_s, 4)],
          ['simulated', seconds(row.simulated_s, 4)],
          ['off by', signed_percent(row.relative)],
        ],
      })),
  }));
  const worst = [...usable].sort((a, b) => Math.abs(b.relative) - Math.abs(a.relative)).slice(0, 12);
  return card(
    'The closed loop: the model simulated on its own experiments',
    `Of ${usable.length} experiments, simulation is off by ${percent(mean)} on average and ${percent(
      sizes.at(-1),
    )} at most. Above zero: simulated too slow.`,
    plot({
      name: 'closed-loop',
      label: 'relative error of the simulation over message size',
      width: 900,
      x: { ...bytes_axis },
      y: { kind: 'linear', label: signed_percent, title: 'simulated against measured', include: [0] },
      series,
    }),
    el(
      'div',
      { class: 'scroll dense' },
      el(
        'table',
        { class: 'compact closed-loop' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['furthest off', 'bytes', 'measured', 'simulated', 'off by'].map((text, i) =>
              el('th', { class: i > 0 ? 'number' : '', scope: 'col' }, text),
            ),
          ),
        ),
        el(
          'tbody',
          {},
          worst.map((row) =>
            el(
              'tr',
              {},
              el('td', {}, named(row)),
              el('td', { class: 'number' }, typeof row.bytes === 'number' ? count_text(row.bytes) : ''),
              el('td', { class: 'number' }, seconds(row.measured_s, 4)),
              el('td', { class: 'number' }, seconds(row.simulated_s, 4)),
              el('td', { class: 'number' }, signed_percent(row.relative)),
            ),
          ),
        ),
      ),
    ),
  );
}

export function timer_card(rows) {
  if (rows.length === 0) return null;
  return card(
    'Timer',
    'What reading the clock costs, its resolution, and how often it went backwards.',
    el(
      'table',
      { class: 'compact timer' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ['host', 'a call', 'resolution', 'backward steps'].map((text, i) =>
            el('th', { class: i > 0 ? 'number' : '', scope: 'col' }, text),
          ),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((row) =>
          el(
            'tr',
            {},
            el('td', {}, row.host ?? ''),
            el('td', { class: 'number' }, seconds(row.call_s)),
            el('td', { class: 'number' }, seconds(row.resolution_s)),
            el('td', { class: 'number' }, String(row.backward_steps ?? 0)),
          ),
        ),
      ),
    ),
  );
}
