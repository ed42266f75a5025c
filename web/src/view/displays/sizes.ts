// How large the messages are: how many of each power of two, of all, of a type (communicator and tag), of a call.
import { sum } from 'd3-array';
import { el } from '../../base/dom.ts';
import { bytes_text, count_text, percent } from '../../base/format.ts';
import { bytes_ticks, count_ticks, round_bytes } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { series_colour } from '../drawing/colours.ts';
import { type Choice, type Control, chosen } from '../drawing/controls.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { type Column, rows_table } from '../drawing/tables.ts';
import { why_none } from './traffic.ts';

interface SizeBin {
  from_bytes: number;
  to_bytes: number;
  messages: number;
  bytes: number;
}
interface Sizes {
  histogram: SizeBin[];
  messages: number;
  sum_bytes: number;
  least_bytes: number | null;
  mean_bytes: number | null;
  median_bytes: number | null;
  p95_bytes: number | null;
  most_bytes: number | null;
}
interface MessageSizes {
  all: Sizes;
  by_call: { call: string; sizes: Sizes }[];
  by_type: { communicator: string; tag: number; sizes: Sizes }[];
}
export interface Kind {
  key: string;
  kind: string;
  name: string;
  sizes: Sizes;
}
// All messages, then those of each type and of each call.
export const kinds_of = ({ all, by_call, by_type }: MessageSizes): Kind[] => [
  { key: '', kind: 'all', name: 'all messages', sizes: all },
  ...by_type.map(({ communicator, tag, sizes }) => ({
    key: `type ${communicator} ${tag}`,
    kind: 'type',
    name: `tag ${tag} in ${communicator}`,
    sizes,
  })),
  ...by_call.map(({ call, sizes }) => ({ key: `call ${call}`, kind: 'call', name: call, sizes })),
];
const measure: Control = {
  option: 'measure',
  label: 'show',
  choices: (): Choice[] => [
    ['messages', 'messages'],
    ['bytes', 'bytes'],
  ],
};
const columns: Column<Kind>[] = [
  { title: 'messages of', name: 'of', value: ({ name }) => name },
  { title: 'messages', name: 'messages', value: ({ sizes }) => sizes.messages, text: count_text },
  { title: 'bytes', name: 'bytes', value: ({ sizes }) => sizes.sum_bytes, text: (value) => bytes_text(Math.round(value)) },
  ...(['least', 'median', 'mean', 'p95', 'most'] as const).map(
    (key): Column<Kind> => ({
      title: key,
      name: `${key}_bytes`,
      value: ({ sizes }) => sizes[`${key}_bytes`],
      text: (value) => bytes_text(Math.round(value)),
    }),
  ),
];

export const sizes = panel<MessageSizes>({
  name: 'sizes',
  title: 'Message sizes',
  group: 'Messages',
  about: 'How many messages of which size, by type and by call?',
  controls: [measure],
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<MessageSizes>('messages', view.selection, signal),
  draw(view, answer, { width }) {
    if (answer.all.messages === 0) return nothing(`No message was sent here${why_none(view)}.`);
    const kinds = kinds_of(answer),
      shown = kinds.find(({ key }) => key === view.option('of')) ?? kinds[0],
      what = chosen(measure, view) as 'messages' | 'bytes',
      histogram = shown?.sizes.histogram ?? [],
      all = sum(histogram, (bin) => bin[what]) || 1,
      text = (value: number) => (what === 'bytes' ? bytes_text(Math.round(value)) : count_text(value));
    const picture = bar_chart({
      label: `${shown?.name}: ${what} by size`,
      width,
      text,
      ticks: what === 'bytes' ? bytes_ticks : count_ticks,
      bars: histogram.map(({ from_bytes, to_bytes, messages, bytes }): Bar => {
        const label = from_bytes === to_bytes ? bytes_text(from_bytes) : `${round_bytes(from_bytes)} to below ${round_bytes(to_bytes + 1)}`,
          value = what === 'bytes' ? bytes : messages;
        return {
          label,
          title: `${label}: ${shown?.name}`,
          segments: [{ name: what, colour: series_colour(0, view.palette.dark), value }],
          rows: [
            ['share', percent(value / all)],
            [what === 'bytes' ? 'messages' : 'bytes', what === 'bytes' ? count_text(messages) : bytes_text(bytes)],
          ],
          data: { from: from_bytes, messages, bytes },
        };
      }),
    });
    return {
      body: [
        el('h4', {}, shown?.name ?? ''),
        picture,
        rows_table({
          columns,
          rows: kinds,
          name: 'sizes',
          choose: ({ key }) => view.set_option('of', key),
          chosen: ({ key }) => key === shown?.key,
        }),
      ],
      picture,
      table: () => ({
        columns: ['of', 'from_bytes', 'to_bytes', 'messages', 'bytes'],
        rows: kinds.flatMap(({ name, sizes: { histogram: bins } }) =>
          bins.map((bin) => [name, bin.from_bytes, bin.to_bytes, bin.messages, bin.bytes]),
        ),
      }),
    };
  },
});
