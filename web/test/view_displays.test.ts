// What the viewer's displays make of answers. Each expectation is worked out from the few numbers that are given.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waiting_calls } from '../src/view/displays/blocked.ts';
import { clumps_of, pair_facts } from '../src/view/displays/clump.ts';
import { lags_of, signed_time } from '../src/view/displays/compare.ts';
import { composition } from '../src/view/displays/critical_path.ts';
import { pairs_under_way } from '../src/view/displays/cube.ts';
import { culprits } from '../src/view/displays/delays.ts';
import { spokes_of } from '../src/view/displays/kiviat.ts';
import { steps_of } from '../src/view/displays/message.ts';
import { lines_of } from '../src/view/displays/one_sided.ts';
import { factors_of } from '../src/view/displays/pop.ts';
import { queue_rows } from '../src/view/displays/queues.ts';
import { type RankRow, rank_bars } from '../src/view/displays/ranks.ts';
import { depth_of, flames_of, type Region } from '../src/view/displays/regions.ts';
import { kinds_of } from '../src/view/displays/sizes.ts';
import { last_ranks } from '../src/view/displays/skew.ts';
import { grouped } from '../src/view/displays/surface.ts';
import { rank_lines } from '../src/view/displays/traffic.ts';
import { utilisation_layers } from '../src/view/displays/utilisation.ts';
import { blocks_of } from '../src/view/drawing/ranks.ts';

const series = (rows: number[][]) => ({
  rows: rows.length,
  bins: rows[0]?.length ?? 0,
  from_ns: 0,
  bin_ns: 10,
  value: Float32Array.from(rows.flat()),
});

test('utilisation: the mean of the ranks in each bin, and over the time', () => {
  const zero = series([
    [0, 0],
    [0, 0],
  ]);
  const [compute] = utilisation_layers(
    {
      compute: series([
        [1, 0.5],
        [0.5, 0],
      ]),
      library: zero,
      service: zero,
      algorithmic: zero,
    },
    2,
    [0, 1],
  );
  assert.deepEqual([...(compute?.values ?? [])], [0.75, 0.25]);
  assert.equal(compute?.share, 0.5);
});
test('a spoke is what is not idle: least, mean, most, and at the instant', () => {
  const [first, second] = spokes_of(
    series([
      [0.25, 0.75],
      [0, 0],
    ]),
    2,
    [0, 1],
    true,
    12,
  );
  assert.deepEqual(first, { label: '0', ranks: [0], least: 0.25, mean: 0.5, most: 0.75, now: 0.25 });
  assert.deepEqual([second?.mean, second?.now], [1, 1]);
  assert.equal(spokes_of(series([[0.5], [0.25]]), 2, [0, 1], false, null, 1)[0]?.mean, 0.375); // two ranks on one spoke
  assert.equal(spokes_of(series([[0.5]]), 1, [0], false, null)[0]?.now, null);
});
test('few ranks are lines of their own, many a mean with its extremes', () => {
  assert.deepEqual(
    rank_lines(series([[1], [3]]), 2, [0, 1], false).map(({ name }) => name),
    ['rank 0', 'rank 1'],
  );
  const [mean] = rank_lines(series([[1], [3]]), 2, [0, 1], false, 1);
  assert.deepEqual(
    [mean?.values, mean?.low, mean?.high].map((one) => one?.[0]),
    [2, 1, 3],
  );
});
test('a row of the surface is the mean of its ranks', () => {
  assert.deepEqual(
    [
      ...grouped(
        series([
          [1, 2],
          [3, 4],
          [5, 6],
        ]),
        3,
        blocks_of([0, 1, 2], 2),
      ).value,
    ],
    [2, 3, 5, 6],
  );
});

const row = (rank: number, compute_s: number, blocked_s: number): RankRow => ({
  rank,
  host: 'a',
  elapsed_s: compute_s + blocked_s,
  compute_s,
  library_s: 0,
  blocked_algorithmic_s: blocked_s,
  blocked_service_s: 0,
  blocked_s,
  messages_sent: rank,
  messages_received: 0,
  bytes_sent: 0,
  bytes_received: 0,
});
test('a bar of a group is its mean, with its least and most', () => {
  const rows = [row(0, 1, 3), row(1, 2, 2), row(2, 4, 0)];
  const [both, alone] = rank_bars(rows, [[0, 1], [2]], 'compute_s', [{ part: 'compute_s', title: 'compute', colour: '#000' }]);
  assert.deepEqual([both?.segments[0]?.value, both?.spread?.least, both?.spread?.most, alone?.segments[0]?.value], [1.5, 1, 2, 4]);
  const [parts] = rank_bars(rows, [[0, 1]], 'parts', [
    { part: 'compute', title: 'compute', colour: '#000' },
    { part: 'algorithmic', title: 'blocked', colour: '#111' },
  ]);
  assert.deepEqual(
    parts?.segments.map(({ value }) => value),
    [1.5, 2.5],
  );
});

