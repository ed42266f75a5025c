// T(L), T(G), T(o): the predicted time over one parameter of the network, straight between breakpoints, where the longest chain becomes
// another one (LLAMP's curves; src/simulate/schedule/curves.hpp finds each of them).
import { type Row, svg, tip, tooltip } from '../../base/dom.ts';
import { byte_rate_text, count_text, digits, percent, seconds, seconds_range, signed_percent } from '../../base/format.ts';
import {
  type At,
  axes_chart,
  fit_axis,
  legend,
  legend_key,
  polyline,
  type Scale,
  type Stop,
  vertical,
  walkable,
} from '../../charts/chart.ts';
import type { View } from '../display.ts';
import { seconds_ticks } from '../drawing/axis.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, panel } from '../drawing/panel.ts';
import { MOST_OFF, recorded_on, type Said, said_of } from '../drawing/said.ts';
import { type Knob, spec_of, what_if_of } from './what_if.ts';

export interface Piece {
  from_s: number; // of the parameter
  predicted_s: number; // there
  s_per_s: number; // seconds of the run a second of the parameter, up to the next piece
}
export interface Curve {
  pieces: Piece[];
  to_s: number;
  now_s: number; // of the what-if
  cut: boolean;
  tolerance: { slower: number; up_to_s: number | null }[];
}
type Parameter = 'latency' | 'seconds_per_byte' | 'overhead';
interface Answer extends Said {
  recorded_s: number;
  replayed_s: number;
  predicted_s: number;
  predicted_low_s: number | null;
  predicted_high_s: number | null;
  unchanged_s: Record<Parameter, number>;
  contention_free?: { predicted_s: number; curves: Partial<Record<Parameter, Curve>> };
  not_explained: string | null;
}

const parameters: Record<
  Parameter,
  { letter: string; title: string; knob: Knob; turned: boolean; counted: string; text: (s: number) => string }
> = {
  latency: { letter: 'L', title: 'latency L', knob: 'latency', turned: false, counted: 'crossings', text: (s) => seconds(s, 3) },
  seconds_per_byte: {
    letter: 'G',
    title: 'gap a byte G',
    knob: 'bandwidth',
    turned: true,
    counted: 'bytes',
    text: (s) => `${seconds(s, 3)}/B`,
  },
  overhead: { letter: 'o', title: 'overhead o, of a send', knob: 'software', turned: false, counted: 'sends', text: (s) => seconds(s, 3) },
};
const by: Control = {
  option: 'by',
  label: 'over',
  choices: () => (Object.keys(parameters) as Parameter[]).map((name) => [name, parameters[name].title]),
};
const scale: Control = {
  option: 'scale',
  label: 'axis',
  choices: () => [
    ['linear', 'linear'],
    ['log', 'logarithmic'],
  ],
};

// NaN outside of what the curve tells.
export function time_at({ pieces, to_s }: Curve, at_s: number) {
  const piece = pieces.findLast(({ from_s }) => from_s <= at_s) ?? pieces[0];
  return piece && at_s >= (pieces[0]?.from_s ?? 0) - 1e-15 && at_s <= to_s * (1 + 1e-12)
    ? piece.predicted_s + piece.s_per_s * (at_s - piece.from_s)
    : NaN;
}
export function slope_at({ pieces }: Curve, at_s: number) {
  return (pieces.findLast(({ from_s }) => from_s <= at_s) ?? pieces[0])?.s_per_s ?? NaN;
}
// Its corners from the first value that the axis has; of a logarithmic one so many between that lines stay curves.
export function line_of(curve: Curve, low: number, log: boolean): At[] {
  const places = curve.pieces.map(({ from_s }) => from_s).filter((at) => at > low && at < curve.to_s);
  const all = [low, ...places, curve.to_s],
    more = log ? Array.from({ length: 161 }, (_, i) => low * (curve.to_s / low) ** (i / 160)) : [];
  return [...all, ...more].sort((a, b) => a - b).map((at): At => [at, time_at(curve, at)]);
}
// The what-if in which this parameter has that value, the rest as it stands. What a slider can have: three digits, 1/100 to 100.
export function moved_to(spec: string, parameter: Parameter, value_s: number, unchanged_s: number) {
  const what_if = what_if_of(spec),
    { knob, turned } = parameters[parameter],
    times = Math.max(0.01, Math.min(100, value_s / unchanged_s));
  return spec_of({
    ...what_if,
    factors: { ...what_if.factors, [knob]: Number((turned ? 1 / times : times).toPrecision(3)) },
    others: what_if.others.filter((part) => !part.startsWith(`${knob}=`)),
  });
}

