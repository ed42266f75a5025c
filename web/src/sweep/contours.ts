// Lines of equal value over a grid whose nodes are known: each rectangle of four nodes is cut along its edges,
// where the value is taken to run straight in the picture's own coordinates.

// xs, ys: places of the columns and rows; value(column, row). A list of [[x, y], [x, y]].
export type Point = [number, number];

export function contour_pieces(xs: number[], ys: number[], value: (column: number, row: number) => number, level: number) {
  const pieces: Point[][] = [];
  for (let c = 0; c + 1 < xs.length; ++c)
    for (let r = 0; r + 1 < ys.length; ++r) {
      const corners = [
        [c, r],
        [c + 1, r],
        [c + 1, r + 1],
        [c, r + 1],
      ];
      const values = corners.map(([column, row]) => value(column, row));
      if (!values.every(Number.isFinite)) continue;
      const cuts: Point[] = [];
      for (let i = 0; i < 4; ++i) {
        const a = values[i],
          b = values[(i + 1) % 4];
        if (a < level === b < level) continue;
        const share = (level - a) / (b - a),
          from = corners[i],
          to = corners[(i + 1) % 4];
        cuts.push([xs[from[0]] + share * (xs[to[0]] - xs[from[0]]), ys[from[1]] + share * (ys[to[1]] - ys[from[1]])]);
      }
      // A saddle has four cuts: they join so that its middle, taken as the mean, is on the side it belongs to.
      const middle = values.reduce((sum, one) => sum + one, 0) / 4;
      if (cuts.length === 4 && middle < level !== values[0] < level) pieces.push([cuts[0], cuts[1]], [cuts[2], cuts[3]]);
      else if (cuts.length === 4) pieces.push([cuts[3], cuts[0]], [cuts[1], cuts[2]]);
      else if (cuts.length === 2) pieces.push([cuts[0], cuts[1]]);
    }
  return pieces;
}

// Between neighbours, half way in the picture; the outermost cells end at their node.
export function cell_edges(places: number[]) {
  return places.map((place, i) => [
    i === 0 ? place : (place + places[i - 1]) / 2,
    i + 1 === places.length ? place : (place + places[i + 1]) / 2,
  ]);
}