test('messages under way by pair; of a sample each counts for those left out', () => {
  const two = {
    count: 2,
    all: 6,
    sent_ns: new Float64Array(2),
    received_ns: new Float64Array(2),
    bytes: Float64Array.from([10, 20]),
    source: Uint32Array.from([0, 0]),
    destination: Uint32Array.from([1, 1]),
    number: Uint32Array.from([0, 3]),
    tag: Int32Array.from([0, 0]),
  };
  assert.deepEqual(pairs_under_way(two), [{ source: 0, destination: 1, messages: 6, bytes: 90 }]);
});
test('pairs with collectives and waiting; squares of groups count the pairs that have nothing', () => {
  const pairs = pair_facts(
    {
      pairs: [
        { source: 0, destination: 2, messages: 2, bytes: 100, collective_bytes: 10 },
        { source: 1, destination: 3, messages: 1, bytes: 50, collective_bytes: 0 },
        { source: 2, destination: 0, messages: 0, bytes: 0, collective_bytes: 4 },
      ],
      combined_bytes: 0,
    },
    { waited_for: [{ rank: 2, waited_for: 0, blocked_algorithmic_s: 1.5, calls: 2 }] },
  );
  assert.deepEqual([pairs[0]?.together_bytes, pairs[0]?.wait_s, pairs[0]?.waits], [110, 1.5, 2]);
  const cells = clumps_of(pairs, blocks_of([0, 1, 2, 3], 2), 'bytes');
  assert.equal(cells.length, 1); // the way back has collectives only
  assert.deepEqual(cells[0]?.spread, { sum: 150, least: 0, mean: 37.5, most: 100, count: 4 });
});
test('queues at the instant, or the longest where there is none', () => {
  const facts = [
    {
      rank: 1,
      messages: 3,
      mean_wait_s: 1,
      waiting: { mean: 1, mean_bytes: 8, maximum: 4, maximum_bytes: 64, maximum_at_s: 0 },
      outgoing: { mean: 1, mean_bytes: 8, maximum: 2, maximum_bytes: 48, maximum_at_s: 0 },
    },
  ];
  assert.deepEqual(queue_rows(null, facts, [0, 1], 'bytes'), [{ rank: 1, incoming: 64, outgoing: 48 }]);
  const state = {
    rank: 1,
    key: 0,
    name: '',
    part: 'compute' as const,
    since_ns: 0,
    until_ns: 0,
    peer: null,
    tag: null,
    comm: null,
    bytes: null,
  };
  const states = [{ ...state, queued_messages: 2, queued_bytes: 16, outgoing_messages: 5, outgoing_bytes: 40 }];
  assert.deepEqual(queue_rows(states, facts, [1], 'messages'), [{ rank: 1, incoming: 2, outgoing: 5 }]);
  assert.deepEqual(queue_rows(states, facts, [0], 'messages'), []);
});

test('calls that waited, the longest first', () => {
  const waited = (algorithmic: number, service: number) => ({
    calls: 1,
    waited: 1,
    blocked_algorithmic_s: algorithmic,
    blocked_service_s: service,
    blocked: { sum_s: 0, mean_s: 0, median_s: 0, p95_s: 0, most_s: 0 },
  });
  assert.deepEqual(
    waiting_calls({ calls: { MPI_Send: waited(0, 0), MPI_Recv: waited(1, 1), MPI_Wait: waited(0, 3) } }).map(({ name }) => name),
    ['MPI_Wait', 'MPI_Recv'],
  );
});
test('who is last counts where the skew outweighs the transfer', () => {
  const entry = (last_rank: number, first_ns: number, last_ns: number, left_ns: number) => ({
    op: 'MPI_Bcast',
    comm: '',
    first_ns,
    last_ns,
    left_ns,
    last_rank,
    bytes: 0,
  });
  const found = last_ranks([entry(3, 0, 100, 110), entry(1, 0, 5, 100), entry(3, 200, 500, 501), entry(0, 0, 50, 60)]);
  assert.deepEqual(
    found.map(({ rank, times }) => [rank, times]),
    [
      [3, 2],
      [0, 1],
    ],
  );
  assert.ok(Math.abs((found[0]?.skew_s ?? 0) - 400e-9) < 1e-18);
});
test('the critical path is made of computation and calls, the longest first', () => {
  assert.deepEqual(composition({ compute_s: 2, calls: { MPI_Recv: { time_s: 3, share: 0 }, MPI_Send: { time_s: 0, share: 0 } } }), [
    { name: 'MPI_Recv', time_s: 3 },
    { name: 'computation', time_s: 2 },
  ]);
});
test('who makes others wait longest comes first, through others counts too', () => {
  const one = (rank: number, direct: number, through: number) => ({
    rank,
    blocked_s: 0,
    blocked_by_network_s: null,
    blocked_by_algorithm_s: null,
    delays_others_direct_s: direct,
    delays_others_propagated_s: through,
  });
  assert.deepEqual(
    culprits([one(0, 2, 0), one(1, 1, 1.5), one(2, 0, 0)]).map(({ rank }) => rank),
    [1, 0, 2],
  );
});
test('each POP factor is the product of those below it', () => {
  const pop = {
    load_balance: 0.8,
    communication_efficiency: 0.5,
    parallel_efficiency: 0.4,
    serialisation: 0.625,
    transfer: 0.8,
    elapsed_s: 10,
    ideal_s: 8,
    mean_compute_s: 4,
    most_compute_s: 5,
    ideal: '',
  };
  const check = (factor: ReturnType<typeof factors_of>) => {
    if (factor.below.length === 0) return;
    const product = factor.below.reduce((all, { value }) => all * (value ?? Number.NaN), 1);
    assert.ok(Math.abs(product - (factor.value ?? 0)) < 1e-12, factor.title);
    factor.below.forEach(check);
  };
  check(factors_of(pop));
  assert.equal(factors_of({ ...pop, ideal_s: null, transfer: null, serialisation: null }).below[1]?.below[1]?.value, null);
});

