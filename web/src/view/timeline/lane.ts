// One trace in the timeline: where its rows lie, its pixels, and the calls and messages that are drawn one by one.
import type { Marks } from '../source/answers.ts';
import type { Calls, Messages, Tile } from '../source/decode.ts';
import type { TilePlace } from '../source/tile_cache.ts';
import type { Trace } from '../source/trace.ts';
import type { ColourClass } from '../state/colours.ts';
import { BLOCK_ROWS, coarser, cover, group_for, heading, level_for, places, row_count, TILE_BINS, type Window } from './geometry.ts';
import { Channels, Columns, type Inks, inks_of, type Plan, paint_mixed, paint_stacked, plan_of, STACKED_FROM_PX, widen } from './mix.ts';

// Regions of the program stand below a row that is high, one band for each depth, with their names.
export const BAND_PX = 14;
const BANDS_FROM_PX = 44,
  LEAST_BESIDE_BANDS_PX = 24,
  MOST_BANDS = 4;
const MOST_TILES = 400;
export const LEAST_ROW_PX = 2.5,
  HIGHEST_ROW_PX = 128, // of the whole of few ranks: they fill the pane up to this
  LANE_HEAD_PX = 18;

// Where one row is: on the lane in CSS pixels, and in the tiles.
export interface RowPlace {
  row: number;
  first_rank: number;
  ranks: number;
  block: number;
  in_block: number;
  top: number;
  height: number; // of what the rank does, without the bands
  bands: number; // of BAND_PX each below that
}
export interface LanePlace {
  left: number; // of the plot
  top: number;
  width: number;
  height: number;
  ratio: number; // device pixels a CSS pixel
}
// What the keys of a trace are drawn in, and the tiles as they are in it.
export class Colours {
  readonly classes: ColourClass[];
  readonly of_key: Uint8Array;
  readonly inks: Inks;
  readonly computing = 0; // its class: the lowest (state/colours.ts)
  private by_class = new WeakMap<Tile, Channels>();
  private as_light = new WeakMap<Tile, Channels>();
  constructor({ classes, of_key }: { classes: ColourClass[]; of_key: Uint8Array }) {
    this.classes = classes;
    this.of_key = of_key;
    this.inks = inks_of(classes.map(({ colour }) => colour));
  }
  of(tile: Tile, mixed: boolean): Channels {
    const kept = mixed ? this.as_light : this.by_class;
    let channels = kept.get(tile);
    if (!channels) {
      channels = new Channels(tile, mixed ? 3 : this.classes.length);
      kept.set(tile, channels);
    }
    return channels;
  }
}
// A part of calls or messages that was asked for, and for which window.
export interface Loaded<T> {
  list: T;
  window: Window;
  ranks: Window;
}

export class Lane {
  readonly trace: Trace;
  place: LanePlace = { left: 0, top: 0, width: 1, height: 1, ratio: 1 };
  window: Window = [0, 1];
  private next_window: Window | null = null; // where a zoom leads to
  ranks: Window = [0, 1];
  group = 0;
  level = 0;
  px_per_rank = 1;
  order: Uint32Array | null = null; // rank of each place from above; null: as they are numbered
  rows: RowPlace[] = [];
  missing: TilePlace[] = []; // of what is seen
  later: TilePlace[] = []; // of what may be seen next
  calls: Loaded<Calls> | null = null;
  messages: Loaded<Messages> | null = null;
  marks: Loaded<Marks & { count: number; all: number }> | null = null;
  asked: Record<'calls' | 'messages' | 'marks', Omit<Loaded<null>, 'list'> | null> = { calls: null, messages: null, marks: null };
  column_px = 1; // device pixels a column: more while the picture moves on a machine that does not follow
  private image: ImageData | null = null;
  private narrow: Uint32Array | null = null; // of columns that are wider than a pixel
  private stacked: Columns | null = null;
  private mixed: Columns | null = null;

  constructor(trace: Trace) {
    this.trace = trace;
  }
  get rank_count() {
    return Math.max(1, this.trace.facts.ranks.length);
  }