export const curves = panel<Answer>({
  name: 'curves',
  title: 'Curves over latency, gap, overhead',
  group: 'What if',
  about: 'How does the time grow with latency, the time a byte and software, and where does another chain become the longest?',
  controls: [by, scale, recorded_on],
  depends: (view) => [view.trace.number, view.look.what_if, chosen(recorded_on, view)],
  ask: (view, signal) => view.trace.json<Answer>('curves', { what_if: view.look.what_if, machine: chosen(recorded_on, view) }, signal),
  draw(view, answer, { width, height }) {
    const parameter = chosen(by, view) as Parameter,
      { title } = parameters[parameter],
      curve = answer.contention_free?.curves[parameter];
    if (!answer.contention_free) return nothing(`There are no curves: ${answer.not_explained ?? 'nothing was told'}.`);
    if (!curve || !(answer.unchanged_s[parameter] > 0))
      return nothing(`The model of the machine has no ${title}, so nothing grows with it.`);
    const picture = drawn_curve(view, answer, parameter, curve, Math.min(width, 1500), Math.max(260, Math.min(height - 40, 640)));
    return {
      note: sentence_of(answer, parameter, curve),
      body: [
        legend(
          legend_key(key_line('var(--simulated)'), 'predicted without contention'),
          legend_key(key_point('var(--paper)', 'var(--simulated)'), 'breakpoint'),
          legend_key(key_point('var(--ink)'), 'predicted, with its interval'),
          legend_key(key_line('var(--faint)', '5 4'), 'as recorded'),
          legend_key(key_line(NOW), 'now, where the slider is'),
        ),
        picture,
        ...said_of(answer),
      ],
      picture,
      table: () => ({
        columns: ['parameter', 'from_s', 'to_s', 'predicted_s', 's_per_s'],
        rows: Object.entries(answer.contention_free?.curves ?? {}).flatMap(([name, { pieces, to_s }]) =>
          pieces.map((piece, i) => [name, piece.from_s, pieces[i + 1]?.from_s ?? to_s, piece.predicted_s, piece.s_per_s]),
        ),
      }),
    };
  },
});

function sentence_of(
  { recorded_s, replayed_s, predicted_s, predicted_low_s: low_s, predicted_high_s: high_s }: Answer,
  parameter: Parameter,
  curve: Curve,
) {
  const { letter, text, counted } = parameters[parameter],
    off = replayed_s / recorded_s - 1,
    slope = slope_at(curve, curve.now_s),
    [one] = curve.tolerance;
  return [
    `Predicted ${seconds(predicted_s, 4)}${typeof low_s === 'number' && typeof high_s === 'number' ? ` (95%: ${seconds_range(low_s, high_s, 4)})` : ''}. `,
    `Now ${letter} = ${text(curve.now_s)}: ${count_text(slope)} ${counted} on the longest chain. `,
    one && (one.up_to_s === null ? `No ${letter} makes it 1% slower. ` : `${letter} may grow to ${text(one.up_to_s)} for 1% more time. `),
    curve.cut && 'There are more breakpoints than are told. ',
    Math.abs(off) > MOST_OFF && `The replay of the recorded run is off by ${signed_percent(off)}: take shapes, not times. `,
    'A click sets the slider.',
  ];
}
const NOW = 'var(--series-1)';
const key_line = (stroke: string, dash?: string) =>
  svg(
    'svg',
    { width: 20, height: 10, 'aria-hidden': 'true' },
    svg('line', { x1: 0, x2: 20, y1: 5, y2: 5, stroke, 'stroke-width': 2, 'stroke-dasharray': dash }),
  );
const key_point = (fill: string, stroke = fill) =>
  svg('svg', { width: 12, height: 12, 'aria-hidden': 'true' }, svg('circle', { cx: 6, cy: 6, r: 4, fill, stroke, 'stroke-width': 1.6 }));

