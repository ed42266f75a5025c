// Draws a span of a TimelineModel on a canvas. One rule at every zoom: each column of pixels shows the exact
// shares of the time it stands for, so a column within one state has one colour, and a column over many calls
// shows their mixture.

import { tickStep, ticks } from 'd3-array';
import { colour, fill } from '../base/dom.ts';
import { axis_time } from '../base/format.ts';
import { linear, type parts } from '../charts/chart.ts';
import { type Arrow, count_up_to, entry, NONE, type Shares, type TimelineModel, type TimelineRow } from './model.ts';

// What is shown, in ns from the beginning.
export interface View {
  from: number;
  to: number;
}
// What is chosen: a row and a call of it, or NONE; the arrow pointed at; the span being dragged, in pixels.
export interface Selection {
  row: number;
  call: number;
  arrow: Arrow | null;
  brush: [number, number] | null;
}
export type Place = ReturnType<typeof layout>;
type Surface = ReturnType<typeof surface_on>;
// An arrow as it was drawn, in pixels.
type Line = { arrow: Arrow } & Record<'x1' | 'x2' | 'y1' | 'y2', number>;
export interface Arrows {
  visible: number;
  drawn: Line[]; // none where too many are visible
}

const MOST_ARROWS = 240;
const stack: (typeof parts)[number]['key'][] = ['compute', 'library', 'service', 'algorithmic']; // from the bottom of a row upwards

const colour_names = ['compute', 'library', 'service', 'algorithmic', 'ink', 'soft', 'faint', 'line', 'grid', 'paper', 'accent'] as const;
const palette = () => Object.fromEntries(colour_names.map((name) => [name, colour(name)])) as Record<(typeof colour_names)[number], string>;

export function layout(model: TimelineModel, width: number) {
  const rows = model.rows.length,
    left = 112,
    top = 26;
  const pitch = Math.max(3, Math.min(46, Math.floor(620 / Math.max(rows, 1))));
  const gap = pitch >= 12 ? Math.round(pitch * 0.26) : pitch >= 5 ? 1 : 0;
  return { left, top, pitch, bar: pitch - gap, width, plot: Math.max(50, width - left - 2), height: top + rows * pitch + 6 };
}

// What all draw on, cleared: x is the place of a time, in ns.
function surface_on(canvas: HTMLCanvasElement, model: TimelineModel, view: View, given_height?: number) {
  const place = layout(model, canvas.clientWidth || 900),
    height = given_height ?? place.height,
    ratio = Math.max(1, devicePixelRatio || 1),
    context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws on no canvas');
  canvas.width = Math.round(place.width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = height + 'px';
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, place.width, height);
  return { context, place, view, colours: palette(), x: linear(view.from, view.to, place.left, place.left + place.plot) };
}

function paint_row({ context, place, view, colours }: Surface, row: Pick<TimelineRow, 'ranks' | 'between'>, y: number, height: number) {
  // Runs of equal columns are drawn as one rectangle.
  const ns_per_pixel = (view.to - view.from) / place.plot;
  let run_from = 0,
    run_key = '',
    run_shares: Shares | null = null;
  const flush = (to: number) => {
    if (run_shares) {
      let bottom = y + height;
      for (const key of stack) {
        const part = run_shares[key] * height;
        if (part <= 0) continue;
        context.fillStyle = colours[key];
        context.fillRect(place.left + run_from, bottom - part, to - run_from, part);
        bottom -= part;
      }
    }
  };
  for (let x = 0; x < place.plot; ++x) {
    const from = view.from + x * ns_per_pixel,
      to = from + ns_per_pixel;
    const time = row.between(from, to);
    const total = ns_per_pixel * row.ranks;
    const shares = { compute: 0, library: 0, service: 0, algorithmic: 0 };
    let key = '';
    for (const name of stack) {
      const share = Math.max(0, time[name]) / total;
      shares[name] = share < 0.004 ? 0 : share;
      key += Math.round(shares[name] * 250) + ',';
    }
    if (key !== run_key) {
      flush(x);
      run_from = x;
      run_key = key;
      run_shares = key === '0,0,0,0,' ? null : shares;
    }
  }
  flush(place.plot);
}

