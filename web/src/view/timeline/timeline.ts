// The main display: every rank's time as a row, traces one below the other with one axis of time.
import { el, tooltip } from '../../base/dom.ts';
import { count_text } from '../../base/format.ts';
import type { Display, Opened, View } from '../display.ts';
import type { Table } from '../figure.ts';
import type { CallDetails } from '../source/answers.ts';
import type { Palette } from '../state/colours.ts';
import type { Changed } from '../state/store.ts';
import { ranks_text } from '../words.ts';
import { framed, type Window } from './geometry.ts';
import { type Hover, hover_at, words_of } from './hover.ts';
import { Colours, LANE_HEAD_PX, Lane } from './lane.ts';
import { Legend } from './legend.ts';
import { load_marks, load_order, MOST_LINES } from './loading.ts';
import { Overview } from './overview.ts';
import { CanvasPen } from './pen.ts';
import { listen_to_pointer } from './pointer.ts';
import { RowsBar } from './rows_bar.ts';
import { picture_of } from './saved.ts';
import { AXIS_PX, draw_over, draw_picture, GUTTER_PX, has_over, type Scene } from './scene.ts';

const LEAST_NS = 20,
  MOST_PIXELS = 5e6,
  MOST_COARSE = 24,
  MOST_FINE = 8,
  LONG_FINE_MS = 8, // half of a frame at 60 Hz: the browser has its own work in it
  REST_MS = 120;

const p50_of = (ms: number[]) => [...ms].sort((a, b) => a - b)[Math.floor(ms.length / 2)] ?? 0;
const p95_of = (ms: number[]) => ([...ms].sort((a, b) => a - b)[Math.floor(ms.length * 0.95)] ?? 0).toFixed(2);

class Timeline implements Opened {
  private view: View;
  private stage = el('div', {
    class: 'timeline-stage',
    role: 'application',
    tabindex: 0,
    'aria-label': 'Timeline: arrow keys move, plus and minus zoom, question mark lists all keys',
  });
  private canvas = el('canvas', { class: 'picture' });
  private over = el('canvas', { class: 'over' });
  private legend: Legend;
  private overview: Overview;
  private lanes: Lane[] = [];
  private scene: Scene;
  private scrollbar: RowsBar;
  private call_details: { key: string; call: CallDetails } | null = null;
  private coloured: { palette: Palette | null; lanes: Set<Lane> } = { palette: null, lanes: new Set() };
  private picture_asked = true;
  private width = 0; // of the stage: asking the page for it in each frame would lay all of it out anew
  private height = 0;
  private ratio = 1; // of its canvases, when they were drawn last
  private sizes = new ResizeObserver(() => {
    [this.width, this.height] = [this.stage.clientWidth, this.stage.clientHeight];
    this.ask_picture();
  });
  private frame = 0;
  private ends: (() => void)[] = [];
  private over_drawn = false;
  private draw_ms: number[] = [];
  private fine_ms: number[] = []; // of the last frames with one column a pixel
  private rest_timer = 0;
  private coarse_ms: number[] = [];
  private coarse_since: number | null = null;

  constructor(host: HTMLElement, view: View) {
    this.view = view;
    host.classList.add('timeline');
    this.legend = new Legend(view, () => view.change({ window: null, rows: null }));
    this.overview = new Overview(view, GUTTER_PX, LEAST_NS);
    this.scrollbar = new RowsBar(view, () => this.all_rows);
    this.scene = {
      lanes: [],
      window: [0, 1],
      colours: new Map(),
      palette: view.palette,
      lines: new Map(),
      hover: null,
      brush: null,
      look: view.look,
      picked: null,
    };
    this.stage.append(this.canvas, this.over);
    this.stage.append(this.scrollbar.node);
    host.append(this.legend.node, this.overview.node, this.stage);
    this.sizes.observe(this.stage);
    this.listen();
    this.traces_changed();
    for (const lane of this.lanes) load_order(view, lane, () => this.ask_picture());
    this.ask_picked();
    this.ask_picture();
  }

