// The words and figures of the answer. Expected shares are worked out by hand from the times given here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longest_of } from '../src/answer/agreement.ts';
import { is_disturbed, judge, list_of, spec_text, verdict_text } from '../src/answer/headline.ts';
import type { Study, WhatIf } from '../src/data/types.ts';

const what_if = (times: Partial<WhatIf>): WhatIf => ({ spec: 'bandwidth=x10', headline: { sentence: 'a sentence' }, ...times });
const study = (more: Partial<Study>): Study => ({ name: 'cg', recorded_s: 2, what_ifs: [], ...more });

test('what-ifs in words', () => {
  assert.equal(spec_text('bandwidth=x10,latency=5us'), '10 times the bandwidth and a latency of 5us');
  assert.equal(spec_text('latency=x0.5'), 'the latency times 0.5');
  assert.equal(spec_text('machine'), 'machine');
});
test('names in a list', () => {
  assert.deepEqual([list_of([]), list_of(['a']), list_of(['a', 'b', 'c'])], ['', 'a', 'a, b and c']);
});
test('errors are of the real run, and the largest counts, whatever its sign', () => {
  const { names, errors, apart } = judge(what_if({ simulated: { s: 1.1 }, virtual: { s: 0.7 }, real: { s: 1 } }));
  assert.deepEqual(names, ['simulation', 'the virtual clock']);
  assert.ok(Math.abs((errors.simulated ?? NaN) - 0.1) < 1e-12 && Math.abs((errors.virtual ?? NaN) + 0.3) < 1e-12);
  assert.equal(errors.dilated, undefined);
  assert.ok(Math.abs((apart ?? NaN) - 0.3) < 1e-12);
});
test('without a real run the answers are compared with each other, one alone with nothing', () => {
  const two = judge(what_if({ simulated: { s: 1.5 }, dilated: { s: 1 } }));
  assert.deepEqual([two.apart, two.errors], [0.5, { simulated: null, dilated: null }]);
  assert.equal(judge(what_if({ dilated: { s: 1 }, real: null })).apart, null);
  assert.equal(judge(what_if({ real: { s: 1 } })).apart, null);
});
test('the verdict says who agrees, and who checked it', () => {
  const said = (times: Partial<WhatIf>) => verdict_text(what_if(times), judge(what_if(times)));
  assert.equal(said({ simulated: { s: 1.1 }, real: { s: 1 }, agree: true }), 'Simulation and the real run agree within 10.0%.');
  assert.equal(
    said({ simulated: { s: 3 }, real: { s: 1 }, agree: false }),
    'Simulation and the real run do not agree: up to 200.0% apart.',
  );
  assert.equal(said({ simulated: { s: 1.5 }, dilated: { s: 1 } }), 'Simulation and dilation are 50.0% apart; no real run checked them.');
  assert.equal(said({ dilated: { s: 1 } }), 'By dilation alone; no real run checked it.');
  assert.equal(said({ real: { s: 1 } }), 'This was run for real; nothing predicted it.');
});
test('the scale of a program holds all its times and their intervals', () => {
  assert.equal(longest_of(study({ what_ifs: [what_if({ simulated: { s: 1, high: 3 } }), what_if({ real: { s: 2.5 } })] })), 3);
  assert.equal(longest_of(study({})), 2);
});
test('times are disturbed by a diagnostic of the study or of its trace', () => {
  const diagnostics = [{ name: 'times-disturbed-by-load', severity: 'warning' }];
  assert.equal(is_disturbed(study({})), false);
  assert.equal(is_disturbed(study({ diagnostics })), true);
  assert.equal(is_disturbed(study({ report: { ranks: [], diagnostics } })), true);
});
