// Contours of functions whose lines of equal value are known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell_edges, contour_pieces } from '../src/sweep/contours.ts';

test('of a plane every end lies on the line, in uneven steps too', () => {
  const xs = [0, 1, 4, 10],
    ys = [0, 2, 3];
  const pieces = contour_pieces(xs, ys, (c, r) => (xs[c] ?? NaN) + 2 * (ys[r] ?? NaN), 5);
  assert.ok(pieces.length >= 3);
  for (const [x, y] of pieces.flat()) assert.ok(Math.abs(x + 2 * y - 5) < 1e-9, `${x}, ${y}`);
});
test('a saddle is cut into two lines, on the side that its mean says', () => {
  const saddle = [
    [1, 0],
    [0, 1],
  ]; // the mean is 0.5: above 0.4, so the corners at 0 are cut off
  const pieces = contour_pieces([0, 1], [0, 1], (c, r) => saddle[c]?.[r] ?? NaN, 0.4);
  assert.equal(pieces.length, 2);
  const near = pieces.map((piece) => piece.map(([x, y]) => Math.min(Math.abs(x - 1) + y, x + Math.abs(y - 1)) <= 0.4 + 1e-9));
  assert.deepEqual(near, [
    [true, true],
    [true, true],
  ]);
});
test('what is missing is left out, and a level outside has no line', () => {
  assert.deepEqual(
    contour_pieces([0, 1], [0, 1], (c) => (c ? Number.NaN : 0), 0.5),
    [],
  );
  assert.deepEqual(
    contour_pieces([0, 1], [0, 1], (c) => c, 2),
    [],
  );
});
test('cells meet half way and end at the outermost nodes', () => {
  assert.deepEqual(cell_edges([0, 2, 6]), [
    [0, 1],
    [1, 4],
    [4, 6],
  ]);
});
