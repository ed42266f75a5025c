// Values over time and rows as colours. Each cell is a rectangle of its bin and row: nothing is smoothed.
import { tooltip } from '../../base/dom.ts';
import { linear } from '../../charts/chart.ts';
import type { View } from '../display.ts';
import type { Series } from '../source/decode.ts';
import { canvas_of } from './canvas.ts';
import { time_ticks } from './time_chart.ts';

export interface HeatMap {
  width: number;
  height: number;
  series: Series;
  labels: string[];
  colour(value: number): string;
  place(row: number, bin: number, at: { x: number; y: number }): void;
  choose(row: number, bin: number): void;
}
const LEFT = 74,
  RIGHT = 8,
  TOP = 4,
  BOTTOM = 22,
  MOST_PITCH = 30;

export function heat_map(view: View, { width, height, series, labels, colour, place, choose }: HeatMap): HTMLCanvasElement {
  const { rows, bins, from_ns, bin_ns, value } = series,
    pitch = Math.min(MOST_PITCH, (height - TOP - BOTTOM) / rows),
    bottom = TOP + pitch * rows,
    { canvas, context } = canvas_of(width, bottom + BOTTOM, 'values over time and ranks'),
    x = linear(from_ns, from_ns + bins * bin_ns, LEFT, width - RIGHT),
    { ink, soft, paper } = view.palette;
  context.fillStyle = paper;
  context.fillRect(0, 0, width, bottom + BOTTOM);
  const cell = (width - RIGHT - LEFT) / bins;
  for (let row = 0; row < rows; ++row)
    for (let bin = 0; bin < bins; ++bin) {
      const one = value[row * bins + bin] ?? Number.NaN;
      if (!Number.isFinite(one)) continue;
      context.fillStyle = colour(one);
      // Half a pixel more, so that no seams show between neighbours.
      context.fillRect(LEFT + bin * cell, TOP + row * pitch, cell + 0.5, pitch + (pitch > 4 ? -0.5 : 0.5));
    }
  context.fillStyle = soft;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (let row = 0; row < rows; row += Math.ceil(13 / pitch))
    context.fillText((labels[row] ?? '').slice(0, 11), LEFT - 6, TOP + (row + 0.5) * pitch);
  context.textBaseline = 'top';
  context.textAlign = 'center';
  for (const [ns, label] of time_ticks(from_ns, from_ns + bins * bin_ns, (width - LEFT) / 110))
    context.fillText(label, Math.min(width - 26, x(ns)), bottom + 6);
  const at = view.look.at_ns;
  if (at !== null && at >= from_ns && at <= from_ns + bins * bin_ns) {
    context.fillStyle = ink;
    context.fillRect(x(at) - 0.75, TOP, 1.5, bottom - TOP);
  }
  const found = (event: PointerEvent) => {
    const box = canvas.getBoundingClientRect(),
      bin = Math.floor((((event.clientX - box.left) * width) / box.width - LEFT) / cell),
      row = Math.floor((((event.clientY - box.top) * width) / box.width - TOP) / pitch);
    return bin >= 0 && bin < bins && row >= 0 && row < rows ? { row, bin } : null;
  };
  canvas.addEventListener('pointermove', (event) => {
    const over = found(event);
    if (over) place(over.row, over.bin, { x: event.clientX, y: event.clientY });
    else tooltip.hide();
  });
  canvas.addEventListener('pointerleave', () => tooltip.hide());
  // The pointer's tooltips for who has no pointer: arrow keys go from cell to cell, Enter chooses.
  let [row, bin] = [0, -1];
  const steps: Record<string, readonly [row: number, bin: number]> = {
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
  };
  canvas.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (event.key === 'Enter' && bin >= 0) choose(row, bin);
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    row = Math.min(rows - 1, Math.max(0, row + step[0]));
    bin = Math.min(bins - 1, Math.max(0, bin + step[1]));
    const box = canvas.getBoundingClientRect(),
      scale = box.width / width;
    place(row, bin, { x: box.left + (LEFT + (bin + 0.5) * cell) * scale, y: box.top + (TOP + (row + 0.5) * pitch) * scale });
  });
  canvas.addEventListener('blur', () => tooltip.hide());
  canvas.addEventListener('pointerup', (event) => {
    const over = found(event);
    if (over) choose(over.row, over.bin);
  });
  return canvas;
}
