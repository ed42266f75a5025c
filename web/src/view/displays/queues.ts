// S5's queue display: messages and bytes that wait at each rank and of each rank, at the instant; and how long the queues are over time.

import { el } from '../../base/dom.ts';
import { bytes_text, count_text, digits, seconds } from '../../base/format.ts';
import type { View } from '../display.ts';
import { bytes_ticks, count_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { series_colour } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { bins_for, rows_of_ranks, series_table, summary, view_ranks } from '../drawing/series.ts';
import { time_chart, time_legend } from '../drawing/time_chart.ts';
import type { RankState } from '../source/answers.ts';
import type { Series } from '../source/decode.ts';
import { toggle_ranks } from './ranks.ts';
import { rank_lines, why_none } from './traffic.ts';

const measure: Control = {
  option: 'measure',
  label: 'show',
  choices: () => [
    ['messages', 'messages'],
    ['bytes', 'bytes'],
  ],
};
const whose: Control = {
  option: 'queue',
  label: 'over time',
  choices: () => [
    ['queue', 'waiting for it'],
    ['outgoing', 'its own, under way'],
  ],
};
const MOST_BARS = 256;
type Length = { mean: number; mean_bytes: number; maximum: number; maximum_bytes: number; maximum_at_s: number };

interface QueueFacts {
  rank: number;
  messages: number;
  mean_wait_s: number;
  waiting: Length;
  outgoing: Length;
}
interface Answer {
  states: RankState[] | null;
  series: Series;
  ranks: QueueFacts[];
}
// The questions of the whole selection do not change with the instant: kept by who asked them.
const kept = new WeakMap<View, { key: string; series: Promise<Series>; ranks: Promise<QueueFacts[]> }>();
async function ask(view: View, signal: AbortSignal): Promise<Answer> {
  const what = chosen(measure, view),
    queue = chosen(whose, view),
    key = JSON.stringify([of_selection(view), what, queue]);
  let whole = kept.get(view);
  if (whole?.key !== key) {
    whole = {
      key,
      series: view.trace.series(`${queue}_${what}`, bins_for(900), view.selection, signal),
      ranks: view.trace.ask<{ ranks: QueueFacts[] }>('queues', view.selection, signal).then(({ ranks }) => ranks),
    };
    kept.set(view, whole);
  }
  try {
    const at = view.look.at_ns,
      [states, series, ranks] = await Promise.all([at === null ? null : view.trace.state(at, signal), whole.series, whole.ranks]);
    return { states: states?.ranks ?? null, series, ranks };
  } catch (error) {
    kept.delete(view);
    throw error;
  }
}

// A bar a rank: what waits for it and what of its own is under way, at the instant; else the longest that each was.
export function queue_rows(
  states: RankState[] | null,
  ranks: readonly QueueFacts[],
  selected: readonly number[],
  what: 'messages' | 'bytes',
) {
  const wanted = new Set(selected);
  return states
    ? states
        .filter(({ rank }) => wanted.has(rank))
        .map((one) => ({ rank: one.rank, incoming: one[`queued_${what}`], outgoing: one[`outgoing_${what}`] }))
    : ranks
        .filter(({ rank }) => wanted.has(rank))
        .map(({ rank, waiting, outgoing }) => {
          const most = (length: Length) => (what === 'messages' ? length.maximum : length.maximum_bytes);
          return { rank, incoming: most(waiting), outgoing: most(outgoing) };
        });
}

export const queues = panel<Answer>({
  name: 'queues',
  title: 'Queues',
  group: 'Messages',
  about: 'How many messages and bytes wait for each rank, and of each rank, now and over time?',
  controls: [measure, whose],
  instant: true,
  depends: (view) => [of_selection(view), chosen(measure, view), chosen(whose, view), view.look.at_ns],
  ask,
  draw(view, { states, series, ranks }, { width }) {
    const what = chosen(measure, view) as 'messages' | 'bytes',
      selected = view_ranks(view),
      facts = new Map(ranks.map((one) => [one.rank, one])),
      rows = queue_rows(states, ranks, selected, what),
      count = view.trace.facts.ranks.length;
    if (ranks.every(({ messages }) => messages === 0) && rows.every(({ incoming, outgoing }) => incoming + outgoing === 0))
      return nothing(`No message is sent to these ranks here${why_none(view)}.`);
    const text = (value: number) => (what === 'bytes' ? bytes_text(Math.round(value)) : digits(value)),
      exact = (value: number) => (what === 'bytes' ? bytes_text(Math.round(value)) : `${count_text(value)}`),
      dark = view.palette.dark,
      names = states ? (['waiting for it', 'its own, under way'] as const) : (['waiting for it, most', 'its own under way, most'] as const),
      colours = [series_colour(0, dark), series_colour(6, dark)] as const;
    const whose_text = chosen(whose, view) === 'outgoing' ? 'its own, under way' : 'waiting for it';
    const bars = rows.slice(0, MOST_BARS).map(({ rank, incoming, outgoing }): Bar => {
      const one = facts.get(rank);
      return {
        label: `rank ${rank}`,
        title: `rank ${rank}`,
        segments: [
          { name: names[0], colour: colours[0], value: incoming },
          { name: names[1], colour: colours[1], value: outgoing },
        ],
        rows: one
          ? [
              ['messages to it', count_text(one.messages)],
              ['mean wait', seconds(one.mean_wait_s)],
              ['queue, mean', what === 'messages' ? digits(one.waiting.mean) : bytes_text(Math.round(one.waiting.mean_bytes))],
              ['queue, most', what === 'messages' ? count_text(one.waiting.maximum) : bytes_text(one.waiting.maximum_bytes)],
              ['... at', seconds(one.waiting.maximum_at_s)],
              ['its own, mean', what === 'messages' ? digits(one.outgoing.mean) : bytes_text(Math.round(one.outgoing.mean_bytes))],
              ['its own, most', what === 'messages' ? count_text(one.outgoing.maximum) : bytes_text(one.outgoing.maximum_bytes)],
            ]
          : [],
        data: { rank, incoming, outgoing },
        choose: () => toggle_ranks(view, [rank]),
      };
    });
    const over_time = time_chart(view, {
      label: `${what}, ${whose_text}, over time`,
      width,
      height: 190,
      from_ns: series.from_ns,
      bin_ns: series.bin_ns,
      bins: series.bins,
      layers: rank_lines(series, count, selected, dark),
      title: `${what} of each rank, ${whose_text}`,
      text,
      ticks: what === 'bytes' ? bytes_ticks : count_ticks,
    });
    const all = summary(series, rows_of_ranks(series, count, selected).values()).sum,
      bar_picture = bar_chart({
        label: `${what} waiting at each rank`,
        width,
        bars,
        text: exact,
        ticks: what === 'bytes' ? bytes_ticks : count_ticks,
      });
    over_time.setAttribute(
      'data-mean',
      String(all.reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0) / Math.max(1, series.bins)),
    );
    return {
      note:
        `A message waits from the begin of its send until the call that receives it returns. ${states ? 'Bars: at the instant.' : 'Bars: the longest in the selected time; choose an instant to see that.'}` +
        (rows.length > MOST_BARS ? ` The first ${MOST_BARS} of ${rows.length} ranks; the rest is in the CSV.` : ''),
      body: [
        time_legend([
          { name: names[0], colour: colours[0], values: [] },
          { name: names[1], colour: colours[1], values: [] },
        ]),
        bar_picture,
        el('h4', {}, `Over time: ${whose_text}`),
        over_time,
      ],
      picture: bar_picture,
      table: () => {
        const over = series_table(
          series,
          rows_of_ranks(series, count, selected),
          `${chosen(whose, view) === 'outgoing' ? 'under_way' : 'waiting'}_${what}`,
        );
        return states
          ? {
              columns: ['rank', `waiting_${what}`, `under_way_${what}`],
              rows: rows.map(({ rank, incoming, outgoing }) => [rank, incoming, outgoing]),
            }
          : over;
      },
    };
  },
});
