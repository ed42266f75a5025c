// The model of the machine that the trace was recorded on, or a preset: the ping-pong and what was fitted to it, S1's six lines, and what
// the model says of itself. Drawn by the modules of the report's page (machine/).
import { type Child, el } from '../../base/dom.ts';
import type { Link, Machine } from '../../data/types.ts';
import { six_lines_note, six_lines_plot, six_lines_table } from '../../machine/lines.ts';
import { fitted_s, link_facts, link_name, pingpong } from '../../machine/pingpong.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, panel } from '../drawing/panel.ts';
import { recorded_on, said_of } from '../drawing/said.ts';
import type { Table } from '../figure.ts';
import type { Diagnostic } from '../source/answers.ts';

export interface Model extends Machine {
  diagnostics: Diagnostic[];
}
const show: Control = {
  option: 'show',
  label: 'show',
  choices: () => [
    ['inter', 'ping-pong between hosts'],
    ['intra', 'ping-pong within a host'],
    ['six', 'the six lines of a message'],
  ],
};
const scale: Control = {
  option: 'scale',
  label: 'axes of the six lines',
  choices: () => [
    ['linear', 'linear'],
    ['log', 'logarithmic'],
  ],
};
const which: Control = { ...recorded_on, label: 'machine', about: 'Whose model is shown' };

// The link that is asked for, else the one that there is.
export const link_of = ({ links }: Machine, between: string): Link | undefined => links.find((one) => one.between === between) ?? links[0];

export function points_table({ links, six_lines }: Machine): Table {
  return {
    columns: ['what', 'bytes', 'median_s', 'low_s', 'high_s', 'fitted_s', 'samples'],
    rows: [
      ...links.flatMap((link) =>
        (link.points ?? []).map((point) => [
          `ping-pong ${link.between}`,
          point.bytes,
          point.median_s,
          point.low_s ?? null,
          point.high_s ?? null,
          fitted_s(link.segments, point.bytes),
          point.samples ?? null,
        ]),
      ),
      ...links.flatMap((link) =>
        (link.points ?? []).length > 0
          ? []
          : link.segments.map((segment) => [
              `segment ${link.between}`,
              segment.from_bytes,
              null,
              null,
              null,
              segment.base_s + segment.seconds_per_byte * segment.from_bytes,
              null,
            ]),
      ),
      ...Object.entries(six_lines ?? {}).flatMap(([term, line]) =>
        (line.points ?? []).map((point) => [
          term,
          point.bytes,
          point.median_s,
          point.low_s ?? null,
          point.high_s ?? null,
          line.base_s + line.seconds_per_byte * point.bytes,
          point.samples ?? null,
        ]),
      ),
    ],
  };
}

export const machine = panel<Model>({
  name: 'machine',
  title: 'Machine model',
  group: 'What if',
  about: 'What does a message cost on the machine: measured, fitted, and split into the work of sender, receiver and wire?',
  controls: [show, which, scale],
  depends: (view) => [view.trace.number, chosen(which, view)],
  ask: (view, signal) => view.trace.json<Model>('machine', { machine: chosen(which, view) }, signal),
  draw(view, model, { width }) {
    const what = chosen(show, view),
      across = Math.max(420, Math.min(width, 1000)) / 1.1, // what a chart's own style lets it grow by
      link = link_of(model, what),
      name = `Machine ${model.name || 'without a name'}. `;
    const drawn: Child[] =
      what === 'six' ? six_lines_plot(model, chosen(scale, view) === 'log', across) : link ? [pingpong(link, across)] : [];
    if (drawn.flat(4).filter(Boolean).length === 0)
      return nothing(
        what === 'six' ? `${name}The model tells no terms of a message's software (costs).` : `${name}The model has no links.`,
      );
    const body = el('div', { class: 'model', 'data-machine': model.name ?? '' }, drawn),
      picture = body.querySelector<SVGSVGElement>('svg.chart');
    if (what === 'six') body.append(six_lines_table(model));
    else if (link) body.prepend(link_facts(link));
    return {
      note: [
        name,
        what === 'six'
          ? six_lines_note(model)
          : link && link.between !== what
            ? `It has no link ${link_name(what)}: this is the one ${link_name(link.between)}.`
            : link && `Messages ${link_name(link.between)}.`,
      ],
      body: [body, flags_of(model), ...said_of({ assumptions: [], diagnostics: model.diagnostics })],
      ...(picture && { picture }),
      table: () => points_table(model),
    };
  },
});

const flags_of = ({ flags }: Machine) =>
  flags &&
  flags.length > 0 &&
  el(
    'details',
    { class: 'assumed', open: flags.length <= 4 },
    el('summary', {}, `What the model says of itself (${flags.length})`),
    el(
      'ul',
      {},
      flags.map((flag) => el('li', {}, flag)),
    ),
  );
