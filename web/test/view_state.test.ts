// What is looked at: its address, its history, its panes. Expectations follow from what the functions promise: back and forth is the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address_of, look_of } from '../src/view/state/address.ts';
import { first_look, type Look, no_selection, selection_query } from '../src/view/state/look.ts';
import {
  default_panes,
  free_id,
  leaf,
  leaves,
  panes_of,
  panes_text,
  split,
  with_display,
  with_divider_moved,
  with_leaf_beside,
  with_leaf_moved,
  with_leaves_swapped,
  with_option,
  without_leaf,
} from '../src/view/state/panes.ts';
import { Store } from '../src/view/state/store.ts';

const everything: Look = {
  traces: [2, 0],
  window: [-1500.25, 9e12],
  rows: [0.5, 16384],
  order: 'blocked',
  selection: { from_ns: 10, to_ns: 2000, ranks: '0-3,7', calls: 'MPI_Send,p2p', peers: '1' },
  at_ns: 123456789.125,
  picked: { trace: 2, rank: 15, call: 4_000_000_000 },
  colouring: 'call',
  colours: { idle: '#ff0080', 'MPI_Send, or "so"': '#00ff00' },
  colour_map: 'print, 2 "tones"',
  messages: false,
  speed: 2.5e6,
  what_if: 'bandwidth=x10,network=fat-tree:k=8',
  panes: split(
    'row',
    [0.25, 0.75],
    [leaf(7, 'timeline'), split('column', [0.5, 0.5], [leaf(2, 'query', { sql: 'SELECT "a~b" (1,2) =.' }), leaf(9, 'first')])],
  ),
  theme: 'dark',
};

test('everything that is looked at is in the address and comes back from it', () => {
  assert.deepEqual(look_of(address_of(everything)), everything);
  assert.equal(address_of(first_look()), '', 'what is as at first is left out');
  assert.deepEqual(look_of(''), first_look());
  for (const name of Object.keys(everything) as (keyof Look)[]) {
    const one = { ...first_look(), [name]: everything[name] } as Look;
    assert.deepEqual(look_of(address_of(one)), one, name);
  }
});
test('a damaged address opens what can be read of it', () => {
  const look = look_of('#window=5..1&rows=a..b&call=1.2&panes=r(0.5:1.x,&by=nothing&at=&theme=%E0%A4%A&ranks=0-3&traces=-1&speed=-3');
  assert.deepEqual(look, { ...first_look(), selection: { ...no_selection, ranks: '0-3' } });
  for (const text of ['#', '#=&=', '#window', '#panes=' + 'r(1:'.repeat(40), '#colours=x', '#span=1..', '#window=1..2..3'])
    assert.deepEqual(look_of(text), first_look(), text);
});
test('a selection asks for whole nanoseconds, and for nothing where nothing is selected', () => {
  assert.deepEqual(selection_query({ from_ns: 1.5, to_ns: 2.5, ranks: '', calls: 'p2p', peers: '' }), {
    from_ns: 1,
    to_ns: 3,
    ranks: '',
    calls: 'p2p',
    peers: '',
  });
  assert.equal(selection_query(no_selection).from_ns, null);
});

test('undo and redo go through the steps; a drag is one step', () => {
  let now = 0;
  const store = new Store(first_look(), () => now),
    seen: string[] = [];
  store.listen((_, changed) => seen.push([...changed].join()));
  store.change({ at_ns: 1 });
  store.change({ at_ns: 1 });
  assert.deepEqual(seen, ['at_ns'], 'no change, nobody is told');
  for (let i = 1; i <= 5; ++i) {
    now = 100 * i;
    store.change({ window: [0, 10 * i] }, 'drag');
  }
  store.change({ at_ns: 2 }, 'none');
  now = 5000;
  store.change({ window: [0, 99] }, 'drag');
  store.undo();
  assert.deepEqual(store.look.window, [0, 50], 'a drag much later is another step');
  store.undo();
  assert.deepEqual([store.look.window, store.look.at_ns], [null, 1]);
  store.undo();
  assert.deepEqual(store.look, first_look());
  assert.equal(store.can_undo, false);
  store.undo();
  store.redo();
  store.redo();
  assert.deepEqual(store.look.window, [0, 50]);
  store.change({ theme: 'dark' });
  assert.equal(store.can_redo, false, 'what is done anew ends the way forth');
});

test('panes split, close, move and swap; shares always add up', () => {
  const adds_up = (pane: ReturnType<typeof default_panes>) => {
    if (pane.kind === 'leaf') return;
    assert.ok(Math.abs(pane.shares.reduce((a, b) => a + b, 0) - 1) < 1e-9);
    assert.equal(pane.shares.length, pane.children.length);
    assert.ok(pane.children.length > 1, 'no split of one');
    for (const child of pane.children) {
      assert.ok(child.kind === 'leaf' || child.direction !== pane.direction, 'no split in one of the same direction');
      adds_up(child);
    }
  };
  let panes = default_panes();
  const names = () => leaves(panes).map(({ display }) => display);
  panes = with_leaf_beside(panes, 1, 'bottom', leaf(free_id(panes), 'query'));
  adds_up(panes);
  assert.deepEqual(names(), ['timeline', 'query', 'details', 'first']);
  panes = with_leaf_beside(panes, 1, 'left', leaf(free_id(panes), 'wire'));
  adds_up(panes);
  assert.deepEqual(names(), ['wire', 'timeline', 'query', 'details', 'first']);
  panes = with_leaf_moved(panes, 3, 5, 'top');
  adds_up(panes);
  assert.deepEqual(names(), ['details', 'wire', 'timeline', 'query', 'first']);
  panes = with_leaves_swapped(panes, 5, 2);
  assert.deepEqual(names(), ['details', 'first', 'timeline', 'query', 'wire']);
  for (const id of [1, 2, 3, 4]) {
    panes = without_leaf(panes, id);
    adds_up(panes);
  }
  assert.deepEqual(panes, leaf(5, 'wire'));
  assert.deepEqual(without_leaf(panes, 5), panes, 'the last one stays');
  assert.deepEqual(with_option(with_option(panes, 5, 'a', 'b'), 5, 'a', ''), panes);
  assert.deepEqual(with_display(leaf(1, 'query', { sql: 'x' }), 1, 'first'), leaf(1, 'first'), 'options are a display\u2019s own');
});
test('a divider moves within its split and never closes a pane', () => {
  const panes = with_divider_moved(default_panes(), [], 0, -5);
  assert.ok(panes.kind === 'split' && (panes.shares[0] ?? 0) > 0.05);
  const inner = with_divider_moved(default_panes(), [0], 0, 0.1);
  assert.ok(inner.kind === 'split' && inner.children[0]?.kind === 'split');
  assert.deepEqual(
    inner.children[0].shares.map((share) => +share.toFixed(6)),
    [0.74, 0.26],
  );
});
test('the text of panes comes back; what is none is refused', () => {
  assert.deepEqual(panes_of(panes_text(everything.panes)), everything.panes);
  for (const text of ['', 'r()', 'r(0:1.a,1:2.b)', 'r(0.5:1.a,0.5:1.b)', '1.a2', 'r(0.5:1.a,0.5:2.b)x', '1.', 'r(1:1.a']) {
    const read = panes_of(text);
    assert.ok(read === null || panes_text(read) === text, text);
  }
  assert.equal(panes_of('r(0.5:1.a,0.5:1.b)'), null, 'two of one number');
});
