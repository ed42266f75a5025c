// What is drawn over the pixels: calls by name, messages as lines, the axis, labels of ranks, the instant and what is selected.

import type { CallDetails, Marks } from '../source/answers.ts';
import type { Calls, Messages } from '../source/decode.ts';
import type { Palette } from '../state/colours.ts';
import { common_beginning, tick_text } from '../words.ts';
import { time_ticks, type Window } from './geometry.ts';
import { BAND_PX, type Colours, type Lane, type RowPlace } from './lane.ts';
import { fitted, type Pen } from './pen.ts';

const NAME_FROM_PX = 26,
  EDGE_FROM_PX = 5,
  NAME_ROW_PX = 11;

// Black or white, whichever is read better on the colour (relative luminance, WCAG 2).
export function ink_on(colour: string) {
  const value = Number.parseInt(colour.slice(1), 16),
    [r, g, b] = [(value >> 16) & 255, (value >> 8) & 255, value & 255].map((one) => {
      const share = one / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0) > 0.22 ? '#10151b' : '#ffffff';
}

export function draw_axis(pen: Pen, window: Window, left: number, width: number, top: number, bottom: number, palette: Palette) {
  const apart_px = 110,
    { step_ns, ticks } = time_ticks(window, width, apart_px),
    largest = Math.max(Math.abs(window[0]), Math.abs(window[1]));
  for (const tick of ticks) {
    const x = left + ((tick - window[0]) / (window[1] - window[0])) * width,
      text = tick_text(tick, step_ns, largest),
      half = pen.width_of(text) / 2;
    pen.line(x, top + 17, x, bottom, palette.ink, 1, 0.09);
    pen.line(x, top + 17, x, top + 22, palette.ink, 1, 0.35);
    // At the edges moved inside, if that leaves room for its neighbour: where the axis begins is worth saying.
    const middle = Math.max(left - 2 + half, Math.min(left + width + 2 - half, x));
    if (middle === x || 3 * half < apart_px - 8) pen.text(middle, top + 13, text, palette.soft, 'center');
  }
}

// How many letters all hosts begin with alike: cut to the room, their names would all be the same.
const alike = new WeakMap<object, number>();
function letters_alike(ranks: readonly { host: string }[]) {
  const known = alike.get(ranks);
  if (known !== undefined) return known;
  const count = common_beginning(ranks.map(({ host }) => host));
  alike.set(ranks, count);
  return count;
}

// Names of rows, as many as there is room for.
export function draw_labels(pen: Pen, lane: Lane, left: number, palette: Palette) {
  const [first] = lane.rows;
  if (!first) return;
  const pitch = lane.px_per_rank * 4 ** lane.group,
    every = Math.max(1, Math.ceil(13 / pitch)),
    hosts = lane.trace.facts.ranks;
  for (const row of lane.rows) {
    const middle = row.top + row.height / 2;
    if (row.row % every !== 0 || middle < lane.place.top + 3 || middle > lane.place.top + lane.place.height - 3) continue;
    const text = row.ranks === 1 ? String(row.first_rank) : `${row.first_rank}\u2013${row.first_rank + row.ranks - 1}`,
      host = hosts[row.first_rank]?.host ?? '';
    pen.text(left - 8, middle + 4, text, palette.ink, 'right');
    if (pitch >= 26 && row.ranks === 1) {
      const room = left - 22 - pen.width_of(text),
        same = letters_alike(hosts),
        whole = pen.width_of(host) <= room || same < 2;
      const name = fitted(pen, whole ? host : `\u2026${host.slice(same)}`, room);
      if (name) pen.text(6, middle + 4, name, palette.soft, 'left');
    }
  }
}

const key_class = (lane: Lane, colours: Colours, name: number, part: string) => {
  const key = lane.trace.facts.keys.findIndex((one) => one.name === name && one.part === part);
  return colours.classes[colours.of_key[key] ?? 0]?.colour ?? '#888888';
};

// Edges of single calls, and then, over what is drawn in between, their names. Their colours come from the tiles. Gives how many names.
export function draw_calls(pen: Pen, lane: Lane, calls: Calls, colours: Colours, palette: Palette, between: () => void) {
  const rows = new Map(lane.group > 0 ? [] : lane.rows.map((row) => [row.first_rank, row] as const)),
    { left, width } = lane.place,
    px_per_ns = width / (lane.window[1] - lane.window[0]),
    inks = new Map<string, string>();
  const names: [x: number, y: number, name: string, ink: string][] = [];
  for (let i = 0; i < calls.count; ++i) {
    const row = rows.get(calls.rank[i] ?? -1);
    if (!row || row.height < 6) continue;
    const enter = calls.enter_ns[i] ?? 0,
      time = calls.time_ns[i] ?? 0,
      px = time * px_per_ns;
    if (px < EDGE_FROM_PX || enter + time < lane.window[0] || enter > lane.window[1]) continue;
    const from = lane.x_of(enter),
      to = from + px;
    if (from > left) pen.line(from, row.top, from, row.top + row.height, palette.paper, 1, 0.75);
    if (to < left + width) pen.line(to, row.top, to, row.top + row.height, palette.paper, 1, 0.75);
    const shown_from = Math.max(from, left),
      room = Math.min(to, left + width) - shown_from - 8;
    if (row.height < NAME_ROW_PX || room < NAME_FROM_PX) continue;
    const name = fitted(pen, lane.trace.name_of(calls.name[i] ?? 0).replace(/^P?MPI_/, ''), room);
    if (!name) continue;
    const algorithmic = calls.algorithmic_ns[i] ?? 0,
      service = calls.service_ns[i] ?? 0,
      text_end = shown_from + 4 + pen.width_of(name);
    // The part under the name's middle: algorithmic first, then service, then library.
    const middle = lane.ns_at((shown_from + text_end) / 2) - enter,
      part = middle < algorithmic ? 'algorithmic' : middle < algorithmic + service ? 'service' : 'library',
      key = `${calls.name[i]} ${part}`;
    let ink = inks.get(key);
    if (!ink) {
      ink = ink_on(key_class(lane, colours, calls.name[i] ?? 0, part));
      inks.set(key, ink);
    }
    names.push([shown_from + 4, row.top + row.height / 2 + 4, name, ink]);
  }
  between();
  for (const name of names) pen.text(...name);
  return names.length;
}

// What the program itself said: regions as named bands below a row that is high, else as strips at its foot, the outermost lowest;
// markers as flags at its head.
const STRIP_PX = 3,
  DEEPEST = 3;
const strip_colours = ['#6a4c93', '#cc79a7', '#009e73', '#9a8700', '#56b4e9', '#d55e00'];
export const region_colour = (names: string[], name: string) =>
  strip_colours[Math.max(0, names.indexOf(name)) % strip_colours.length] ?? '#6a4c93';
// Gives how many regions have their names.
export function draw_program(pen: Pen, lane: Lane, { markers, regions }: Marks, palette: Palette) {
  let names = 0;
  const rows = new Map(lane.rows.map((row) => [row.first_rank, row] as const)),
    { left, width } = lane.place;
  for (const { rank, from_ns, to_ns, name, depth } of regions) {
    const row = rows.get(rank);
    if (!row || row.height < 12 || to_ns < lane.window[0] || from_ns > lane.window[1]) continue;
    if (depth >= (row.bands > 0 ? row.bands : DEEPEST)) continue;
    const from = Math.max(left, lane.x_of(from_ns)),
      to = Math.min(left + width, lane.x_of(to_ns)),
      high = row.bands > 0 ? BAND_PX : STRIP_PX,
      y = row.top + row.height + row.bands * BAND_PX - high * (depth + 1),
      colour = region_colour(lane.trace.facts.user_regions, name);
    pen.rect(from, y + (row.bands > 0 ? 1 : 0), Math.max(1, to - from - 0.5), high - (row.bands > 0 ? 1 : 0.5), colour);
    const text = row.bands > 0 && to - from >= NAME_FROM_PX ? fitted(pen, name, to - from - 8) : '';
    if (text) {
      pen.text(from + 4, y + BAND_PX - 3, text, ink_on(colour));
      ++names;
    }
  }
  for (const { rank, at_ns } of markers) {
    const row = rows.get(rank);
    if (!row || at_ns < lane.window[0] || at_ns > lane.window[1]) continue;
    const x = lane.x_of(at_ns);
    pen.line(x, row.top, x, row.top + row.height, palette.ink, 1, 0.8);
    if (row.height >= 10) pen.triangle([x, row.top, x + 7, row.top + 3, x, row.top + 6], palette.ink);
  }
  return names;
}

export interface Line {
  index: number;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}
const middle_of = (row: RowPlace) => row.top + row.height / 2;
// Where the lines of messages are; a rank out of sight has its end at the border.
export function lines_of(lane: Lane, messages: Messages): Line[] {
  if (lane.group > 0) return [];
  const rows = new Map(lane.rows.map((row) => [row.first_rank, row] as const)),
    edge = (rank: number) => lane.place.top + (rank - lane.ranks[0] + 0.5) * lane.px_per_rank,
    list: Line[] = [];
  for (let index = 0; index < messages.count; ++index) {
    const source = messages.source[index] ?? 0,
      destination = messages.destination[index] ?? 0,
      sent = messages.sent_ns[index] ?? 0,
      received = messages.received_ns[index] ?? Number.NaN,
      from = rows.get(source),
      to = rows.get(destination);
    if (!Number.isFinite(received) || received < lane.window[0] || sent > lane.window[1] || (!from && !to)) continue;
    if (lane.order && (!from || !to)) continue; // where the other end is nobody can see
    list.push({
      index,
      x1: lane.x_of(sent),
      y1: from ? middle_of(from) : edge(source),
      x2: lane.x_of(received),
      y2: to ? middle_of(to) : edge(destination),
    });
  }
  return list;
}
export function draw_line(pen: Pen, line: Pick<Line, 'x1' | 'y1' | 'x2' | 'y2'>, colour: string, ground: string, hot: boolean) {
  const { x1, y1, x2, y2 } = line,
    length = Math.hypot(x2 - x1, y2 - y1);
  pen.line(x1, y1, x2, y2, ground, hot ? 4.5 : 2.6, 0.75);
  pen.line(x1, y1, x2, y2, colour, hot ? 2 : 1);
  if (length < 8) return;
  const head = hot ? 8 : 6,
    [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  pen.triangle(
    [
      x2,
      y2,
      x2 - head * ux - head * 0.4 * uy,
      y2 - head * uy + head * 0.4 * ux,
      x2 - head * ux + head * 0.4 * uy,
      y2 - head * uy - head * 0.4 * ux,
    ],
    colour,
  );
}
// The messages of the call that is looked at.
export function picked_lines(lane: Lane, call: CallDetails): Pick<Line, 'x1' | 'y1' | 'x2' | 'y2'>[] {
  const own = lane.row_of(call.rank);
  if (!own || lane.group > 0) return [];
  return call.messages.flatMap((message) => {
    const other = lane.row_of(message.peer);
    if (!other || message.received_ns === null) return [];
    const [from, to] = message.outgoing ? [own, other] : [other, own];
    return [{ x1: lane.x_of(message.sent_ns), y1: middle_of(from), x2: lane.x_of(message.received_ns), y2: middle_of(to) }];
  });
}
