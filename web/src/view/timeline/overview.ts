// The strip above the timeline: the whole span, all ranks in one row, with the window on it to move and to resize.
import { el } from '../../base/dom.ts';
import type { View } from '../display.ts';
import { held, same, type Window } from './geometry.ts';
import { type Colours, Lane } from './lane.ts';

const HEIGHT = 26,
  GRIP_PX = 7;

export class Overview {
  readonly node: HTMLElement;
  private canvas = el('canvas', { class: 'overview' });
  private box = el('div', { class: 'window' });
  private instant = el('div', { class: 'instant' });
  private view: View;
  private lane: Lane | null = null;
  private left: number;
  private span: Window = [0, 1];
  private width = 10;
  private drawn: { span: Window; colours: Colours } | null = null; // with all its tiles, on the canvas as it is

  constructor(view: View, left: number, least_ns: number) {
    this.view = view;
    this.left = left;
    this.node = el('div', { class: 'overview-strip' }, this.canvas, this.box, this.instant);
    this.node.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      this.node.setPointerCapture(event.pointerId);
      const [from, to] = this.view.window,
        x = this.x_in(event),
        [a, b] = [this.x_of(from), this.x_of(to)],
        side = Math.abs(x - a) < GRIP_PX ? 'from' : Math.abs(x - b) < GRIP_PX ? 'to' : 'both';
      const outside = x < a - GRIP_PX || x > b + GRIP_PX,
        grabbed = this.ns_at(x) - (outside ? (to - from) / 2 : 0),
        start: Window = outside ? [this.ns_at(x) - (to - from) / 2, this.ns_at(x) + (to - from) / 2] : [from, to];
      const drag = (at: PointerEvent) => {
        const now = this.ns_at(this.x_in(at)),
          by = now - (outside ? this.ns_at(x) : grabbed);
        const window: Window =
          side === 'from' && !outside
            ? [Math.max(this.span[0], Math.min(now, to - least_ns)), to]
            : side === 'to' && !outside
              ? [from, Math.min(this.span[1], Math.max(now, from + least_ns))]
              : held([start[0] + by, start[1] + by], this.span);
        this.view.change({ window }, 'overview');
      };
      const end = () => {
        this.node.removeEventListener('pointermove', drag);
        this.node.removeEventListener('pointerup', end);
        this.node.removeEventListener('pointercancel', end);
      };
      if (outside) drag(event);
      this.node.addEventListener('pointermove', drag);
      this.node.addEventListener('pointerup', end);
      this.node.addEventListener('pointercancel', end);
    });
  }
  private x_in = (event: PointerEvent) => event.clientX - this.node.getBoundingClientRect().left - this.left;
  private ns_at = (x: number) => this.span[0] + (Math.max(0, Math.min(this.width, x)) / this.width) * (this.span[1] - this.span[0]);
  private x_of = (ns: number) => ((ns - this.span[0]) / (this.span[1] - this.span[0])) * this.width;

  // width: of the plot that it stands over.
  draw(span: Window, colours: Colours, width: number) {
    this.width = Math.max(10, width);
    this.span = span;
    const { trace } = this.view,
      { drawn } = this,
      ratio = devicePixelRatio || 1,
      [w, h] = [Math.round(this.width * ratio), Math.round(HEIGHT * ratio)];
    // It stays as it is while the window moves.
    if (this.lane?.trace === trace && drawn?.colours === colours && same(drawn.span, span) && this.canvas.width === w) {
      this.mark();
      return;
    }
    if (this.lane?.trace !== trace) this.lane = new Lane(trace);
    const context = this.canvas.getContext('2d');
    if (!context) return;
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    this.canvas.style.width = `${this.width}px`;
    this.lane.lay_out({ left: 0, top: 0, width: this.width, height: HEIGHT, ratio }, span, null);
    this.lane.one_row(HEIGHT);
    this.lane.paint(context, colours);
    this.drawn = this.missing.length === 0 ? { span, colours } : null;
    this.mark();
  }
  // The window and the instant on it.
  mark() {
    const { look, window } = this.view;
    const [a, b] = [this.x_of(window[0]), this.x_of(window[1])];
    this.box.hidden = look.window === null;
    this.box.style.left = `${this.left + a}px`;
    this.box.style.width = `${Math.max(3, b - a)}px`;
    this.instant.hidden = look.at_ns === null;
    if (look.at_ns !== null) this.instant.style.left = `${this.left + this.x_of(look.at_ns)}px`;
  }
  get missing() {
    return this.lane ? [...this.lane.missing, ...this.lane.later] : [];
  }
}
