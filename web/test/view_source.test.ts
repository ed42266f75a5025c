// What the page asks of its server and when: of a browser's six connections some stay free for what is answered at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Served } from '../src/view/source/source.ts';
import { TileCache, type TilePlace, take_run } from '../src/view/source/tile_cache.ts';

// Answers when told to; knows what was asked.
function server() {
  const asked: { path: string; answer: (body: BodyInit) => void }[] = [];
  globalThis.fetch = ((path: string, options: RequestInit = {}) =>
    new Promise<Response>((done, failed) => {
      asked.push({ path, answer: (body) => done(new Response(body)) });
      options.signal?.addEventListener('abort', () => failed(options.signal?.reason));
    })) as typeof fetch;
  return asked;
}
const rest = () => new Promise((done) => setTimeout(done));
const at = (tile: number, level = 3): TilePlace => ({ level, tile, group: 0, block: 0 });

test('what may wait holds three connections, and what is answered at once waits for none of it', async () => {
  const asked = server(),
    source = new Served(),
    last = new AbortController(),
    waiting = ['first', 'report', 'messages', 'marks', 'skew'].map((name) =>
      source.json(`data/0/${name}`, {}, name === 'marks' ? last.signal : undefined),
    );
  void source.binary('data/0/tile', { tile: 1 }, undefined);
  void source.json('data/traces', {}, undefined);
  await rest();
  assert.deepEqual(asked.map(({ path }) => path).sort(), [
    'data/0/first',
    'data/0/messages',
    'data/0/report',
    'data/0/tile?tile=1',
    'data/traces',
  ]);
  // One that is given up while it waits never goes out; the next one goes when another is answered.
  last.abort();
  await assert.rejects(waiting[3] as Promise<unknown>, { name: 'AbortError' });
  asked.find(({ path }) => path === 'data/0/first')?.answer('{"causes":[]}');
  assert.deepEqual(await waiting[0], { causes: [] });
  await rest();
  assert.equal(asked.at(-1)?.path, 'data/0/skew');
  assert.equal(asked.length, 6);
});
test('the most urgent tile goes with its neighbours that are wanted', () => {
  const wanted = [at(5), at(9), at(6), at(4), at(5, 2), at(7)];
  assert.deepEqual(take_run(wanted, 3), [at(4), at(5), at(6)]);
  assert.deepEqual(wanted, [at(9), at(5, 2), at(7)]);
  assert.deepEqual(take_run(wanted, 3), [at(9)]);
  assert.deepEqual(take_run([], 3), []);
});
test('what is seen goes first, what may be seen next when nothing else is under way, and nothing twice', async () => {
  const asked = server(),
    // One row of one bin without entries.
    tile = new Uint8Array(Uint32Array.from([0x31545757, 1, 1, 0, 0, 0]).buffer),
    cache = new TileCache(new Served(), 'data/0/tile'),
    tiles_of = (path: string) => Number(new URLSearchParams(path.split('?')[1]).get('tile'));
  cache.want([at(10), at(20)], [at(10), at(30)]);
  await rest();
  assert.deepEqual(
    asked.map(({ path }) => tiles_of(path)),
    [10, 20],
  );
  for (const one of asked) one.answer(tile);
  await rest();
  assert.ok(cache.has(at(10)) && cache.has(at(20)));
  assert.deepEqual(
    asked.map(({ path }) => tiles_of(path)),
    [10, 20, 30],
  );
  // Wanted no longer: given up, and not kept.
  cache.want([at(40)], []);
  await rest();
  asked.at(-1)?.answer(tile);
  await rest();
  assert.ok(!cache.has(at(30)) && cache.has(at(40)));
  assert.equal(cache.pending, 0);
});
