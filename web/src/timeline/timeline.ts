// The timeline in the page: zoom, pan, pointing, and the same from the keyboard.
import { el, type Row, repainters, tooltip } from '../base/dom.ts';
import { bytes_text, count_text, nanoseconds, percent } from '../base/format.ts';
import { card, parts, parts_legend } from '../charts/chart.ts';
import type { TimelineData } from '../data/types.ts';
import { type Arrow, count_up_to, entry, NONE, SEVERAL, TimelineModel, type TimelineRow } from './model.ts';
import { type Arrows, layout, type Place, paint_overview, paint_timeline, type Selection, type View } from './paint.ts';

// A place on the canvas, in pixels.
interface Spot {
  x: number;
  y: number;
}

export class Timeline {
  readonly node: HTMLElement;
  private readonly model: TimelineModel;
  private readonly overview: HTMLCanvasElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly status: HTMLElement;
  private readonly selection: Selection = { row: NONE, call: NONE, arrow: null, brush: null };
  private view: View;
  private place: Place;
  private arrows: Arrows = { visible: 0, drawn: [] };
  private pending = false;

  constructor(program: string, data: TimelineData) {
    this.model = new TimelineModel(data);
    this.view = { from: 0, to: this.model.extent_ns };
    this.place = layout(this.model, 900);
    this.overview = el('canvas', { class: 'overview', role: 'img', 'aria-label': `${program}: all ranks together over time` });
    this.canvas = el('canvas', {
      class: 'ranks',
      tabindex: 0,
      role: 'application',
      'data-program': program,
      'aria-label': `${
        program
      }: timeline of ranks. Plus and minus zoom, left and right pan, up and down choose a rank, N and P step through its calls, 0 shows everything.`,
    });
    this.status = el('div', { class: 'status', 'aria-live': 'polite' });
    this.listen();
    repainters.push(() => this.paint());
    const button = (text: string, label: string, action: () => void) =>
      el('button', { type: 'button', 'aria-label': label, onclick: action }, text);
    const limits = this.model.limits_text();
    this.node = card(
      'Who waits when, and why',
      null,
      parts_legend(
        el(
          'div',
          { class: 'tools' },
          button('+', 'zoom in', () => this.zoom(0.5)),
          button('\u2212', 'zoom out', () => this.zoom(2)),
          button('\u2190', 'earlier', () => this.pan(-0.25)),
          button('\u2192', 'later', () => this.pan(0.25)),
          button('all', 'show the whole run', () => this.show(0, this.model.extent_ns)),
        ),
      ),
      el('div', { class: 'timeline' }, this.overview, this.canvas),
      this.status,
      limits && el('p', { class: 'note limits' }, limits),
      el(
        'p',
        { class: 'note hint' },
        'Drag to zoom into a span, Shift-drag to move, wheel (after a click, or with Ctrl) to zoom, double-click for everything. Keys: + \u2212 \u2190 \u2192 \u2191 \u2193, N and P for the next and previous call, 0 for everything. Each column of pixels shows the exact shares of its time; within a call, in the order algorithmic, service, library.',
      ),
      this.model.region_names.length > 0 &&
        el(
          'p',
          { class: 'note regions' },
          'Thin lines above a rank are the regions that the program marked; pointing at a time names them.',
        ),
    );
  }

