// Each rank's time as a bar of its parts, or one measure with the least, mean and most of groups (S5's bars with step).
import { bytes_text, count_text, percent, seconds } from '../../base/format.ts';
import type { View } from '../display.ts';
import { bytes_ticks, count_ticks, seconds_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { part_colours, series_colour } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { groups_of, ranks_text, selected_ranks, spread_of } from '../drawing/ranks.ts';
import { saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';

export interface RankRow {
  rank: number;
  host: string;
  elapsed_s: number;
  compute_s: number;
  library_s: number;
  blocked_algorithmic_s: number;
  blocked_service_s: number;
  blocked_s: number;
  messages_sent: number;
  messages_received: number;
  bytes_sent: number;
  bytes_received: number;
}
type Key = Exclude<keyof RankRow, 'rank' | 'host'>;
const measures: readonly (readonly [Key | 'parts', string])[] = [
  ['parts', 'parts of the time'],
  ['compute_s', 'compute'],
  ['library_s', 'library'],
  ['blocked_s', 'blocked'],
  ['blocked_algorithmic_s', 'blocked, algorithmic'],
  ['blocked_service_s', 'blocked, service'],
  ['messages_sent', 'messages sent'],
  ['messages_received', 'messages received'],
  ['bytes_sent', 'bytes sent'],
  ['bytes_received', 'bytes received'],
];
const part_keys = {
  compute: 'compute_s',
  library: 'library_s',
  service: 'blocked_service_s',
  algorithmic: 'blocked_algorithmic_s',
} as const;
const measure: Control = { option: 'measure', label: 'show', choices: () => measures };
const order: Control = {
  option: 'order',
  label: 'order',
  choices: () => [
    ['rank', 'by rank'],
    ['most', 'the most first'],
  ],
};
const groups: Control = {
  option: 'groups',
  label: 'groups',
  placeholder: '4 \u00b7 host \u00b7 0-3;4-7',
  about: 'Ranks that are one bar, their mean with the least and the most: "4" for each four, "host", or lists as 0-3;4-7',
};
const MOST_BARS = 128;

export const value_text = (key: string) => (value: number) =>
  key.endsWith('_s') ? seconds(value) : key.startsWith('bytes') ? bytes_text(Math.round(value)) : count_text(+value.toFixed(1));

const ticks_of = (what: string) => (what.startsWith('bytes') ? bytes_ticks : what.startsWith('messages') ? count_ticks : seconds_ticks);

// Bars of groups of ranks: the mean of each part, and the extremes of the measure where a group has several.
export function rank_bars(
  rows: readonly RankRow[],
  members: readonly number[][],
  what: Key | 'parts',
  colours: { part: string; title: string; colour: string }[],
) {
  const by_rank = new Map(rows.map((row) => [row.rank, row]));
  return members.flatMap((ranks) => {
    const group = ranks.flatMap((rank) => by_rank.get(rank) ?? []);
    if (group.length === 0) return [];
    const mean = (key: Key) => spread_of(group.map((row) => row[key]))?.mean ?? 0,
      measured: Key = what === 'parts' ? 'blocked_s' : what,
      spread = spread_of(group.map((row) => row[measured]));
    const segments =
      what === 'parts'
        ? colours.map(({ part, title, colour }) => ({ name: title, colour, value: mean(part_keys[part as keyof typeof part_keys]) }))
        : [
            {
              name: group.length > 1 ? 'mean' : what.replaceAll('_', ' ').replace(/ s$/, ''),
              colour: colours[0]?.colour ?? '',
              value: mean(what),
            },
          ];
    return [{ ranks, group, segments, spread, mean: mean(what === 'parts' ? 'blocked_s' : what) }];
  });
}

export const ranks = panel<RankRow[]>({
  name: 'ranks',
  title: 'Bars by rank',
  group: 'Ranks',
  about: 'Which ranks compute, wait or send more than others?',
  controls: [measure, order, groups],
  depends: of_selection,
  ask: async (view, signal) => (await view.trace.report(view.selection, signal)).ranks as RankRow[],
  draw(view, rows, { width }) {
    if (rows.length === 0) return nothing('No rank is selected.');
    const hosts = view.trace.facts.ranks.map(({ host }) => host),
      listed = groups_of(
        chosen(groups, view),
        hosts,
        rows.map(({ rank }) => rank),
        MOST_BARS,
      );
    if (!listed) return nothing('The groups are none: write a number of ranks ("4"), "host", or lists of ranks as 0-3;4-7.');
    const what = chosen(measure, view) as Key | 'parts',
      colours =
        what === 'parts' ? part_colours(view) : [{ part: what, title: what, colour: series_colour(0, view.palette.dark), about: '' }],
      text = value_text(what === 'parts' ? 'compute_s' : what);
    const made = rank_bars(
      rows,
      listed.map((group) => group.ranks),
      what,
      colours,
    );
    if (chosen(order, view) === 'most') made.sort((a, b) => b.mean - a.mean);
    const label_of = new Map(listed.map((group) => [group.ranks, group.label])),
      selected = new Set(selected_ranks(view.look.selection.ranks, hosts.length));
    const bars = made.map(({ ranks: members, group, segments, spread }): Bar => {
      const one = group.length === 1 ? group[0] : null,
        label = one ? `rank ${one.rank}` : `ranks ${label_of.get(members) ?? ranks_text(members)}`,
        whole = segments.reduce((all, { value }) => all + value, 0);
      return {
        label,
        title: one ? `${label} on ${one.host}` : `${label}, mean of ${group.length}`,
        segments,
        ...(group.length > 1 && spread && what !== 'parts' && { range: [spread.least, spread.most] as const }),
        rows: [
          ...(what === 'parts' && whole > 0
            ? segments.map(({ name, value }): [string, string] => [`${name}, share`, percent(value / whole)])
            : []),
          ...(group.length > 1 && spread && what === 'parts'
            ? [['blocked, least \u2013 most', `${text(spread.least)} \u2013 ${text(spread.most)}`] satisfies [string, string]]
            : []),
        ],
        data: { rank: members[0] ?? '', whole },
        chosen: view.look.selection.ranks !== '' && members.every((rank) => selected.has(rank)),
        choose: () => toggle_ranks(view, members),
      };
    });
    const picture = bar_chart({ label: 'time of each rank', width, bars, text, ticks: ticks_of(what) });
    return {
      body: [
        what === 'parts' && time_legend(colours.map(({ title, about, colour }) => ({ name: title, about, colour, values: [] }))),
        picture,
      ],
      picture,
      table: () =>
        saved_table(
          ['rank', 'host', ...measures.map(([key]) => key).filter((key) => key !== 'parts'), 'elapsed_s'].map((key) => ({
            title: key,
            name: key,
            value: (row: RankRow) => row[key as keyof RankRow] ?? null,
          })),
          rows,
        ),
    };
  },
});

// Selects these ranks; what is selected already is selected no more.
export function toggle_ranks(view: View, members: readonly number[]) {
  const text = ranks_text(members);
  view.change({ selection: { ...view.look.selection, ranks: view.look.selection.ranks === text ? '' : text } });
}