const times = (time_s: number) => ({
  visits: 1,
  time_s,
  own_s: 0,
  compute_s: 0,
  library_s: 0,
  blocked_s: 0,
  blocked_algorithmic_s: 0,
  blocked_service_s: 0,
});
test('regions become flames by what is around them', () => {
  const region = (name: string, paths: Region['paths']): Region => ({ ...times(0), region: name, ranks: [], paths });
  const flames = flames_of([
    region('solve', [
      { ...times(3), within: ['round'] },
      { ...times(1), within: [] },
    ]),
    region('round', [{ ...times(5), within: [] }]),
    region('halo', [{ ...times(2), within: ['round', 'solve'] }]),
  ]);
  assert.deepEqual(
    flames.map(({ name, time_s }) => [name, time_s]),
    [
      ['round', 5],
      ['solve', 1],
    ],
  );
  assert.deepEqual(flames[0]?.below[0]?.below[0]?.path, ['round', 'solve', 'halo']);
  assert.equal(depth_of(flames), 3);
});
test('sizes: all, then types, then calls', () => {
  const sizes = {
    histogram: [],
    messages: 0,
    sum_bytes: 0,
    least_bytes: null,
    mean_bytes: null,
    median_bytes: null,
    p95_bytes: null,
    most_bytes: null,
  };
  assert.deepEqual(
    kinds_of({ all: sizes, by_call: [{ call: 'MPI_Send', sizes }], by_type: [{ communicator: 'W', tag: 3, sizes }] }).map(
      ({ name }) => name,
    ),
    ['all messages', 'tag 3 in W', 'MPI_Send'],
  );
});
test("a message's steps stand by time", () => {
  const call = (name: string, enter_s: number, leave_s: number) => ({
    call: name,
    enter_s,
    leave_s,
    blocked_algorithmic_s: 0,
    blocked_service_s: 0,
  });
  const steps = steps_of({
    number: 1,
    source: 0,
    destination: 1,
    tag: 0,
    communicator: '',
    sequence: 0,
    bytes: 1,
    synchronous: false,
    wildcard: false,
    send: call('MPI_Isend', 2, 3),
    send_done: call('MPI_Wait', 5, 6),
    posted: call('MPI_Irecv', 0, 1),
    received: call('MPI_Waitall', 1, 4),
    left: { earliest_s: 2, latest_s: null },
    arrived: { earliest_s: 2, latest_s: null },
    rule: '',
  });
  assert.deepEqual(
    steps.map(({ at_s, rank }) => [at_s, rank]),
    [
      [0, 1],
      [1, 1],
      [2, 0],
      [3, 0],
      [4, 1],
      [6, 0],
    ],
  );
});
test('a window has a line, and one for each target', () => {
  const total = { puts: 1, gets: 0, atomics: 0, bytes_out: 8, bytes_in: 0, issue_s: 0, synchronisations: 2, synchronisation_s: 0 };
  const lines = lines_of([{ ...total, window: 4, name: '', waited_s: 1, targets: [{ ...total, target: 3 }] }]);
  assert.deepEqual(
    lines.map(({ window, target, waited_s }) => [window, target, waited_s]),
    [
      ['4', null, 1],
      ['4', 3, null],
    ],
  );
});
test('a difference of two runs: what changed most first, earlier counts as later does', () => {
  const lag = (name: string, later_s: number, count = 1) => ({ name, count, later_s });
  assert.deepEqual(
    lags_of({
      computing: lag('computing', 0.1),
      not_aligned: lag('not aligned', 0, 0),
      calls: [lag('MPI_Recv', -0.5), lag('MPI_Send', 0.2)],
    }).map(({ name }) => name),
    ['MPI_Recv', 'MPI_Send', 'computing'],
  );
  assert.deepEqual([signed_time(-1.5e-3), signed_time(0), signed_time(2)], ['\u22121.50 ms', '0 s', '+2.00 s']);
});