  paint() {
    const { place, arrows } = paint_timeline(this.canvas, this.model, this.view, this.selection);
    this.place = place;
    this.arrows = arrows;
    paint_overview(this.overview, this.model, this.view);
    if (this.selection.call === NONE) this.tell();
  }
  repaint() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paint();
    });
  }
  tell() {
    const { from, to } = this.view,
      hidden = this.arrows.visible - this.arrows.drawn.length;
    const messages =
      hidden > 0
        ? `, ${count_text(hidden)} messages (zoom in for arrows)`
        : this.arrows.visible > 0
          ? `, ${count_text(this.arrows.visible)} messages`
          : '';
    this.status.textContent = `${nanoseconds(to - from)} shown, from ${nanoseconds(from)} to ${nanoseconds(to)}${messages}`;
  }

  show(from: number, to: number) {
    const extent = this.model.extent_ns,
      span = Math.min(extent, Math.max(to - from, 200));
    const begin = Math.min(Math.max(from, 0), extent - span);
    this.view = { from: begin, to: begin + span };
    this.repaint();
  }
  zoom(by: number, at = (this.view.from + this.view.to) / 2) {
    this.show(at - (at - this.view.from) * by, at + (this.view.to - at) * by);
  }
  pan(share: number) {
    const shift = (this.view.to - this.view.from) * share;
    this.show(this.view.from + shift, this.view.to + shift);
  }
  ns_at(x: number) {
    return this.view.from + ((x - this.place.left) / this.place.plot) * (this.view.to - this.view.from);
  }

  listen() {
    const position = (event: MouseEvent): Spot => {
      const box = this.canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    let drag: (Spot & { moves: boolean; view: View }) | null = null;
    this.canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      drag = { ...position(event), moves: event.shiftKey, view: { ...this.view } };
    });
    this.canvas.addEventListener('pointermove', (event) => {
      const at = position(event);
      if (!drag) return this.point(at, event);
      tooltip.hide();
      if (drag.moves) {
        const shift = ((drag.x - at.x) / this.place.plot) * (drag.view.to - drag.view.from);
        this.show(drag.view.from + shift, drag.view.to + shift);
      } else {
        this.selection.brush = [Math.max(drag.x, this.place.left), Math.max(at.x, this.place.left)];
        this.repaint();
      }
    });
    const finish = (event: PointerEvent) => {
      if (!drag) return;
      const at = position(event),
        began = drag;
      drag = null;
      this.selection.brush = null;
      if (!began.moves && Math.abs(at.x - began.x) > 5) {
        const a = this.ns_at(began.x),
          b = this.ns_at(at.x);
        this.show(Math.min(a, b), Math.max(a, b));
      } else this.repaint();
    };
    this.canvas.addEventListener('pointerup', finish);
    this.canvas.addEventListener('pointercancel', finish);
    this.canvas.addEventListener('pointerleave', () => {
      tooltip.hide();
      if (this.selection.arrow) {
        this.selection.arrow = null;
        this.repaint();
      }
    });
    this.canvas.addEventListener('dblclick', () => this.show(0, this.model.extent_ns));
    // Without a click first the wheel belongs to the page.
    this.canvas.addEventListener(
      'wheel',
      (event) => {
        if (document.activeElement !== this.canvas && !event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const at = position(event);
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX / 800);
        else
          this.zoom(
            Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.0022),
            this.ns_at(Math.max(at.x, this.place.left)),
          );
      },
      { passive: false },
    );
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('blur', () => tooltip.hide());

    let moving = false;
    const move_to = (event: PointerEvent) => {
      const box = this.overview.getBoundingClientRect(),
        span = this.view.to - this.view.from;
      const middle = ((event.clientX - box.left - this.place.left) / this.place.plot) * this.model.extent_ns;
      this.show(middle - span / 2, middle + span / 2);
    };
    this.overview.addEventListener('pointerdown', (event) => {
      moving = true;
      this.overview.setPointerCapture(event.pointerId);
      move_to(event);
    });
    this.overview.addEventListener('pointermove', (event) => moving && move_to(event));
    this.overview.addEventListener('pointerup', () => (moving = false));
    this.overview.addEventListener('pointercancel', () => (moving = false));
  }

  key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.model.rows.length,
      key = event.key.toLowerCase();
    const actions: Record<string, () => void> = {
      '+': () => this.zoom(0.5),
      '=': () => this.zoom(0.5),
      '-': () => this.zoom(2),
      arrowleft: () => this.pan(-0.2),
      arrowright: () => this.pan(0.2),
      0: () => this.show(0, this.model.extent_ns),
      home: () => this.show(0, this.view.to - this.view.from),
      end: () => this.show(this.model.extent_ns - (this.view.to - this.view.from), this.model.extent_ns),
      arrowup: () => this.select(Math.max(0, this.selection.row - 1), NONE),
      arrowdown: () => this.select(Math.min(rows - 1, this.selection.row + 1), NONE),
      n: () => this.step(1),
      p: () => this.step(-1),
      escape: () => this.select(NONE, NONE),
    };
    const action = actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  }
  select(index: number, call: number) {
    Object.assign(this.selection, { row: index, call });
    const row = this.model.rows[index];
    if (row && call === NONE) this.status.textContent = row.label;
    else if (row) {
      const { title, rows } = this.describe(row, call);
      this.status.textContent = [title, ...rows.flat()].join(' ');
    }
    this.repaint();
  }
  step(by: number) {
    const index = Math.max(0, this.selection.row),
      row = this.model.rows[index];
    if (!row || row.enter.length === 0) return;
    let call = this.selection.call === NONE ? count_up_to(row.enter, this.view.from) - (by > 0 ? 1 : 0) : this.selection.call;
    call = Math.min(Math.max(call + by, 0), row.enter.length - 1);
    const span = this.view.to - this.view.from,
      enter = entry(row.enter, call);
    if (enter < this.view.from || entry(row.leave, call) > this.view.to) this.show(enter - span * 0.2, enter + span * 0.8);
    this.select(index, call);
  }

  within(row: TimelineRow, ns: number): Row[] {
    const path = row.regions_at(ns, this.model.region_names);
    return path ? [['in', path]] : [];
  }
  describe(row: TimelineRow, index: number) {
    const call = row.call(index);
    const rows: Row[] = [
      ['rank', `${row.first_rank} on ${row.host || 'an unnamed host'}`],
      ['at', nanoseconds(call.enter)],
      ['took', nanoseconds(call.leave - call.enter)],
      ...this.within(row, call.enter),
    ];
    if (call.algorithmic > 0) rows.push(['blocked, algorithmic', nanoseconds(call.algorithmic)]);
    if (call.service > 0) rows.push(['blocked, service', nanoseconds(call.service)]);
    rows.push(['library', nanoseconds(call.library)]);
    if (call.peer !== NONE) rows.push(['peer', call.peer === SEVERAL ? 'several' : `rank ${call.peer}`]);
    if (call.sent > 0) rows.push(['sent', bytes_text(call.sent)]);
    if (call.received > 0) rows.push(['received', bytes_text(call.received)]);
    return { title: this.model.names[call.name] ?? 'unnamed call', rows };
  }

  point(at: Spot, event: PointerEvent) {
    const hot = this.arrow_near(at);
    if (hot !== this.selection.arrow) {
      this.selection.arrow = hot;
      this.repaint();
    }
    const told = hot ? this.message(hot) : this.told_at(at);
    if (told) tooltip.show(event.clientX, event.clientY, told.title, told.rows);
    else tooltip.hide();
  }
  message(arrow: Arrow): { title: string; rows: Row[] } {
    return {
      title: `message ${arrow.source} \u2192 ${arrow.destination}`,
      rows: [
        ['bytes', bytes_text(arrow.bytes)],
        ['tag', String(arrow.tag)],
        ['send entered', nanoseconds(arrow.send_ns)],
        ['received', nanoseconds(arrow.receive_ns)],
        ['between', nanoseconds(arrow.receive_ns - arrow.send_ns)],
      ],
    };
  }
  // Of the call there, or of the span between calls; null outside the rows.
  told_at(at: Spot): { title: string; rows: Row[] } | null {
    const row = this.model.rows[Math.floor((at.y - this.place.top) / this.place.pitch)];
    if (!row || at.x < this.place.left) return null;
    const ns = this.ns_at(at.x),
      width = (this.view.to - this.view.from) / this.place.plot,
      next = count_up_to(row.enter, ns); // a call thinner than a pixel beside the pointer counts, too
    const call = row.call_at(ns) === NONE && next < row.enter.length && entry(row.enter, next) < ns + 2 * width ? next : row.call_at(ns);
    if (call !== NONE) return this.describe(row, call);
    if (row.bin_ns > 0) {
      const time = row.between(ns - width / 2, ns + width / 2),
        share = (part: keyof typeof time) => percent(time[part] / (width * row.ranks), 0);
      return { title: row.label, rows: parts.map((part): Row => [part.name, share(part.key)]) };
    }
    if (ns < row.begin_ns || ns > row.end_ns) return null;
    const from = next > 0 ? entry(row.leave, next - 1) : row.begin_ns,
      to = next < row.enter.length ? entry(row.enter, next) : row.end_ns;
    return {
      title: 'compute',
      rows: [['rank', String(row.first_rank)], ...this.within(row, ns), ['from', nanoseconds(from)], ['took', nanoseconds(to - from)]],
    };
  }
  arrow_near(at: Spot) {
    let best: Arrow | null = null,
      nearest = 5;
    for (const line of this.arrows.drawn) {
      const dx = line.x2 - line.x1,
        dy = line.y2 - line.y1,
        length = dx * dx + dy * dy || 1;
      const along = Math.min(1, Math.max(0, ((at.x - line.x1) * dx + (at.y - line.y1) * dy) / length));
      const distance = Math.hypot(at.x - line.x1 - along * dx, at.y - line.y1 - along * dy);
      if (distance < nearest) {
        best = line.arrow;
        nearest = distance;
      }
    }
    return best;
  }
}
