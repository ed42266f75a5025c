// What tables show of calls and diagnostics.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merged_diagnostics, timed_of } from '../src/program/tables.ts';

test('of a call only what is within the timed program has a share', () => {
  assert.equal(timed_of('MPI_Send', { count: 1, time_s: 2, program_s: 1.5 }), 1.5);
  assert.equal(timed_of('MPI_Init', { count: 1, time_s: 2, program_s: 0 }), 0);
});
test('reports that do not say it: all of a call, but for those around the program', () => {
  assert.equal(timed_of('MPI_Send', { count: 1, time_s: 2 }), 2);
  assert.equal(timed_of('MPI_Init_thread', { count: 1, time_s: 2 }), 0);
  assert.equal(timed_of('MPI_Initialized', { count: 1, time_s: 2 }), 2);
});
test('a diagnostic that comes twice is shown once, as often as it was counted', () => {
  const seen = (name: string, count?: number) => ({ name, severity: 'info', ...(count && { count }) });
  assert.deepEqual(merged_diagnostics([seen('a'), seen('b', 2)], [seen('b', 5), seen('a')], null, undefined), [seen('a'), seen('b', 5)]);
});
