// The bar at the side of the rows where not all of them are in sight: dragged, or by the arrow keys, it scrolls them.
import { el } from '../../base/dom.ts';
import type { View } from '../display.ts';
import { held, type Window } from './geometry.ts';
import type { Lane } from './lane.ts';

const LEAST_GRIP_PX = 24;

export class RowsBar {
  readonly node: HTMLElement;
  private view: View;
  private all: () => Window;
  private grip = el('div', { class: 'grip' });
  private height = 1;

  constructor(view: View, all: () => Window) {
    this.view = view;
    this.all = all;
    this.node = el(
      'div',
      { class: 'rows-bar', role: 'scrollbar', 'aria-orientation': 'vertical', 'aria-label': 'Ranks in sight', tabindex: 0, hidden: true },
      this.grip,
    );
    this.node.addEventListener('pointerdown', (event) => this.drag(event));
    this.node.addEventListener('keydown', (event) => {
      const rows = this.view.look.rows,
        by = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[event.key];
      if (!rows || by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.move(rows, by * (Math.abs(by) > 1 ? ((rows[1] - rows[0]) * 0.9) / 10 : 1));
    });
  }
  private move(rows: Window, by: number) {
    this.view.change({ rows: held([rows[0] + by, rows[1] + by], this.all()) }, 'rows');
  }
  // What is pressed beside the grip brings it there.
  private drag(event: PointerEvent) {
    const rows = this.view.look.rows;
    if (event.button !== 0 || !rows) return;
    event.preventDefault();
    event.stopPropagation();
    this.node.setPointerCapture(event.pointerId);
    const [low, high] = this.all(),
      ranks_per_px = (high - low) / this.height,
      pressed = low + (event.clientY - this.node.getBoundingClientRect().top) * ranks_per_px,
      wide = rows[1] - rows[0],
      begin: Window = pressed < rows[0] || pressed > rows[1] ? held([pressed - wide / 2, pressed + wide / 2], [low, high]) : rows,
      from_y = event.clientY;
    this.move(begin, 0);
    const move = (at: PointerEvent) => this.move(begin, (at.clientY - from_y) * ranks_per_px);
    const end = () => {
      this.node.removeEventListener('pointermove', move);
      this.node.removeEventListener('pointerup', end);
      this.node.removeEventListener('pointercancel', end);
    };
    this.node.addEventListener('pointermove', move);
    this.node.addEventListener('pointerup', end);
    this.node.addEventListener('pointercancel', end);
  }
  // Beside the rows of the lane.
  draw(lane: Lane | null) {
    const { rows } = this.view.look;
    this.node.hidden = rows === null || lane === null;
    if (!rows || !lane) return;
    const [low, high] = this.all(),
      { top, height } = lane.place,
      size = Math.max(LEAST_GRIP_PX, ((rows[1] - rows[0]) / (high - low)) * height),
      share = (rows[0] - low) / Math.max(1e-9, high - low - (rows[1] - rows[0]));
    this.height = height;
    this.node.style.top = `${top}px`;
    this.node.style.height = `${height}px`;
    this.grip.style.top = `${Math.max(0, Math.min(1, share)) * (height - size)}px`;
    this.grip.style.height = `${size}px`;
    this.node.setAttribute('aria-valuemin', String(low));
    this.node.setAttribute('aria-valuemax', String(high));
    this.node.setAttribute('aria-valuenow', String(Math.round(rows[0])));
  }
}