function drawn_curve(view: View, answer: Answer, parameter: Parameter, curve: Curve, width: number, height: number) {
  const { letter, title, text, counted } = parameters[parameter],
    unchanged_s = answer.unchanged_s[parameter],
    unchanged = view.look.what_if.includes('machine=') ? 'unchanged' : 'recorded',
    log = chosen(scale, view) === 'log',
    low = log ? Math.min(unchanged_s, curve.now_s || unchanged_s) / 20 : 0,
    line = line_of(curve, Math.max(curve.pieces[0]?.from_s ?? 0, low), log),
    { predicted_s, predicted_low_s: least_s, predicted_high_s: most_s } = answer,
    moved = Math.abs(curve.now_s / unchanged_s - 1) > 1e-9;
  // Where the replay is far off, what was recorded and the interval that holds it would leave a flat line of the curve.
  const off = Math.abs(answer.replayed_s / answer.recorded_s - 1) > MOST_OFF;
  const fitted = fit_axis({ kind: 'linear', label: (s) => seconds(s, 4), title: 'predicted time' }, [
    ...line.map(([, s]) => s),
    predicted_s,
    ...(off ? [] : [answer.recorded_s, least_s, most_s]),
  ]);
  if (!fitted) throw new Error('a curve without pieces');
  const y_axis = { ...fitted, ticks: seconds_ticks(fitted.low, fitted.high, 6) },
    within = (s: number) => Math.max(y_axis.low, Math.min(y_axis.high, s));
  const value_rows = (at_s: number): Row[] => [
    ['without contention', seconds(time_at(curve, at_s), 5)],
    [`against ${unchanged}`, `\u00d7${digits(at_s / unchanged_s)} of ${text(unchanged_s)}`],
    ...(parameter === 'seconds_per_byte' && at_s > 0 ? [['rate', byte_rate_text(1 / at_s)] satisfies Row] : []),
    [`${counted} on the longest chain`, count_text(slope_at(curve, at_s))],
  ];
  const set = (at_s: number) => view.change({ what_if: moved_to(view.look.what_if, parameter, at_s, unchanged_s) });
  const stops: (Stop & { at_s: number })[] = [];
  const stop = <E extends SVGElement>(node: E, at_s: number, name: string, rows: Row[]) => {
    stops.push({ node, title: name, rows, at_s });
    return tip(node, name, rows);
  };
  const picture = axes_chart(
    { name: 'curve', label: `predicted time over ${title}`, width, height, margin: { left: 84, right: 22, top: 30, bottom: 48 } },
    {
      kind: log ? 'log' : 'linear',
      label: text,
      title: `${title}${parameter === 'seconds_per_byte' ? ', time a byte' : ''}`,
      low,
      high: curve.to_s,
    },
    y_axis,
    (x, y) => {
      const [bottom = 0, top = 0] = y.range(),
        [left = 0, right = 0] = x.range(),
        mark = (at_s: number, name: string, colour: string, dash: string | null) =>
          vertical(x(at_s), bottom, top, { class: name, stroke: colour, 'stroke-width': 1.4, 'stroke-dasharray': dash, 'data-at': at_s }),
        label = (at_s: number, name: string, row: number) => {
          const turned = x(at_s) > right - 130;
          return svg(
            'text',
            { class: 'halo', x: x(at_s) + (turned ? -6 : 6), y: top + 12 + 16 * row, 'text-anchor': turned ? 'end' : 'start' },
            `${name} ${text(at_s)}`,
          );
        };
      const corners = curve.pieces.slice(1).filter(({ from_s }) => from_s > low);
      return {
        over: [
          answer.recorded_s <= y_axis.high &&
            answer.recorded_s >= y_axis.low && [
              svg('line', {
                x1: left,
                x2: right,
                y1: y(answer.recorded_s),
                y2: y(answer.recorded_s),
                stroke: 'var(--faint)',
                'stroke-width': 1.2,
                'stroke-dasharray': '5 4',
              }),
              svg(
                'text',
                { class: 'halo', x: right - 4, y: y(answer.recorded_s) - 5, 'text-anchor': 'end' },
                `recorded ${seconds(answer.recorded_s, 4)}`,
              ),
            ],
          mark(unchanged_s, 'recorded', 'var(--faint)', '5 4'),
          moved && mark(curve.now_s, 'now', NOW, null),
          polyline(line, x, y, { class: 'curve', stroke: 'var(--simulated)', 'stroke-width': 2.2 }),
          hits(x, y, (at_s) => ({ title: `${letter} = ${text(at_s)}`, rows: value_rows(at_s) }), set),
          corners.map((piece) => {
            const before = curve.pieces[curve.pieces.indexOf(piece) - 1]?.s_per_s ?? 0;
            return stop(
              svg('circle', {
                class: 'breakpoint choosable',
                'data-at': piece.from_s,
                'data-predicted': piece.predicted_s,
                'data-slope': piece.s_per_s,
                cx: x(piece.from_s),
                cy: y(piece.predicted_s),
                r: corners.length > 40 ? 2.4 : 4,
                fill: 'var(--paper)',
                stroke: 'var(--simulated)',
                'stroke-width': 1.8,
                onclick: () => set(piece.from_s),
              }),
              piece.from_s,
              `breakpoint: ${letter} = ${text(piece.from_s)}`,
              [
                ['without contention', seconds(piece.predicted_s, 5)],
                [`${counted} on the longest chain`, `${count_text(before)} \u2192 ${count_text(piece.s_per_s)}`],
              ],
            );
          }),
          typeof least_s === 'number' &&
            typeof most_s === 'number' &&
            vertical(x(curve.now_s), y(within(least_s)), y(within(most_s)), { class: 'interval', stroke: 'var(--ink)', 'stroke-width': 2 }),
          stop(
            svg('circle', {
              class: 'predicted',
              'data-predicted': predicted_s,
              cx: x(curve.now_s),
              cy: y(predicted_s),
              r: 4.5,
              fill: 'var(--ink)',
            }),
            curve.now_s,
            `predicted at ${letter} = ${text(curve.now_s)}`,
            [
              ['predicted', seconds(predicted_s, 5)],
              ...(typeof least_s === 'number' && typeof most_s === 'number'
                ? [['95%', seconds_range(least_s, most_s, 4)] satisfies Row]
                : []),
              ['without contention', seconds(time_at(curve, curve.now_s), 5)],
              ['contention adds', percent(predicted_s / time_at(curve, curve.now_s) - 1)],
            ],
          ),
          label(unchanged_s, unchanged, 0),
          moved && label(curve.now_s, 'now', 1),
        ],
      };
    },
  );
  picture.style.maxWidth = '';
  picture.setAttribute('width', String(width));
  picture.dataset.now = String(curve.now_s);
  picture.dataset.recorded = String(unchanged_s);
  picture.dataset.pieces = String(curve.pieces.length);
  stops.sort((a, b) => a.at_s - b.at_s);
  // Enter sets the slider to where the arrow keys are.
  picture.addEventListener('keydown', (event) => {
    const at = stops.find(({ node }) => node.classList.contains('current'));
    if (event.key === 'Enter' && at) set(at.at_s);
  });
  return walkable(picture, stops);
}

