// What wheel, drag and click do in the timeline.
import type { View } from '../display.ts';
import { held, type Window, zoomed } from './geometry.ts';
import type { Lane } from './lane.ts';

const LEAST_NS = 20,
  CLICK_PX = 4,
  ZOOM_A_WHEEL = 0.0022, // per pixel that a wheel says it turned
  LINE_PX = 16;

export interface Hooks {
  view: View;
  lane_at(y: number): Lane | null;
  span(): Window;
  all_rows(): Window;
  hover(x: number, y: number, client_x: number, client_y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  double_click(x: number, y: number): void;
  brush(box: { lane: Lane; x1: number; y1: number; x2: number; y2: number } | null): void;
  selected(box: { lane: Lane; x1: number; y1: number; x2: number; y2: number }): void;
  axis_height: number;
}
const bounded = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

export function listen_to_pointer(node: HTMLElement, hooks: Hooks) {
  const { view } = hooks;
  const place = (event: MouseEvent) => {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top] as const;
  };
  const rows = (): Window => view.look.rows ?? hooks.all_rows();
  const set_rows = (next: Window, undo: string) => {
    const all = hooks.all_rows();
    view.change({ rows: next[1] - next[0] >= all[1] - all[0] - 1e-6 ? null : next }, undo);
  };
  node.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const [x, y] = place(event),
        lane = hooks.lane_at(y);
      if (!lane) return;
      const size = event.deltaMode === 0 ? 1 : LINE_PX,
        across = event.deltaX * size,
        down = event.deltaY * size,
        gutter = x < lane.place.left,
        [from, to] = view.window;
      if (event.ctrlKey || event.metaKey) {
        const rank = lane.ranks[0] + (y - lane.place.top) / lane.px_per_rank;
        set_rows(zoomed(rows(), bounded(rank, ...rows()), Math.exp(down * ZOOM_A_WHEEL), hooks.all_rows(), 1), 'rows');
      } else if (event.shiftKey || gutter) {
        if (!view.look.rows) return;
        const by = (down || across) / Math.max(lane.px_per_rank, 1e-6);
        set_rows(held([rows()[0] + by, rows()[1] + by], hooks.all_rows()), 'rows');
      } else if (Math.abs(across) > Math.abs(down)) {
        const by = (across / lane.place.width) * (to - from);
        view.change({ window: held([from + by, to + by], hooks.span()) }, 'pan');
      } else view.change({ window: zoomed([from, to], lane.ns_at(x), Math.exp(down * ZOOM_A_WHEEL), hooks.span(), LEAST_NS) }, 'zoom');
    },
    { passive: false },
  );

  node.addEventListener('pointermove', (event) => {
    if (event.buttons === 0) hooks.hover(...place(event), event.clientX, event.clientY);
  });
  node.addEventListener('pointerleave', () => hooks.leave());
  node.addEventListener('dblclick', (event) => hooks.double_click(...place(event)));
  node.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const [x, y] = place(event),
      lane = hooks.lane_at(y);
    if (!lane) return;
    node.setPointerCapture(event.pointerId);
    hooks.leave();
    const [from, to] = view.window,
      start_rows = view.look.rows,
      selects = event.shiftKey || y < hooks.axis_height,
      on_axis = y < hooks.axis_height;
    let far = false;
    const box_to = (end_x: number, end_y: number) => ({
      lane,
      x1: bounded(Math.min(x, end_x), lane.place.left, lane.place.left + lane.place.width),
      x2: bounded(Math.max(x, end_x), lane.place.left, lane.place.left + lane.place.width),
      y1: on_axis ? lane.place.top : Math.max(lane.place.top, Math.min(y, end_y)),
      y2: on_axis ? lane.place.top + lane.place.height : Math.min(lane.place.top + lane.place.height, Math.max(y, end_y)),
    });
    const drag = (at: PointerEvent) => {
      const [now_x, now_y] = place(at);
      far ||= Math.hypot(now_x - x, now_y - y) > CLICK_PX;
      if (!far) return;
      if (selects) {
        hooks.brush(box_to(now_x, now_y));
        return;
      }
      const by = ((x - now_x) / lane.place.width) * (to - from),
        window = held([from + by, to + by], hooks.span());
      if (start_rows) {
        const ranks = (y - now_y) / lane.px_per_rank;
        view.change({ window, rows: held([start_rows[0] + ranks, start_rows[1] + ranks], hooks.all_rows()) }, 'drag');
      } else view.change({ window }, 'drag');
    };
    const end = (at: PointerEvent) => {
      node.removeEventListener('pointermove', drag);
      node.removeEventListener('pointerup', end);
      node.removeEventListener('pointercancel', end);
      hooks.brush(null);
      if (at.type === 'pointercancel') return;
      const [now_x, now_y] = place(at);
      if (!far) hooks.click(x, y);
      else if (selects) hooks.selected(box_to(now_x, now_y));
    };
    node.addEventListener('pointermove', drag);
    node.addEventListener('pointerup', end);
    node.addEventListener('pointercancel', end);
  });
}
