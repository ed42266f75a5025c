// A row of one rank over 100 ns with two calls: 10..30 (4 algorithmic, then 6 service, then 10 library) and 50..60 (library).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count_up_to, NONE, TimelineModel } from '../src/timeline/model.ts';

const row = {
  first_rank: 0,
  last_rank: 0,
  begin_ns: 0,
  end_ns: 100,
  enter: [10, 40],
  time: [20, 10],
  algorithmic: [4, 0],
  service: [6, 0],
  name: [0, 1],
  peer: [1, -1],
  sent: [0, 8],
  received: [8, 0],
  regions: { enter: [5, 8], time: [40, 10], name: [0, 1], depth: [0, 1] },
};
const data = {
  begin_ns: 0,
  end_ns: 100,
  calls: 2,
  listed_calls: 2,
  messages: 3,
  listed_messages: 2,
  names: ['MPI_Recv', 'MPI_Send'],
  region_names: ['solve', 'sweep'],
  rows: [row],
  arrows: { source: [0, 0], destination: [0, 0], send_ns: [10, 50], receive_ns: [45, 55], bytes: [8, 8], tag: [1, 1] },
};
const model = new TimelineModel(data);
const first_row = (of: TimelineModel) => {
  const [first] = of.rows;
  assert.ok(first);
  return first;
};
const drawn = first_row(model);

test('the number of entries up to a value, equal ones included', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((value) => count_up_to([1, 2, 2, 5], value)),
    [0, 1, 3, 3, 4],
  );
});
test('enter times are differences in the data', () => {
  assert.deepEqual([...drawn.enter], [10, 50]);
  assert.deepEqual([...drawn.leave], [30, 60]);
});
test('a span within a call has its kinds in order: algorithmic, service, library', () => {
  const between = (from: number, to: number) => drawn.between(from, to);
  assert.deepEqual(between(10, 14), { library: 0, algorithmic: 4, service: 0, compute: 0 });
  assert.deepEqual(between(12, 22), { library: 2, algorithmic: 2, service: 6, compute: 0 });
  assert.deepEqual(between(0, 100), { library: 20, algorithmic: 4, service: 6, compute: 70 });
});
test('spans add up, wherever they are cut, and end with the run', () => {
  const kinds = ['library', 'algorithmic', 'service', 'compute'] as const;
  for (let cut = 0; cut <= 100; cut += 1.5)
    for (const kind of kinds) {
      const whole = drawn.between(0, 100)[kind];
      assert.ok(Math.abs(drawn.between(0, cut)[kind] + drawn.between(cut, 100)[kind] - whole) < 1e-9, `${kind} at ${cut}`);
    }
  assert.equal(drawn.between(90, 200).compute, 10);
});
test('bins stand for calls that are not listed: within one, time runs evenly', () => {
  const bins = { width_ns: 50, rows: [{ library: [10, 0], algorithmic: [0, 20], service: [0, 0] }] };
  const binned = first_row(new TimelineModel({ ...data, bins }));
  assert.deepEqual(binned.between(0, 25), { library: 5, algorithmic: 0, service: 0, compute: 20 });
  assert.deepEqual(binned.between(50, 100), { library: 0, algorithmic: 20, service: 0, compute: 30 });
});
test('calls, regions and messages around a time', () => {
  assert.deepEqual(
    [9, 10, 29, 30, 55].map((ns) => drawn.call_at(ns)),
    [NONE, 0, 0, NONE, 1],
  );
  assert.deepEqual(
    [4, 6, 10, 20].map((ns) => drawn.regions_at(ns, model.region_names)),
    ['', 'solve', 'solve › sweep', 'solve'],
  );
  assert.deepEqual(
    model.arrows_between(44, 46).map((arrow) => arrow.send_ns),
    [10],
  );
  assert.deepEqual(model.arrows_between(46, 49), []);
  assert.match(model.limits_text(), /2 of 3 messages/);
});