// Anywhere in the picture: what the curve says there, and a click sets it.
function hits(x: Scale, y: Scale, said: (at_s: number) => { title: string; rows: Row[] }, set: (at_s: number) => void) {
  const [left = 0, right = 0] = x.range(),
    [bottom = 0, top = 0] = y.range(),
    guide = vertical(left, bottom, top, { stroke: 'var(--ink)', 'stroke-opacity': 0.35, visibility: 'hidden' });
  const area = svg('rect', {
    class: 'hits',
    x: left,
    y: top,
    width: right - left,
    height: bottom - top,
    fill: 'transparent',
    style: 'cursor: crosshair',
  });
  const at = (event: MouseEvent) => {
    const box = area.getBoundingClientRect(),
      px = left + ((event.clientX - box.left) / box.width) * (right - left);
    return { px, s: x.invert(Math.max(left, Math.min(right, px))) };
  };
  area.addEventListener('pointermove', (event) => {
    const { px, s } = at(event),
      { title, rows } = said(s);
    for (const end of ['x1', 'x2']) guide.setAttribute(end, String(px));
    guide.setAttribute('visibility', 'visible');
    tooltip.show(event.clientX, event.clientY, title, rows);
  });
  area.addEventListener('pointerleave', () => {
    guide.setAttribute('visibility', 'hidden');
    tooltip.hide();
  });
  area.addEventListener('click', (event) => set(at(event).s));
  return [guide, area];
}