  lay_out(place: LanePlace, window: Window, ranks: Window | null) {
    const { facts } = this.trace,
      all = this.rank_count;
    this.place = place;
    if (window[0] !== this.window[0] || window[1] !== this.window[1]) this.next_window = heading(this.window, window, facts.span_ns);
    this.window = window;
    this.ranks = ranks ? [Math.min(ranks[0], all - 1), Math.min(ranks[1], all)] : [0, all];
    const fit = place.height / (this.ranks[1] - this.ranks[0]);
    this.px_per_rank = ranks ? fit : Math.min(fit, HIGHEST_ROW_PX);
    this.group = group_for(this.px_per_rank, all, LEAST_ROW_PX);
    this.level = level_for((window[1] - window[0]) / (place.width * place.ratio), facts.index.top_level);
    const pitch = this.px_per_rank * 4 ** this.group,
      gap = pitch >= BANDS_FROM_PX ? 5 : pitch >= 11 ? 2 : pitch >= 5 ? 1 : 0,
      bands = pitch < BANDS_FROM_PX ? 0 : Math.min(this.depths, MOST_BANDS, Math.floor((pitch - gap - LEAST_BESIDE_BANDS_PX) / BAND_PX)),
      first = Math.max(0, Math.floor(this.ranks[0] / 4 ** this.group)),
      end = Math.min(row_count(all, this.group), Math.ceil(this.ranks[1] / 4 ** this.group)),
      whole = (px: number) => Math.round(px * place.ratio) / place.ratio;
    this.rows = [];
    for (let row = first; row < end; ++row) {
      const shown = this.group === 0 && this.order ? (this.order[row] ?? row) : row,
        top = whole(place.top + (row * 4 ** this.group - this.ranks[0]) * this.px_per_rank),
        bottom = whole(place.top + ((row + 1) * 4 ** this.group - this.ranks[0]) * this.px_per_rank);
      this.rows.push({
        row,
        first_rank: shown * 4 ** this.group,
        ranks: Math.min(4 ** this.group, all - shown * 4 ** this.group),
        block: Math.floor(shown / BLOCK_ROWS),
        in_block: shown % BLOCK_ROWS,
        top,
        height: Math.max(1 / place.ratio, bottom - top - gap - bands * BAND_PX),
        bands,
      });
    }
  }
  // How deep regions are nested, as far as is known of what is in sight.
  private get depths() {
    return this.group > 0 ? 0 : (this.marks?.list.regions.reduce((most, { depth }) => Math.max(most, depth + 1), 0) ?? 0);
  }
  // All ranks as one row: for the strip above.
  one_row(height: number) {
    this.group = Math.max(0, Math.ceil(Math.log2(this.rank_count) / 2 - 1e-9));
    this.rows = [{ row: 0, first_rank: 0, ranks: this.rank_count, block: 0, in_block: 0, top: this.place.top, height, bands: 0 }];
  }
  x_of = (ns: number) => this.place.left + ((ns - this.window[0]) / (this.window[1] - this.window[0])) * this.place.width;
  ns_at = (x: number) => this.window[0] + ((x - this.place.left) / this.place.width) * (this.window[1] - this.window[0]);
  row_at(y: number) {
    return this.rows.find((row) => y >= row.top - 1 && y < row.top + row.height + row.bands * BAND_PX + 1) ?? null;
  }
  row_of(rank: number) {
    return this.rows.find((row) => rank >= row.first_rank && rank < row.first_rank + row.ranks) ?? null;
  }

  // What the picture needs and lacks: what is seen, the middle of the window first; then the coarsest, which is always there afterwards,
  // the neighbours of what is seen, and what a zoom that goes on leads to.
  private plan(blocks: number[]) {
    const { tiles, facts } = this.trace,
      top = facts.index.top_level,
      seen = cover(facts.span_ns, this.window, [0, 1], this.rank_count, this.level, this.group),
      around = {
        ...seen,
        tiles: [Math.max(0, seen.tiles[0] - 1), Math.min(seen.tiles[1] + 1, Math.ceil(2 ** (top - this.level)))] as const,
      };
    const of = (one: typeof seen) => blocks.flatMap((block) => places({ ...one, blocks: [block, block + 1] })),
      lacking = (wanted: TilePlace[]) => wanted.filter((place) => !tiles.has(place)).slice(0, MOST_TILES);
    this.missing = lacking(of(seen));
    this.later = lacking([
      ...blocks.map((block) => ({ level: top, tile: 0, group: this.group, block })),
      ...of(around),
      ...(this.next_window ? of(this.next_cover(this.next_window)) : []),
    ]);
    return seen;
  }
  private next_cover(window: Window) {
    const { facts } = this.trace,
      by = window[1] - window[0] < this.window[1] - this.window[0] ? -1 : 1,
      level = Math.min(facts.index.top_level, Math.max(0, this.level + by));
    return cover(facts.span_ns, window, [0, 1], this.rank_count, level, this.group);
  }
  // Before anything is drawn.
  find_missing() {
    return this.plan([...new Set(this.rows.map(({ block }) => block))]);
  }
  // The tile, or what shows its time and rows more coarsely and is there: also the row in it.
  private best(place: TilePlace, in_block: number) {
    const { tiles, facts } = this.trace;
    let wider: TilePlace = place,
      row = in_block;
    for (;;) {
      for (let now = wider; now.level <= facts.index.top_level; now = coarser(now)) {
        const tile = tiles.get(now);
        if (tile) return { tile, row, place: now };
      }
      if (4 ** wider.group >= this.rank_count) return null;
      const above = (wider.block * BLOCK_ROWS + row) >> 2;
      wider = { ...wider, group: wider.group + 1, block: Math.floor(above / BLOCK_ROWS) };
      row = above % BLOCK_ROWS;
    }
  }

