// One message followed from end to end: the calls that send and receive it, what they wait, and by which nodes it goes.
import { el, type Row, svg, tip } from '../../base/dom.ts';
import { bytes_text, nanoseconds, seconds } from '../../base/format.ts';
import { frame, linear } from '../../charts/chart.ts';
import type { View } from '../display.ts';
import { colour_of_part, series_colour } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, panel } from '../drawing/panel.ts';
import { sentence } from '../drawing/sentence.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { instant_line, time_legend, time_ticks } from '../drawing/time_chart.ts';
import { route, topology_of } from '../drawing/topology.ts';

const which: Control = {
  option: 'message',
  label: 'message',
  placeholder: '17 \u00b7 0:1:7:3 \u00b7 0:1:any:2',
  about: 'Its number, or SOURCE:DESTINATION[:TAG[:K]], where TAG may be any and K counts those of the kind from 0',
};
interface CallAt {
  call: string;
  enter_s: number;
  leave_s: number;
  blocked_algorithmic_s: number;
  blocked_service_s: number;
}
interface Bounds {
  earliest_s: number;
  latest_s: number | null;
}
export interface Followed {
  number: number | null;
  source: number;
  destination: number;
  tag: number;
  communicator: string;
  sequence: number;
  bytes: number;
  synchronous: boolean;
  wildcard: boolean;
  send: CallAt;
  send_done: CallAt | null;
  posted: CallAt | null;
  received: CallAt | null;
  left: Bounds;
  arrived: Bounds;
  rule: string;
}
export interface Step {
  at_s: number;
  rank: number;
  what: string;
}
// What happens to it, by time.
export function steps_of(f: Followed): Step[] {
  const steps: Step[] = [
    { at_s: f.send.enter_s, rank: f.source, what: `begins to send it in ${f.send.call}` },
    { at_s: f.send.leave_s, rank: f.source, what: `returns from ${f.send.call}` },
    ...(f.send_done ? [{ at_s: f.send_done.leave_s, rank: f.source, what: `finds the send complete in ${f.send_done.call}` }] : []),
    ...(f.posted ? [{ at_s: f.posted.enter_s, rank: f.destination, what: `posts the receive in ${f.posted.call}` }] : []),
    ...(f.received
      ? [
          ...(f.posted && f.posted.enter_s !== f.received.enter_s
            ? [{ at_s: f.received.enter_s, rank: f.destination, what: `enters ${f.received.call}` }]
            : []),
          { at_s: f.received.leave_s, rank: f.destination, what: `has received it, returns from ${f.received.call}` },
        ]
      : []),
  ];
  return steps.sort((a, b) => a.at_s - b.at_s);
}
const columns: Column<Step>[] = [
  { title: 'at', name: 'at_s', value: ({ at_s }) => at_s, text: (s) => seconds(s, 6) },
  { title: 'rank', name: 'rank', value: ({ rank }) => rank },
  { title: 'what', name: 'what', value: ({ what }) => what },
];

// A message of the picked call, where none is named.
async function ask(view: View, signal: AbortSignal): Promise<Followed | null> {
  let message = chosen(which, view);
  const { picked } = view.look;
  if (message === '' && picked && picked.trace === view.trace.number) {
    const { messages } = await view.trace.call(picked.rank, picked.call, signal);
    if (messages[0]) message = String(messages[0].number);
  }
  if (message === '') return null;
  return view.trace.json<Followed>('ask', { question: 'message', message }, signal);
}