function paint_axis({ context, place, view, colours, x: x_of }: Surface) {
  const span = [view.from * 1e-9, view.to * 1e-9, Math.max(2, place.plot / 130)] as const,
    list = ticks(...span),
    step_s = tickStep(...span);
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'alphabetic';
  for (const tick of list) {
    const x = x_of(tick * 1e9);
    context.fillStyle = colours.line;
    context.fillRect(Math.round(x), place.top - 8, 1, place.height - place.top + 8);
    context.fillStyle = colours.soft;
    context.textAlign = x > place.left + place.plot - 30 ? 'right' : x < place.left + 20 ? 'left' : 'center';
    context.fillText(axis_time(tick, step_s), x, 12);
  }
  return list.length;
}

function paint_arrows({ context, place, view, colours, x }: Surface, model: TimelineModel, highlighted: Arrow | null): Arrows {
  const arrows = model.arrows_between(view.from, view.to);
  if (arrows.length > MOST_ARROWS) return { visible: arrows.length, drawn: [] };
  context.save();
  context.beginPath();
  context.rect(place.left, 0, place.plot, place.height);
  context.clip();
  const drawn: Line[] = [],
    head = Math.min(8, 3 + place.pitch * 0.2);
  for (const arrow of arrows) {
    const down = arrow.to > arrow.from;
    const line = {
      arrow,
      x1: x(arrow.send_ns),
      x2: x(arrow.receive_ns),
      y1: place.top + arrow.from * place.pitch + (arrow.to === arrow.from ? 0 : down ? place.bar : 0),
      y2: place.top + arrow.to * place.pitch + (arrow.to === arrow.from ? 0 : down ? 0 : place.bar),
    };
    drawn.push(line);
    const hot = arrow === highlighted;
    for (const { style, width } of [
      { style: colours.paper, width: hot ? 5 : 3 },
      { style: hot ? colours.accent : colours.ink, width: hot ? 2.2 : 1.1 },
    ]) {
      context.strokeStyle = context.fillStyle = style;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(line.x1, line.y1);
      context.lineTo(line.x2, line.y2);
      context.stroke();
    }
    const angle = Math.atan2(line.y2 - line.y1, line.x2 - line.x1);
    context.beginPath();
    context.moveTo(line.x2, line.y2);
    for (const side of [0.42, -0.42]) context.lineTo(line.x2 - head * Math.cos(angle + side), line.y2 - head * Math.sin(angle + side));
    context.fill();
  }
  context.restore();
  return { visible: arrows.length, drawn };
}

// Names inside calls that are wide enough.
function paint_names({ context, place, view, colours, x: x_of }: Surface, model: TimelineModel, row: TimelineRow, y: number) {
  if (place.bar < 13) return;
  const narrowest_ns = (46 / place.plot) * (view.to - view.from);
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const first = Math.max(0, count_up_to(row.enter, view.from) - 1),
    end = Math.min(first + 4000, row.enter.length);
  for (let call = first; call < end && entry(row.enter, call) < view.to; ++call) {
    const from = Math.max(entry(row.enter, call), view.from),
      to = Math.min(entry(row.leave, call), view.to);
    if (to - from < narrowest_ns) continue;
    const text = (model.names[entry(row.data.name, call)] ?? '?').replace(/^MPI_/, ''),
      x = x_of(from) + 5;
    if (x + context.measureText(text).width + 5 > x_of(to)) continue;
    context.lineWidth = 3;
    context.strokeStyle = colours.paper;
    context.globalAlpha = 0.75;
    context.strokeText(text, x, y + place.bar / 2 + 0.5);
    context.globalAlpha = 1;
    context.fillStyle = colours.ink;
    context.fillText(text, x, y + place.bar / 2 + 0.5);
  }
}

