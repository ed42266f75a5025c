// What the page makes of runs that it starts. Expectations follow from the few values that are given; paths and states are those of docs/design/viewing.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { first_panes, panes_of_ended, panes_of_live } from '../src/view/run/opening.ts';
import { is_main, state_text, typed_example } from '../src/view/run/run_text.ts';
import { again, counterpart, type Run, RunSession, sent } from '../src/view/run/session.ts';
import type { Source } from '../src/view/source/source.ts';
import { default_panes, leaf_showing, leaves } from '../src/view/state/panes.ts';

const run = (number: number, more: Partial<Run> = {}): Run => ({
  run: number,
  state: 'done',
  goes: false,
  stopping: false,
  exit_code: 0,
  trace: number + 10,
  name: `${number}.ww`,
  command: '',
  form: { launch: './app', output: `${number}.ww`, settings: { start: '2' } },
  elapsed_s: 1,
  ...more,
});

test('what is not set is not sent, and a repeated run has another name', () => {
  assert.deepEqual(sent({ launch: ' ./app', output: ' a.ww ', settings: { start: ' 2 ', calls: '', durable: ' ' } }), {
    launch: ' ./app',
    output: 'a.ww',
    settings: { start: '2' },
  });
  const { form } = run(0),
    copy = again(form);
  assert.deepEqual(copy, { launch: './app', output: '', settings: { start: '2' } });
  copy.settings.start = '3';
  assert.equal(form.settings.start, '2');
});

test('a result is compared with what is looked at, else with its neighbour', () => {
  const runs = [run(0), run(1, { trace: null, state: 'failed' }), run(2)];
  assert.equal(counterpart(runs, 12, [3]), 3);
  assert.equal(counterpart(runs, 12, [12]), 10);
  assert.equal(counterpart(runs, 10, [10]), 12);
  assert.equal(counterpart([run(0)], 10, []), null);
});

test('states and examples in words', () => {
  assert.equal(state_text(run(0)), 'done');
  assert.equal(state_text(run(0, { state: 'records', stopping: true })), 'is being stopped');
  assert.equal(state_text(run(0, { state: 'failed', exit_code: 3, trace: null })), 'failed with exit code 3: there is no trace');
  assert.equal(state_text(run(0, { state: 'failed', exit_code: 3 })), 'ended with exit code 3; what it did until then is kept');
  assert.equal(typed_example('["p2p", "collective", "MPI_Comm_split"]'), 'p2p,collective,MPI_Comm_split');
  assert.equal(typed_example('2.5'), '2.5');
  assert.ok(is_main({ name: 'calls', about: '', flag: false, example: '' }));
  assert.ok(!is_main({ name: 'lab', about: '', flag: false, example: '' }));
});

test('a run that goes has its ranks where the first look was, and that is there again afterwards', () => {
  for (const panes of [first_panes(), default_panes()]) {
    const live = panes_of_live(panes);
    assert.ok(leaf_showing(live, 'live') && leaf_showing(live, 'timeline') && !leaf_showing(live, 'first'));
    assert.deepEqual(panes_of_ended(live), panes);
    assert.equal(leaves(live).length, leaves(panes).length);
  }
});

// A server of which every answer is known.
test('a run that was started here is opened once, when it has a trace', async () => {
  const asked: string[] = [];
  let runs: Run[] = [];
  const source: Source = {
    json: async (path) => (path === 'run/list' ? { runs } : { text: 'out', dropped: 0 }),
    binary: async () => new ArrayBuffer(0),
    post: async (path, body) => {
      asked.push(`${path} ${JSON.stringify(body)}`);
      if (path === 'run/start') runs = [...runs, run(runs.length, { goes: false, state: 'done', trace: 7 })];
      return runs.at(-1);
    },
  };
  const session = new RunSession(source),
    opened: number[] = [];
  session.opener = { open: async (number) => void opened.push(number), compare: async () => undefined, shown: () => [] };
  await session.look();
  assert.deepEqual(opened, []);
  await session.start({ launch: './app', output: '', settings: {} });
  await session.look();
  assert.deepEqual(opened, [7]);
  assert.deepEqual(asked, ['run/start {"launch":"./app","output":"","settings":{}}']);
  assert.equal(session.printed.text, 'out');
});