  update(changed: Changed) {
    if (changed.has('traces')) {
      this.traces_changed();
      this.ask_early();
    }
    if (changed.has('order') || changed.has('traces')) for (const lane of this.lanes) load_order(this.view, lane, () => this.ask_picture());
    if (changed.has('picked') || changed.has('traces')) this.ask_picked();
    const only_over = [...changed].every((name) => ['at_ns', 'selection', 'speed', 'picked', 'panes', 'what_if'].includes(name));
    if (!only_over) this.picture_asked = true;
    this.ask_picture(false);
  }
  close() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest_timer);
    this.sizes.disconnect();
    tooltip.hide();
    for (const end of this.ends) end();
  }
  figure() {
    return {
      name: `${this.view.trace.facts.name}-timeline`,
      svg: () => picture_of(this.scene, this.width, this.height, this.canvas),
      canvas: () => this.canvas,
      table: () => this.table(),
    };
  }

  private get span(): Window {
    const spans = this.view.traces.map(({ facts }) => facts.span_ns);
    return [Math.min(...spans.map(([from]) => from)), Math.max(...spans.map(([from, to]) => Math.max(to, from + 1)))];
  }
  private get all_rows(): Window {
    return [0, Math.max(...this.lanes.map(({ rank_count }) => rank_count), 1)];
  }
  private traces_changed() {
    const { traces } = this.view;
    this.lanes = traces.map((trace) => this.lanes.find((lane) => lane.trace === trace) ?? new Lane(trace));
    for (const end of this.ends) end();
    this.ends = traces.map((trace) => trace.tiles.listen(() => this.ask_picture()));
  }
  // What a new lane lacks need not wait for the frame in which it is drawn.
  private ask_early() {
    if (this.width === 0) return;
    this.lay_out(this.ratio);
    for (const lane of this.lanes) {
      lane.find_missing();
      lane.trace.tiles.want(lane.missing, []);
    }
  }
  private ask_picture(picture = true) {
    this.picture_asked ||= picture;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }
  private context_of(canvas: HTMLCanvasElement) {
    // Of a very large and fine screen not every pixel: a frame has 16 ms.
    const area = this.width * this.height,
      ratio = Math.max(1, Math.min(devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / Math.max(1, area)))),
      [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      [canvas.width, canvas.height] = [width, height];
      this.picture_asked = true;
    }
    this.ratio = ratio;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('this browser draws on no canvas');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { context, ratio };
  }
  private lay_out(ratio: number) {
    const { width, height } = this,
      several = this.lanes.length > 1,
      room = (height - AXIS_PX) / this.lanes.length;
    this.lanes.forEach((lane, i) => {
      const head = several ? LANE_HEAD_PX : 0,
        top = Math.round(AXIS_PX + i * room + head);
      lane.lay_out(
        { left: GUTTER_PX, top, width: Math.max(20, width - GUTTER_PX), height: Math.max(8, Math.floor(room - head - 6)), ratio },
        this.view.window,
        this.view.look.rows,
      );
    });
  }
  // While the picture moves and a frame of one column a pixel takes too long, two pixels share a column; when it rests it is drawn anew.
  private choose_columns(before: Window, now: Window) {
    const moves = before[0] !== now[0] || before[1] !== now[1],
      coarse = moves && this.fine_ms.length > 0 && p50_of(this.fine_ms) > LONG_FINE_MS;
    for (const lane of this.lanes) lane.column_px = coarse ? 2 : 1;
    clearTimeout(this.rest_timer);
    if (coarse) this.rest_timer = window.setTimeout(() => this.ask_picture(), REST_MS);
  }
  private draw() {
    if (this.width === 0) return;
    const begun = performance.now(),
      { context, ratio } = this.context_of(this.canvas),
      { view, scene } = this,
      painted = this.picture_asked;
    if (this.picture_asked) {
      this.picture_asked = false;
      this.lay_out(ratio);
      this.choose_columns(scene.window, view.window);
      scene.lanes = this.lanes;
      scene.window = view.window;
      scene.palette = view.palette;
      if (scene.palette !== this.coloured.palette) this.coloured = { palette: scene.palette, lanes: new Set() };
      scene.look = view.look;
      for (const lane of this.lanes) {
        if (scene.palette === this.coloured.palette && this.coloured.lanes.has(lane)) continue;
        scene.colours.set(lane, new Colours(view.palette.classes(lane.trace.facts.names, lane.trace.facts.keys)));
        this.coloured.lanes.add(lane);
      }
      draw_picture(context, new CanvasPen(context), scene, this.width, this.height);
      const [first] = this.lanes,
        colours = first && scene.colours.get(first);
      if (colours) this.overview.draw(this.span, colours, this.width - GUTTER_PX);
      for (const lane of this.lanes) {
        // Of a place that a slider passes nothing is asked for that is not seen.
        const later = lane.trace.entry.passing ? [] : lane.later;
        lane.trace.tiles.want(lane.missing, lane.trace === view.trace ? [...this.overview.missing, ...later] : later);
        load_marks(view, lane, () => this.ask_picture());
      }
      // The legend has what the trace can be in.
      const used = new Set(colours?.of_key);
      this.legend.update(colours?.classes.filter((_, i) => used.has(i)) ?? [], this.note());
      this.stage.dataset.named = String(scene.named ?? 0);
      this.stage.dataset.namedRegions = String(scene.named_regions ?? 0);
      this.stage.dataset.traces = this.lanes.map(({ trace }) => trace.number).join(' ');
      this.stage.dataset.rowPx = String(first?.rows[0]?.height ?? 0);
      this.scrollbar.draw(first ?? null);
    } else {
      scene.look = view.look;
      const [first] = this.lanes,
        colours = first && scene.colours.get(first);
      if (colours) this.overview.mark();
    }
    // Each canvas that is touched goes to the screen anew.
    const over_it = has_over(scene);
    if (over_it || this.over_drawn) {
      const over = this.context_of(this.over);
      over.context.clearRect(0, 0, this.width, this.height);
      draw_over(new CanvasPen(over.context), scene);
      this.over_drawn = over_it;
    }
    this.measure(performance.now() - begun, painted);
  }
  private measure(ms: number, painted: boolean) {
    if (painted && this.lanes.every(({ column_px }) => column_px === 1)) {
      this.fine_ms.push(ms);
      if (this.fine_ms.length > MOST_FINE) this.fine_ms.shift();
    }
    this.draw_ms.push(ms);
    if (this.draw_ms.length > 400) this.draw_ms.shift();
    // What the page's speed is judged by (docs/design/viewing.md), where tests and whoever wonders can read it.
    this.stage.dataset.drawP95 = p95_of(this.draw_ms);
    this.stage.dataset.tileP95 = p95_of(this.lanes.flatMap(({ trace }) => trace.tiles.answered_ms));
    this.stage.dataset.draws = String(Number(this.stage.dataset.draws ?? 0) + 1);
    this.stage.dataset.lacking = String(this.lanes.reduce((sum, { missing }) => sum + missing.length, 0));
    this.stage.dataset.pending = String(this.lanes.reduce((sum, { trace }) => sum + trace.tiles.pending, 0));
    this.measure_whole();
  }
  // How long something that is seen was coarser than it will be; the first time since the page was opened.
  private measure_whole() {
    const now = performance.now();
    if (this.lanes.some(({ missing }) => missing.length > 0)) {
      this.coarse_since ??= now;
      return;
    }
    this.stage.dataset.wholeMs ??= now.toFixed(1);
    if (this.coarse_since === null) return;
    this.coarse_ms.push(now - this.coarse_since);
    if (this.coarse_ms.length > MOST_COARSE) this.coarse_ms.shift();
    this.coarse_since = null;
    this.stage.dataset.coarseP95 = p95_of(this.coarse_ms);
  }
  private note() {
    const [lane] = this.lanes,
      said: string[] = [];
    if (!lane) return '';
    const failed = this.lanes.map(({ trace }) => trace.tiles.failed).find((one) => one instanceof Error);
    if (failed instanceof Error) said.push(failed.message);
    if (lane.group > 0) said.push(`${4 ** lane.group} ranks a row${lane.order ? ', in their own order' : ''}`);
    const { messages } = lane;
    if (this.view.look.messages && messages && messages.list.all > MOST_LINES)
      said.push(`${count_text(messages.list.all)} messages: zoom in for lines`);
    return said.join(' · ');
  }

  private listen() {
    listen_to_pointer(this.stage, {
      view: this.view,
      axis_height: AXIS_PX,
      lane_at: (y) => this.lanes.find(({ place }) => y < place.top + place.height + 6) ?? this.lanes.at(-1) ?? null,
      span: () => this.span,
      all_rows: () => this.all_rows,
      hover: (x, y, client_x, client_y) => this.hover(x, y, client_x, client_y),
      leave: () => {
        tooltip.hide();
        if (this.scene.hover) {
          this.scene.hover = null;
          this.ask_picture(false);
        }
      },
      click: (x, y) => this.click(x, y),
      double_click: (x, y) => this.zoom_to(this.hover_at(x, y)),
      brush: (box) => {
        this.scene.brush = box;
        this.ask_picture(false);
      },
      selected: ({ lane, x1, x2, y1, y2 }) => {
        const rows = lane.rows.filter((row) => row.top < y2 && row.top + row.height > y1),
          ranks = rows.flatMap((row) => Array.from({ length: row.ranks }, (_, i) => row.first_rank + i)),
          all = ranks.length === lane.rank_count;
        this.view.change({
          selection: {
            ...this.view.look.selection,
            from_ns: Math.floor(lane.ns_at(x1)),
            to_ns: Math.max(Math.ceil(lane.ns_at(x2)), Math.floor(lane.ns_at(x1)) + 1),
            ranks: all ? '' : ranks_text(ranks.sort((a, b) => a - b)),
          },
        });
      },
    });
  }
  private hover_at(x: number, y: number): Hover | null {
    const lane = this.lanes.find(({ place }) => y >= place.top && y < place.top + place.height);
    return lane && x >= lane.place.left && x <= lane.place.left + lane.place.width
      ? hover_at(lane, this.scene.lines.get(lane) ?? [], x, y)
      : null;
  }
  private hover(x: number, y: number, client_x: number, client_y: number) {
    const found = this.hover_at(x, y);
    if (found) tooltip.show(client_x, client_y, ...words_of(found));
    else tooltip.hide();
    this.scene.hover = found;
    this.ask_picture(false);
  }
  private click(x: number, y: number) {
    const found = this.hover_at(x, y),
      lane = found?.lane ?? this.lanes[0];
    if (!lane || x < lane.place.left) return;
    const at_ns = Math.round(lane.ns_at(x));
    if (found?.row.ranks !== 1) {
      this.view.change({ at_ns });
      return;
    }
    const list = lane.calls?.list,
      trace = lane.trace.number,
      rank = found.row.first_rank;
    if (list && found.call >= 0) {
      this.view.change({ at_ns, picked: { trace, rank, call: list.call[found.call] ?? 0 } });
      return;
    }
    this.view.change({ at_ns });
    // Not among the longest, which are here: asked for by itself.
    if (list && list.count < list.all)
      this.view.ask(
        'click',
        (signal) => lane.trace.calls({ from_ns: at_ns, to_ns: at_ns + 1, ranks: rank, limit: 1 }, signal),
        (calls) => {
          if (calls.count > 0) this.view.change({ picked: { trace, rank, call: calls.call[0] ?? 0 } }, 'none');
        },
        0,
      );
  }
  private zoom_to(found: Hover | null) {
    const list = found?.lane.calls?.list;
    if (!found || !list || found.call < 0) return;
    const enter = list.enter_ns[found.call] ?? 0,
      window = framed([enter, enter + (list.time_ns[found.call] ?? 0)], this.span, 0.4);
    this.view.change({ window });
  }

  // Messages of the call in the details stay drawn, however many others there are.
  private ask_picked() {
    const { picked } = this.view.look,
      key = picked ? `${picked.trace} ${picked.rank} ${picked.call}` : '',
      trace = this.view.traces.find(({ number }) => number === picked?.trace);
    if (this.call_details?.key !== key) {
      this.call_details = null;
      this.scene.picked = null;
    }
    if (!picked || !trace || this.call_details) return;
    this.view.ask(
      'picked',
      (signal) => trace.call(picked.rank, picked.call, signal),
      (call) => {
        this.call_details = { key, call };
        this.scene.picked = { trace, call };
        this.ask_picture(false);
      },
      0,
    );
  }
  // Calls where all are here, else each row's shares.
  private table(): Table {
    const [lane] = this.lanes,
      list = lane?.calls?.list;
    if (lane && list && list.count === list.all)
      return {
        columns: ['rank', 'call', 'name', 'enter_ns', 'time_ns', 'algorithmic_ns', 'service_ns'],
        rows: Array.from({ length: list.count }, (_, i) => [
          list.rank[i] ?? 0,
          list.call[i] ?? 0,
          lane.trace.name_of(list.name[i] ?? 0),
          list.enter_ns[i] ?? 0,
          list.time_ns[i] ?? 0,
          list.algorithmic_ns[i] ?? 0,
          list.service_ns[i] ?? 0,
        ]),
      };
    const colours = lane && this.scene.colours.get(lane);
    if (!lane || !colours) return { columns: [], rows: [] };
    const span_ns = lane.window[1] - lane.window[0];
    return {
      columns: ['first_rank', 'ranks', ...colours.classes.flatMap(({ name }) => [`${name}_share`, `${name}_s`])],
      rows: lane
        .shares(colours)
        .map(({ row, sums }) => [row.first_rank, row.ranks, ...sums.flatMap((share) => [share, share * span_ns * row.ranks * 1e-9])]),
    };
  }
}

export const timeline: Display = {
  name: 'timeline',
  title: 'Timeline',
  group: 'Time',
  about: 'What every rank does at every instant',
  open: (host, view) => new Timeline(host, view),
};
