// The timeline in the page: zoom, pan, pointing, and the same from the keyboard.
import { el, repainters, tooltip } from '../base/dom.ts';
import { bytes_text, count_text, nanoseconds, percent } from '../base/format.ts';
import { card, parts, parts_legend } from '../charts/chart.ts';
import { count_up_to, NONE, SEVERAL, TimelineModel } from './model.ts';
import { paint_overview, paint_timeline } from './paint.ts';

export class Timeline {
  constructor(program, data) {
    this.model = new TimelineModel(data);
    this.view = { from: 0, to: this.model.extent_ns };
    this.selection = { row: NONE, call: NONE, arrow: null, brush: null };
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
    this.pending = false;
    this.listen();
    repainters.push(() => this.paint());
    const button = (text, label, action) => el('button', { type: 'button', 'aria-label': label, onclick: action }, text);
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

  show(from, to) {
    const extent = this.model.extent_ns,
      span = Math.min(extent, Math.max(to - from, 200));
    const begin = Math.min(Math.max(from, 0), extent - span);
    this.view = { from: begin, to: begin + span };
    this.repaint();
  }
  zoom(by, at = (this.view.from + this.view.to) / 2) {
    this.show(at - (at - this.view.from) * by, at + (this.view.to - at) * by);
  }
  pan(share) {
    const shift = (this.view.to - this.view.from) * share;
    this.show(this.view.from + shift, this.view.to + shift);
  }
  ns_at(x) {
    return this.view.from + ((x - this.place.left) / this.place.plot) * (this.view.to - this.view.from);
  }

  listen() {
    const position = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    let drag = null;
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
    const finish = (event) => {
      if (!drag) return;
      const at = position(event),
        began = drag;
      drag = null;
      this.selection.brush = null;
      if (!began.moves && Math.abs(at.x - began.x) > 5) {
        const [a, b] = [this.ns_at(began.x), this.ns_at(at.x)];
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
    const move_to = (event) => {
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

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.model.rows.length,
      key = event.key.toLowerCase();
    const actions = {
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
    if (!actions[key]) return;
    event.preventDefault();
    actions[key]();
  }
  select(row, call) {
    Object.assign(this.selection, { row, call });
    if (row !== NONE) this.status.textContent = call === NONE ? this.model.rows[row].label : this.describe(row, call).flat().join(' ');
    this.repaint();
  }
  step(by) {
    const index = Math.max(0, this.selection.row),
      row = this.model.rows[index];
    if (!row || row.enter.length === 0) return;
    let call = this.selection.call === NONE ? count_up_to(row.enter, this.view.from) - (by > 0 ? 1 : 0) : this.selection.call;
    call = Math.min(Math.max(call + by, 0), row.enter.length - 1);
    const span = this.view.to - this.view.from;
    if (row.enter[call] < this.view.from || row.leave[call] > this.view.to)
      this.show(row.enter[call] - span * 0.2, row.enter[call] + span * 0.8);
    this.select(index, call);
  }

  within(row, ns) {
    const path = row.regions_at(ns, this.model.region_names);
    return path ? [['in', path]] : [];
  }
  describe(index, call) {
    const row = this.model.rows[index],
      time = row.leave[call] - row.enter[call];
    const library = time - row.algorithmic[call] - row.service[call];
    const peer = row.peer[call];
    const lines = [
      ['rank', `${row.first_rank} on ${row.host || 'an unnamed host'}`],
      ['at', nanoseconds(row.enter[call])],
      ['took', nanoseconds(time)],
    ];
    lines.push(...this.within(row, row.enter[call]));
    if (row.algorithmic[call] > 0) lines.push(['blocked, algorithmic', nanoseconds(row.algorithmic[call])]);
    if (row.service[call] > 0) lines.push(['blocked, service', nanoseconds(row.service[call])]);
    lines.push(['library', nanoseconds(library)]);
    if (peer !== NONE) lines.push(['peer', peer === SEVERAL ? 'several' : `rank ${peer}`]);
    if (row.sent[call] > 0) lines.push(['sent', bytes_text(row.sent[call])]);
    if (row.received[call] > 0) lines.push(['received', bytes_text(row.received[call])]);
    return [[this.model.names[row.name[call]] ?? 'unnamed call'], ...lines];
  }

  point(at, event) {
    const hot = this.arrow_near(at);
    if (hot !== this.selection.arrow) {
      this.selection.arrow = hot;
      this.repaint();
    }
    if (hot)
      return tooltip.show(event.clientX, event.clientY, `message ${hot.source} \u2192 ${hot.destination}`, [
        ['bytes', bytes_text(hot.bytes)],
        ['tag', String(hot.tag)],
        ['send entered', nanoseconds(hot.send_ns)],
        ['received', nanoseconds(hot.receive_ns)],
        ['between', nanoseconds(hot.receive_ns - hot.send_ns)],
      ]);
    const index = Math.floor((at.y - this.place.top) / this.place.pitch),
      row = this.model.rows[index];
    if (!row || at.x < this.place.left) return tooltip.hide();
    const ns = this.ns_at(at.x),
      width = (this.view.to - this.view.from) / this.place.plot;
    let call = row.call_at(ns);
    if (call === NONE) {
      // a call thinner than a pixel beside the pointer
      const next = count_up_to(row.enter, ns);
      if (next < row.enter.length && row.enter[next] < ns + 2 * width) call = next;
    }
    if (call !== NONE) {
      const [[title], ...rows] = this.describe(index, call);
      return tooltip.show(event.clientX, event.clientY, title, rows);
    }
    const time = row.between(ns - width / 2, ns + width / 2),
      total = width * row.ranks;
    if (row.bin_ns > 0)
      return tooltip.show(
        event.clientX,
        event.clientY,
        row.label,
        parts.map((part) => [part.name, percent(time[part.key] / total, 0)]),
      );
    if (ns < row.begin_ns || ns > row.end_ns) return tooltip.hide();
    const before = count_up_to(row.enter, ns) - 1;
    const from = before >= 0 ? row.leave[before] : row.begin_ns,
      to = before + 1 < row.enter.length ? row.enter[before + 1] : row.end_ns;
    tooltip.show(event.clientX, event.clientY, 'compute', [
      ['rank', String(row.first_rank)],
      ...this.within(row, ns),
      ['from', nanoseconds(from)],
      ['took', nanoseconds(to - from)],
    ]);
  }
  arrow_near(at) {
    let best = null,
      nearest = 5;
    for (const line of this.arrows?.drawn ?? []) {
      const dx = line.x2 - line.x1,
        dy = line.y2 - line.y1,
        length = dx * dx + dy * dy || 1;
      const along = Math.min(1, Math.max(0, ((at.x - line.x1) * dx + (at.y - line.y1) * dy) / length));
      const distance = Math.hypot(at.x - line.x1 - along * dx, at.y - line.y1 - along * dy);
      if (distance < nearest) [best, nearest] = [line.arrow, distance];
    }
    return best;
  }
}
