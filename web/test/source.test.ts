// Both kinds of source must give the same of the same data; the server here answers as docs/web.md says.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Asked, Embedded } from '../src/data/source.ts';

const timeline = { begin_ns: 0, end_ns: 1, calls: 0, listed_calls: 0, messages: 0, listed_messages: 0, names: [], rows: [] };
const data = { title: 'two', studies: [{ name: 'a', timeline }, { name: 'b' }] };
const answers: Record<string, unknown> = {
  '/data/report': { title: 'two', studies: [{ name: 'a' }, { name: 'b' }] },
  '/data/timeline/0': timeline,
  '/data/timeline/1': null,
};

test('embedded and asked over HTTP are the same', async () => {
  const server = createServer((request, response) => {
    const found = answers[request.url ?? ''];
    response.statusCode = found === undefined ? 404 : 200;
    response.end(JSON.stringify(found));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  try {
    const embedded = new Embedded(JSON.stringify(data)),
      asked = new Asked(`http://127.0.0.1:${(server.address() as AddressInfo).port}/data`);
    assert.deepEqual(await asked.report(), await embedded.report());
    for (const study of [0, 1]) assert.deepEqual(await asked.timeline(study), await embedded.timeline(study));
    assert.deepEqual(await embedded.timeline(0), timeline);
    await assert.rejects(asked.timeline(7), /\/data\/timeline\/7 was answered with 404/);
  } finally {
    server.close();
  }
});
test('the report is told without timelines, and the data stay whole', async () => {
  const source = new Embedded(JSON.stringify(data));
  assert.deepEqual((await source.report()).studies, [{ name: 'a' }, { name: 'b' }]);
  assert.deepEqual(await source.timeline(0), timeline);
});
