// Lines of equal value over a grid whose nodes are known: each rectangle of four nodes is cut along its edges,
// where the value is taken to run straight in the picture's own coordinates.
import { mean, pairs } from 'd3-array';

export type Point = [x: number, y: number];
type Piece = [from: Point, to: Point];

// xs, ys: places of the columns and rows; value(column, row), NaN where it is not known.
export function contour_pieces(xs: number[], ys: number[], value: (column: number, row: number) => number, level: number) {
  const pieces: Piece[] = [];
  const corner = (c: number, r: number) => ({ x: xs[c] ?? NaN, y: ys[r] ?? NaN, value: value(c, r) });
  for (let c = 0; c + 1 < xs.length; ++c)
    for (let r = 0; r + 1 < ys.length; ++r) {
      const corners = [corner(c, r), corner(c + 1, r), corner(c + 1, r + 1), corner(c, r + 1)];
      if (!corners.every((one) => Number.isFinite(one.value))) continue;
      const cuts = pairs([...corners, corner(c, r)]).flatMap(([from, to]): Point[] => {
        if (from.value < level === to.value < level) return [];
        const share = (level - from.value) / (to.value - from.value);
        return [[from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)]];
      });
      // A saddle has four cuts: they join so that its middle, taken as the mean, is on the side it belongs to.
      const [one, two, three, four] = cuts,
        middle = mean(corners, (at) => at.value) ?? 0;
      if (three && four && one && two)
        if (middle < level !== value(c, r) < level) pieces.push([one, two], [three, four]);
        else pieces.push([four, one], [two, three]);
      else if (one && two) pieces.push([one, two]);
    }
  return pieces;
}

// Between neighbours, half way in the picture; the outermost cells end at their node.
export function cell_edges(places: number[]) {
  const middles = pairs(places, (a, b) => (a + b) / 2);
  return places.map((place, i): [number, number] => [middles[i - 1] ?? place, middles[i] ?? place]);
}
