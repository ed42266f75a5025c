// A surface over time and ranks, seen from an angle that a drag changes: columns drawn from the back to the front, without a library.
import type { Tick } from '../../charts/chart.ts';
import type { View } from '../display.ts';
import type { Series } from '../source/decode.ts';
import { canvas_of } from './canvas.ts';
import { time_ticks } from './time_chart.ts';

export interface Angles {
  turn: number; // about the upright axis, radians
  tilt: number; // of the eye above the ground, radians
}
export type Point3 = readonly [x: number, y: number, z: number]; // x time, y rank, z up, each within -1/2 to 1/2
// Parallel projection: to the right, down, and how near (larger: in front).
export function projected([x, y, z]: Point3, { turn, tilt }: Angles): readonly [right: number, down: number, near: number] {
  const right = x * Math.cos(turn) - y * Math.sin(turn),
    back = x * Math.sin(turn) + y * Math.cos(turn);
  return [right, -(back * Math.sin(tilt) + z * Math.cos(tilt)), z * Math.sin(tilt) - back * Math.cos(tilt)];
}

export interface Surface3d {
  width: number;
  height: number;
  series: Series;
  labels: string[];
  least: number;
  most: number;
  colour(value: number): string;
  ticks: Tick[];
}
const angles: Angles = { turn: 0.55, tilt: 0.62 }; // kept while the page is open, so that a redraw does not turn it back
const HEIGHT = 0.55; // of the surface, to its sides of 1

export function surface_canvas(view: View, of: Surface3d): HTMLCanvasElement {
  const { canvas, context } = canvas_of(of.width, of.height, 'surface of a measure over time and ranks'),
    paint = () => paint_surface(context, view, of, angles);
  let from: readonly [number, number] | null = null;
  canvas.addEventListener('pointerdown', (event) => {
    from = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!from) return;
    turn((event.clientX - from[0]) * 0.008, (event.clientY - from[1]) * 0.008);
    from = [event.clientX, event.clientY];
  });
  canvas.addEventListener('pointerup', () => {
    from = null;
  });
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    turn(by[0] ?? 0, by[1] ?? 0);
  });
  function turn(about: number, up: number) {
    angles.turn -= about;
    angles.tilt = Math.min(1.45, Math.max(0.12, angles.tilt + up));
    canvas.dataset.turn = angles.turn.toFixed(3);
    paint();
  }
  canvas.dataset.turn = angles.turn.toFixed(3);
  paint();
  return canvas;
}

function paint_surface(context: CanvasRenderingContext2D, view: View, of: Surface3d, seen: Angles) {
  const { width, height, series, least, most } = of,
    { rows, bins, value } = series,
    { paper, ink, soft, line } = view.palette,
    scale = Math.min(width * 0.66, height / (Math.SQRT2 * Math.sin(seen.tilt) + HEIGHT + 0.2));
  const at = (x: number, y: number, z: number) => {
    const [right, down] = projected([x - 0.5, y - 0.5, (z - 0.5) * HEIGHT], seen);
    return [width / 2 + right * scale, height / 2 + down * scale] as const;
  };
  const up = (row: number, bin: number) => ((value[row * bins + bin] || least) - least) / (most - least || 1);
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
  const face = (corners: (readonly [number, number])[], fill: string | null, stroke: string | null) => {
    context.beginPath();
    for (const [x, y] of corners) context.lineTo(x, y);
    context.closePath();
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (stroke) {
      context.strokeStyle = stroke;
      context.stroke();
    }
  };
  context.lineWidth = 1;
  face([at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0)], null, line);
  // Cells between neighbouring points of the grid, those behind first. A trace of one rank is a band of its own width.
  const deep = Math.max(1, rows - 1),
    cells: { near: number; row: number; bin: number }[] = [];
  for (let row = 0; row < deep; ++row)
    for (let bin = 0; bin + 1 < bins; ++bin)
      cells.push({ near: projected([(bin + 0.5) / (bins - 1) - 0.5, (row + 0.5) / deep - 0.5, 0], seen)[2], row, bin });
  cells.sort((a, b) => a.near - b.near);
  for (const { row, bin } of cells) {
    const next = Math.min(rows - 1, row + 1),
      mean = (value_at(row, bin) + value_at(row, bin + 1) + value_at(next, bin) + value_at(next, bin + 1)) / 4;
    face(
      [
        at(bin / (bins - 1), row / deep, up(row, bin)),
        at((bin + 1) / (bins - 1), row / deep, up(row, bin + 1)),
        at((bin + 1) / (bins - 1), (row + 1) / deep, up(next, bin + 1)),
        at(bin / (bins - 1), (row + 1) / deep, up(next, bin)),
      ],
      of.colour(mean),
      view.palette.dark ? 'rgb(0 0 0 / 35%)' : 'rgb(255 255 255 / 45%)',
    );
  }
  function value_at(row: number, bin: number) {
    return value[row * bins + bin] || 0;
  }
  const near = (x: number, y: number) => projected([x - 0.5, y - 0.5, 0], seen)[2],
    front_y = near(0.5, 0) > near(0.5, 1) ? -0.07 : 1.07,
    front_x = near(0, 0.5) > near(1, 0.5) ? -0.09 : 1.09;
  context.fillStyle = soft;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const [ns, label] of time_ticks(series.from_ns, series.from_ns + bins * series.bin_ns, 5)) {
    const [x, y] = at((ns - series.from_ns) / (bins * series.bin_ns), front_y, 0);
    context.fillText(label, x, y);
  }
  for (let row = 0; row < rows; row += Math.ceil(rows / 8)) {
    const [x, y] = at(front_x, rows > 1 ? row / deep : 0.5, 0);
    context.fillText(of.labels[row] ?? '', x, y);
  }
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  // The upright axis at the corner that is leftmost on the screen.
  const [left_x, left_y] = (
    [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ] as const
  ).reduce((a, b) => (at(b[0], b[1], 0)[0] < at(a[0], a[1], 0)[0] ? b : a));
  for (const [one, label] of of.ticks) {
    const z = (one - least) / (most - least || 1),
      [x, y] = at(left_x, left_y, z);
    context.fillText(label, x - 8, y);
    context.fillRect(x - 5, y, 5, 1);
  }
  const instant = view.look.at_ns,
    share = instant === null ? -1 : (instant - series.from_ns) / (bins * series.bin_ns);
  if (share >= 0 && share <= 1) {
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let row = 0; row < rows; ++row) {
      const bin = Math.min(bins - 1, Math.floor(share * bins)),
        [x, y] = at(share, rows > 1 ? row / deep : 0.5, up(row, bin));
      if (row === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }
}