export const message = panel<Followed | null>({
  name: 'message',
  title: 'One message followed',
  group: 'Messages',
  about: 'Where was one message when, and who waited for it?',
  controls: [which],
  shows_instant: true,
  depends: (view) => [view.trace.number, chosen(which, view), chosen(which, view) === '' ? view.look.picked : null],
  ask,
  draw(view, f, { width }) {
    if (!f)
      return nothing(
        view.trace.facts.messages === 0
          ? 'The trace has no messages.'
          : 'Choose a call that sends or receives in the timeline, or name a message above, as 0:1 for the first from rank 0 to rank 1.',
      );
    const calls = [
      { call: f.send, rank: f.source },
      ...(f.send_done ? [{ call: f.send_done, rank: f.source }] : []),
      ...(f.posted ? [{ call: f.posted, rank: f.destination }] : []),
      ...(f.received && f.received.enter_s !== f.posted?.enter_s ? [{ call: f.received, rank: f.destination }] : []),
    ];
    const ends = calls.flatMap(({ call }) => [call.enter_s * 1e9, call.leave_s * 1e9]),
      [low, high] = [Math.min(...ends), Math.max(...ends)],
      room = Math.max(1, (high - low) * 0.06),
      [left, right, top, pitch] = [72, width - 12, 12, 58],
      bottom = top + 2 * pitch,
      x = linear(low - room, high + room, left, right),
      lane = (rank: number) => top + (rank === f.source ? 0 : pitch) + 14,
      thick = 24,
      colours = {
        library: colour_of_part(view, 'library'),
        algorithmic: colour_of_part(view, 'algorithmic'),
        service: colour_of_part(view, 'service'),
      },
      self = f.source === f.destination;
    const bars = calls.map(({ call, rank }) => {
      const [enter, leave, algorithmic, service] = [call.enter_s, call.leave_s, call.blocked_algorithmic_s, call.blocked_service_s].map(
          (s) => s * 1e9,
        ) as [number, number, number, number],
        y = lane(rank),
        part = (from: number, to: number, fill: string) =>
          to > from && svg('rect', { x: x(from), y, width: Math.max(1, x(to) - x(from)), height: thick, fill });
      const rows: Row[] = [
        ['enters', seconds(call.enter_s, 6)],
        ['takes', nanoseconds(leave - enter)],
        ['blocked, algorithmic', nanoseconds(algorithmic)],
        ['blocked, service', nanoseconds(service)],
      ];
      return tip(
        svg(
          'g',
          {},
          part(enter, enter + algorithmic, colours.algorithmic),
          part(enter + algorithmic, enter + algorithmic + service, colours.service),
          part(enter + algorithmic + service, leave, colours.library),
        ),
        `${call.call}, rank ${rank}`,
        rows,
      );
    });
    const [from_x, to_x] = [x(f.left.earliest_s * 1e9), f.received ? x(f.received.leave_s * 1e9) : right],
      arrow = series_colour(1, view.palette.dark);
    const picture = svg(
      'svg',
      {
        class: 'message',
        viewBox: `0 0 ${width} ${bottom + 28}`,
        width,
        height: bottom + 28,
        role: 'img',
        'aria-label': 'one message over time',
        'data-source': f.source,
        'data-destination': f.destination,
        'data-bytes': f.bytes,
      },
      frame(x, linear(0, 1, bottom, top), time_ticks(low - room, high + room, (right - left) / 110), []),
      svg('text', { x: left - 8, y: lane(f.source) + 16, 'text-anchor': 'end' }, `rank ${f.source}`),
      !self && svg('text', { x: left - 8, y: lane(f.destination) + 16, 'text-anchor': 'end' }, `rank ${f.destination}`),
      bars,
      svg('line', {
        x1: from_x,
        y1: lane(f.source) + (self ? 0 : thick),
        x2: to_x,
        y2: lane(f.destination),
        stroke: arrow,
        'stroke-width': 2,
        'stroke-dasharray': f.received ? null : '5 4',
      }),
      svg('circle', { cx: to_x, cy: lane(f.destination), r: 3.5, fill: arrow }),
      instant_line(view, x, top, bottom),
    );
    const { facts } = view.trace,
      topology = topology_of('', facts.ranks.length, facts.topology),
      steps = steps_of(f),
      took = f.received
        ? `it took ${seconds(f.received.leave_s - f.send.enter_s)} from the begin of its send to the end of its receive`
        : 'it was not received as far as the trace goes';
    return {
      note: `${bytes_text(f.bytes)} from rank ${f.source} to rank ${f.destination}, tag ${f.tag}, number ${f.sequence} of its kind in ${f.communicator || 'its communicator'}${f.synchronous ? ', synchronous' : ''}${f.wildcard ? ', received by a wildcard' : ''}: ${took}. ${sentence(f.rule)}`,
      body: [
        time_legend([
          { name: 'blocked, algorithmic', colour: colours.algorithmic, values: [] },
          { name: 'blocked, service', colour: colours.service, values: [] },
          { name: 'in the library', colour: colours.library, values: [] },
        ]),
        picture,
        el(
          'p',
          { class: 'display-note' },
          `Its route over the ${topology.kind} of ${facts.ranks.length} ranks: ${route(topology, f.source, f.destination).join(' \u2192 ')}.`,
        ),
        rows_table({
          columns,
          rows: steps,
          name: 'message',
          choose: ({ at_s, rank }) => {
            view.change({ at_ns: at_s * 1e9 });
            view.show({ from_ns: low - 3 * room, to_ns: high + 3 * room, rank, call: null });
          },
        }),
      ],
      picture,
      table: () => saved_table(columns, steps),
    };
  },
});