  // Fills the columns with a row; false where nothing of it has come yet.
  private columns_of(
    { block, in_block }: RowPlace,
    seen: ReturnType<typeof cover>,
    columns: Columns,
    colours: Colours,
    plans: Map<string, Plan>,
    across: number, // columns that the window has
  ) {
    const { span_ns } = this.trace.facts,
      px_per_ns = across / (this.window[1] - this.window[0]),
      mixed = columns.channels === 3 && columns === this.mixed;
    columns.clear();
    let any = false;
    for (let index = seen.tiles[0]; index < seen.tiles[1]; ++index) {
      const place = { level: this.level, tile: index, group: this.group, block },
        found = this.best(place, in_block);
      if (!found) continue;
      any = true;
      const { level, tile } = found.place,
        key = `${index}/${level}/${tile}`;
      let plan = plans.get(key);
      if (!plan) {
        const tile_ns = TILE_BINS * 2 ** this.level,
          from = (span_ns[0] + index * tile_ns - this.window[0]) * px_per_ns,
          bin_ns = 2 ** level,
          origin = (span_ns[0] + tile * TILE_BINS * bin_ns - this.window[0]) * px_per_ns,
          // Beyond the last event there is nothing, though the tile goes on.
          end = Math.min(from + tile_ns * px_per_ns, (span_ns[1] - this.window[0]) * px_per_ns);
        plan = plan_of(found.tile.bins, origin, bin_ns * px_per_ns, Math.max(0, from), Math.min(columns.width, end));
        plans.set(key, plan);
      }
      const channels = colours.of(found.tile, mixed);
      channels.make(found.row, colours.of_key, colours.computing, mixed ? colours.inks.linear : null);
      columns.add(channels, found.row, plan);
    }
    return any;
  }
  // The pixels of all rows where they stand on the canvas, whose transform is left alone.
  paint(context: CanvasRenderingContext2D, colours: Colours) {
    this.paint_at(context, colours, Math.round(this.place.left * this.place.ratio), Math.round(this.place.top * this.place.ratio));
  }
  paint_at(context: CanvasRenderingContext2D, colours: Colours, x: number, y: number) {
    const { place, column_px } = this,
      width = Math.max(1, Math.round(place.width * place.ratio)),
      height = Math.max(1, Math.round(place.height * place.ratio)),
      count = Math.ceil(width / column_px),
      classes = colours.classes.length,
      seen = this.find_missing();
    if (this.image?.width !== width || this.image.height !== height) this.image = new ImageData(width, height);
    if (this.stacked?.width !== count || this.stacked.channels !== classes) this.stacked = new Columns(count, classes);
    if (this.mixed?.width !== count) this.mixed = new Columns(count, 3);
    const pixels = new Uint32Array(this.image.data.buffer),
      inked = count === width ? pixels : this.narrow_of(count * height),
      plans = new Map<string, Plan>();
    inked.fill(0);
    for (const row of this.rows) {
      const from = Math.round((row.top - place.top) * place.ratio),
        top = Math.max(0, from),
        lines = Math.min(height, from + Math.round(row.height * place.ratio)) - top;
      if (lines <= 0) continue;
      const columns: Columns = Math.round(row.height * place.ratio) >= STACKED_FROM_PX ? this.stacked : this.mixed;
      if (!this.columns_of(row, seen, columns, colours, plans, width / column_px)) continue;
      if (columns === this.mixed) paint_mixed(columns, inked, top, lines);
      else paint_stacked(columns, colours.inks, inked, top, lines);
    }
    if (inked !== pixels) widen(inked, count, pixels, width, column_px);
    context.putImageData(this.image, x, y);
  }
  private narrow_of(pixels: number) {
    if (this.narrow?.length !== pixels) this.narrow = new Uint32Array(pixels);
    return this.narrow;
  }
  // Exact shares of each class in the window, for each row: what is saved as numbers.
  shares(colours: Colours) {
    const columns = new Columns(Math.max(1, Math.round(this.place.width * this.place.ratio)), colours.classes.length),
      seen = cover(this.trace.facts.span_ns, this.window, [0, 1], this.rank_count, this.level, this.group),
      plans = new Map<string, Plan>();
    return this.rows.map((row) => {
      this.columns_of(row, seen, columns, colours, plans, columns.width);
      const covered = columns.covered.reduce((a, b) => a + b, 0) || 1,
        sums = colours.classes.map((_, c) => {
          let sum = 0;
          for (let column = 0; column < columns.width; ++column) sum += columns.value[c * columns.width + column] ?? 0;
          return sum / covered;
        });
      return { row, sums };
    });
  }
  tile_at(row: RowPlace, ns: number) {
    const { span_ns } = this.trace.facts,
      tile = Math.floor((ns - span_ns[0]) / (TILE_BINS * 2 ** this.level)),
      found = this.best({ level: this.level, tile, group: this.group, block: row.block }, row.in_block);
    if (!found) return null;
    const bin_ns = 2 ** found.place.level,
      begin = span_ns[0] + found.place.tile * TILE_BINS * bin_ns,
      bin = Math.floor((ns - begin) / bin_ns);
    return { tile: found.tile, row: found.row, bin, from_ns: begin + bin * bin_ns, bin_ns, group: found.place.group };
  }
}
