// What is waited for in which call, split as S4 does: before the other side had begun, and while the message was on its way.
import { count_text, percent, seconds } from '../../base/format.ts';
import { seconds_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { part_colours } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';

interface Waited {
  calls: number;
  waited: number;
  blocked_algorithmic_s: number;
  blocked_service_s: number;
  blocked: { sum_s: number; mean_s: number; median_s: number; p95_s: number; most_s: number };
}
interface Row extends Waited {
  name: string;
}
interface Waits {
  calls: Record<string, Waited>;
}
// Those that waited, the longest first.
export const waiting_calls = ({ calls }: Waits): Row[] =>
  Object.entries(calls)
    .map(([name, waited]) => ({ name, ...waited }))
    .filter(({ blocked_algorithmic_s, blocked_service_s }) => blocked_algorithmic_s + blocked_service_s > 0)
    .sort((a, b) => b.blocked_algorithmic_s + b.blocked_service_s - a.blocked_algorithmic_s - a.blocked_service_s);

const time = (s: number) => seconds(s);
const columns: Column<Row>[] = [
  { title: 'call', name: 'call', value: ({ name }) => name },
  { title: 'calls', name: 'calls', value: ({ calls }) => calls, text: count_text },
  { title: 'waited', name: 'waited', value: ({ waited }) => waited, text: count_text, about: 'calls that waited' },
  {
    title: 'algorithmic',
    name: 'blocked_algorithmic_s',
    value: (row) => row.blocked_algorithmic_s,
    text: time,
    about: 'until the other side had begun',
  },
  {
    title: 'service',
    name: 'blocked_service_s',
    value: (row) => row.blocked_service_s,
    text: time,
    about: 'while the message was on its way',
  },
  { title: 'mean', name: 'blocked_mean_s', value: ({ blocked }) => blocked.mean_s, text: time },
  { title: 'median', name: 'blocked_median_s', value: ({ blocked }) => blocked.median_s, text: time },
  { title: '95%', name: 'blocked_p95_s', value: ({ blocked }) => blocked.p95_s, text: time },
  { title: 'longest', name: 'blocked_most_s', value: ({ blocked }) => blocked.most_s, text: time },
];

export const blocked = panel<Waits>({
  name: 'blocked',
  title: 'Blocked, by call',
  group: 'Calls',
  about: 'In which calls do the ranks wait, and would a faster wire shorten it?',
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<Waits>('waits', view.selection, signal),
  draw(view, waits, { width }) {
    const rows = waiting_calls(waits);
    if (rows.length === 0) return nothing('No call waited here.');
    const colours = part_colours(view).filter(({ part }) => part === 'algorithmic' || part === 'service'),
      [service, algorithmic] = colours,
      all = rows.reduce((sum, row) => sum + row.blocked_algorithmic_s + row.blocked_service_s, 0),
      wire = rows.reduce((sum, row) => sum + row.blocked_service_s, 0);
    const choose = ({ name }: Row) =>
      view.change({ selection: { ...view.look.selection, calls: view.look.selection.calls === name ? '' : name } });
    const picture = bar_chart({
      label: 'blocked time by call',
      width,
      text: time,
      ticks: seconds_ticks,
      bars: rows.slice(0, 40).map((row): Bar => {
        const whole = row.blocked_algorithmic_s + row.blocked_service_s;
        return {
          label: row.name,
          title: row.name,
          segments: [
            { name: service?.title ?? '', colour: service?.colour ?? '', value: row.blocked_service_s },
            { name: algorithmic?.title ?? '', colour: algorithmic?.colour ?? '', value: row.blocked_algorithmic_s },
          ],
          rows: [
            ['service, share', percent(row.blocked_service_s / whole)],
            ['of all blocked', percent(whole / all)],
            ['calls that waited', `${count_text(row.waited)} of ${count_text(row.calls)}`],
          ],
          data: { call: row.name, algorithmic: row.blocked_algorithmic_s, service: row.blocked_service_s },
          chosen: view.look.selection.calls === row.name,
          choose: () => choose(row),
        };
      }),
    });
    return {
      note: `${seconds(all)} blocked on all ranks, ${percent(wire / all)} of it while the message was on its way.`,
      body: [
        time_legend(colours.map(({ title, about, colour }) => ({ name: title, about, colour, values: [] }))),
        picture,
        rows_table({ columns, rows, name: 'blocked', choose, chosen: ({ name }) => view.look.selection.calls === name }),
      ],
      picture,
      table: () => saved_table(columns, rows),
    };
  },
});