// Thin lines above a rank's bar, one for each level; each name has a hue, a golden angle apart. Gives how many are drawn.
function paint_regions({ context, place, view, x }: Surface, row: TimelineRow, y: number) {
  const { enter, time, name, depth } = row.regions;
  if (place.pitch - place.bar < 4) return 0;
  const levels = Math.min(3, Math.floor((place.pitch - place.bar - 1) / 3));
  let drawn = 0;
  for (const [i, begin] of enter.entries()) {
    const from = Math.max(begin, view.from),
      to = Math.min(begin + entry(time, i), view.to),
      level = levels - entry(depth, i);
    if (to <= from || level <= 0) continue;
    context.fillStyle = `hsl(${(entry(name, i) * 137.5 + 150) % 360} 55% 50%)`;
    context.fillRect(x(from), y - 3 * level, Math.max(1, x(to) - x(from) - 1), 2);
    ++drawn;
  }
  return drawn;
}

export function paint_timeline(canvas: HTMLCanvasElement, model: TimelineModel, view: View, selection: Selection) {
  const surface = surface_on(canvas, model, view),
    { context, place, colours, x } = surface,
    tick_count = paint_axis(surface);
  let regions = 0;
  model.rows.forEach((row, i) => {
    const y = place.top + i * place.pitch;
    regions += paint_regions(surface, row, y);
    paint_row(surface, row, y, place.bar);
    paint_names(surface, model, row, y);
    const every = Math.ceil(14 / place.pitch);
    if (i % every === 0) {
      context.textAlign = 'right';
      context.textBaseline = 'middle';
      context.font = (i === selection.row ? '600 ' : '') + '12px system-ui, sans-serif';
      context.fillStyle = i === selection.row ? colours.ink : colours.soft;
      context.fillText(row.label, place.left - 10, y + place.bar / 2);
    }
  });
  const arrows = paint_arrows(surface, model, selection.arrow),
    row = model.rows[selection.row];
  if (row && selection.call !== NONE) {
    const from = Math.max(place.left, x(entry(row.enter, selection.call))),
      to = Math.min(place.left + place.plot, x(entry(row.leave, selection.call)));
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    if (to >= from) context.strokeRect(from, place.top + selection.row * place.pitch - 1, Math.max(2, to - from), place.bar + 2);
  }
  if (selection.brush) {
    const [a, b] = selection.brush;
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.18;
    context.fillRect(Math.min(a, b), 0, Math.abs(b - a), place.height);
    context.globalAlpha = 1;
  }
  fill(canvas, {
    'data-rows': model.rows.length,
    'data-ticks': tick_count,
    'data-arrows': arrows.drawn.length,
    'data-regions': regions,
    'data-calls': model.data.listed_calls,
  });
  return { place, arrows };
}

// All ranks together over the whole run, with the span that the timeline shows.
export function paint_overview(canvas: HTMLCanvasElement, model: TimelineModel, view: View) {
  const height = 46,
    surface = surface_on(canvas, model, { from: 0, to: model.extent_ns }, height),
    { context, place, colours, x } = surface;
  const all = {
    ranks: model.rows.reduce((sum, row) => sum + row.ranks, 0),
    between: (from: number, to: number) => {
      const sum = { compute: 0, library: 0, algorithmic: 0, service: 0 };
      for (const row of model.rows) {
        const time = row.between(from, to);
        for (const key of stack) sum[key] += time[key];
      }
      return sum;
    },
  };
  paint_row(surface, all, 2, height - 6);
  context.fillStyle = colours.paper;
  context.globalAlpha = 0.72;
  context.fillRect(place.left, 0, x(view.from) - place.left, height);
  context.fillRect(x(view.to), 0, place.left + place.plot - x(view.to), height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.5;
  context.strokeRect(x(view.from) + 0.5, 1, Math.max(3, x(view.to) - x(view.from) - 1), height - 3);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.font = '12px system-ui, sans-serif';
  context.fillStyle = colours.soft;
  context.fillText('all ranks', place.left - 10, height / 2);
}
