// All that the timeline draws, in order: pixels, axis, calls, lines of messages; and over it the instant, the selection and what is
// pointed at, which change without the rest.
import type { CallDetails } from '../source/answers.ts';
import type { Trace } from '../source/trace.ts';
import type { Palette } from '../state/colours.ts';
import type { Look } from '../state/look.ts';
import { ranks_of } from '../words.ts';
import type { Window } from './geometry.ts';
import type { Hover } from './hover.ts';
import { BAND_PX, type Colours, type Lane } from './lane.ts';
import { MOST_LINES } from './loading.ts';
import { draw_axis, draw_calls, draw_labels, draw_line, draw_program, type Line, lines_of, picked_lines } from './marks.ts';
import type { Pen } from './pen.ts';

export const AXIS_PX = 24,
  GUTTER_PX = 92;
const INSTANT = '#d55e00';

export interface Scene {
  lanes: Lane[];
  window: Window;
  colours: Map<Lane, Colours>;
  palette: Palette;
  lines: Map<Lane, Line[]>;
  hover: Hover | null;
  brush: { lane: Lane; x1: number; y1: number; x2: number; y2: number } | null;
  look: Look;
  picked: { trace: Trace; call: CallDetails } | null;
  named?: number; // calls that have their names
  named_regions?: number;
}

export function draw_picture(context: CanvasRenderingContext2D, pen: Pen, scene: Scene, width: number, height: number) {
  context.clearRect(0, 0, width, height);
  for (const lane of scene.lanes) {
    const colours = scene.colours.get(lane);
    if (colours) lane.paint(context, colours);
  }
  draw_marks(pen, scene, width, height);
}
// All but the pixels.
export function draw_marks(pen: Pen, scene: Scene, width: number, height: number) {
  const { lanes, palette, look, window } = scene;
  draw_axis(pen, window, GUTTER_PX, width - GUTTER_PX, 0, height, palette);
  scene.named = 0;
  scene.named_regions = 0;
  for (const lane of lanes) {
    const colours = scene.colours.get(lane),
      { left, top, width: room, height: high } = lane.place;
    if (lanes.length > 1) {
      const { facts, entry } = lane.trace,
        kind = entry.kind === 'recorded' ? '' : entry.kind;
      pen.text(6, top - 5, facts.name, palette.ink, 'left', true);
      if (kind) pen.text(14 + pen.width_of(facts.name, true), top - 5, kind, palette.soft);
      pen.line(0, top - 16.5, width, top - 16.5, palette.line, 1);
    }
    pen.clip(0, top - 1, width, high + 2, () => draw_labels(pen, lane, GUTTER_PX, palette));
    if (!colours) continue;
    const messages = lane.messages?.list,
      lines = look.messages && messages && messages.all <= MOST_LINES ? lines_of(lane, messages) : [];
    scene.lines.set(lane, lines);
    pen.clip(left, top - 2, room, high + 4, () => {
      const draw_lines = () => {
        for (const line of lines) draw_line(pen, line, palette.ink, palette.paper, false);
      };
      if (lane.marks && lane.group === 0)
        scene.named_regions = (scene.named_regions ?? 0) + draw_program(pen, lane, lane.marks.list, palette);
      if (lane.calls) scene.named = (scene.named ?? 0) + draw_calls(pen, lane, lane.calls.list, colours, palette, draw_lines);
      else draw_lines();
    });
  }
}

// Whether there is anything to draw over the picture.
export const has_over = ({ look, hover, brush, picked }: Scene) =>
  hover !== null ||
  brush !== null ||
  picked !== null ||
  look.at_ns !== null ||
  look.selection.from_ns !== null ||
  look.selection.ranks !== '';
export function draw_over(pen: Pen, scene: Scene) {
  const { lanes, look, palette, hover, brush, picked } = scene;
  for (const lane of lanes) {
    const { left, top, width, height } = lane.place;
    pen.clip(left, top - 3, width, height + 6, () => {
      draw_selection(pen, lane, look, palette);
      if (hover?.lane === lane) {
        const { row, call, line } = hover,
          list = lane.calls?.list;
        if (line) draw_line(pen, line, INSTANT, palette.paper, true);
        else if (list && call >= 0) {
          const from = lane.x_of(list.enter_ns[call] ?? 0),
            to = lane.x_of((list.enter_ns[call] ?? 0) + (list.time_ns[call] ?? 0));
          pen.frame(from, row.top, Math.max(1, to - from), row.height, palette.ink, 1.5);
        }
        pen.line(lane.x_of(hover.ns), top, lane.x_of(hover.ns), top + height, palette.ink, 1, 0.25);
      }
      if (picked?.trace === lane.trace) {
        const row = lane.row_of(picked.call.rank),
          from = lane.x_of(picked.call.enter_ns),
          to = lane.x_of(picked.call.leave_ns);
        if (row) pen.frame(from - 1, row.top - 1, Math.max(3, to - from + 2), row.height + 2, INSTANT, 2);
        for (const line of picked_lines(lane, picked.call)) draw_line(pen, line, INSTANT, palette.paper, true);
      }
      if (look.at_ns !== null) {
        const x = lane.x_of(look.at_ns);
        pen.line(x, top - 2, x, top + height + 2, palette.paper, 3.5, 0.6);
        pen.line(x, top - 2, x, top + height + 2, INSTANT, 1.5);
      }
      if (brush?.lane === lane) {
        pen.rect(brush.x1, brush.y1, brush.x2 - brush.x1, brush.y2 - brush.y1, palette.ink, 0.1);
        pen.frame(brush.x1, brush.y1, brush.x2 - brush.x1, brush.y2 - brush.y1, palette.ink, 1);
      }
    });
  }
}

// What is not selected is veiled.
function draw_selection(pen: Pen, lane: Lane, { selection }: Look, palette: Palette) {
  const { from_ns, to_ns } = selection,
    { left, top, width, height } = lane.place,
    ranks = ranks_of(selection.ranks),
    bottom = top + height,
    [a, b] = from_ns === null || to_ns === null ? [left, left + width] : [lane.x_of(from_ns), lane.x_of(to_ns)],
    [from, to] = [Math.max(left, Math.min(a, left + width)), Math.min(left + width, Math.max(b, left))];
  if (from_ns === null && !ranks) return;
  const veil = (x: number, y: number, w: number, h: number) => w > 0 && h > 0 && pen.rect(x, y, w, h, palette.paper, 0.68);
  veil(left, top, from - left, height);
  veil(to, top, left + width - to, height);
  if (ranks) {
    const chosen = new Set(ranks);
    for (const row of lane.rows) {
      let any = false;
      for (let rank = row.first_rank; rank < row.first_rank + row.ranks && !any; ++rank) any = chosen.has(rank);
      if (!any) veil(from, row.top, to - from, row.height + row.bands * BAND_PX + 1);
    }
  }
  if (from_ns !== null) for (const x of [a, b]) if (x > left && x < left + width) pen.line(x, top - 2, x, bottom + 2, palette.ink, 1, 0.8);
}
