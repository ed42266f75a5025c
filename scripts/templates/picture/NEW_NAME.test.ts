// Expected rows are counted by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEW_NAME_rows } from '../src/program/NEW_NAME.ts';

test('the ranks that sent most, without those that sent nothing', () => {
  const ranks = [3, 0, 7, 5].map((messages_sent, rank) => ({ rank, messages_sent }));
  assert.deepEqual(
    NEW_NAME_rows(ranks, 2).map(({ rank }) => rank),
    [2, 3],
  );
  assert.equal(NEW_NAME_rows(ranks, 10).length, 3);
});
