// S4's Figures 6.2 to 6.8: where each rank's time goes as recorded, as the replay has it, and on other networks.
import type { Row } from '../../base/dom.ts';
import { factor_text, percent, seconds, signed_percent } from '../../base/format.ts';
import type { View } from '../display.ts';
import { seconds_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { part_colours } from '../drawing/colours.ts';
import { type Control, chosen } from '../drawing/controls.ts';
import { nothing, panel } from '../drawing/panel.ts';
import { groups_of, ranks_text, selected_ranks } from '../drawing/ranks.ts';
import { MOST_OFF, recorded_on, type Said, said_of, together } from '../drawing/said.ts';
import { time_legend } from '../drawing/time_chart.ts';

interface Times {
  elapsed_s: number;
  compute_s: number;
  library_s: number;
  blocked_s: number;
  blocked_service_s: number;
  blocked_algorithmic_s: number;
}
export interface Station extends Times {
  rank: number;
}
interface ScenarioAnswer extends Said {
  name: string;
  what_if: string;
  predicted_s: number;
  predicted_low_s: number | null;
  predicted_high_s: number | null;
  gain: number | null;
  gain_withheld: string | null;
  stations: Station[];
}
interface Answer {
  recorded: Station[];
  recorded_s: number;
  replayed_s: number;
  scenarios: ScenarioAnswer[];
}
// A bar of each group of ranks.
export interface Scenario {
  name: string;
  what_if: string | null; // null: as recorded, which no replay has made
  stations: Station[];
  answer: ScenarioAnswer | null;
}

const IDEAL = 'bandwidth=x1000000,latency=x0.000001,software=x0.000001';
export const usual = ['bandwidth=x10', 'latency=x0.1', 'software=x0.1', IDEAL].join(';');
export const name_of = (spec: string) =>
  spec === ''
    ? 'replayed'
    : spec === IDEAL
      ? 'ideal network'
      : spec
          .replaceAll(/=x(?=[\d.])/g, ' \u00d7')
          .replaceAll(/[=]/g, ' ')
          .replaceAll(',', ', ');
export const scenarios_in = ({ recorded, scenarios }: Pick<Answer, 'recorded' | 'scenarios'>): Scenario[] => [
  { name: 'recorded', what_if: null, stations: recorded, answer: null },
  ...scenarios.map((one) => ({ name: name_of(one.what_if), what_if: one.what_if, stations: one.stations, answer: one })),
];

const part_keys = {
  compute: 'compute_s',
  library: 'library_s',
  service: 'blocked_service_s',
  algorithmic: 'blocked_algorithmic_s',
} as const;
export function mean_of(stations: readonly Station[], ranks: ReadonlySet<number>): Times | null {
  const some = stations.filter(({ rank }) => ranks.has(rank)),
    mean = (key: keyof Times) => some.reduce((sum, one) => sum + one[key], 0) / some.length;
  if (some.length === 0) return null;
  return {
    elapsed_s: mean('elapsed_s'),
    compute_s: mean('compute_s'),
    library_s: mean('library_s'),
    blocked_s: mean('blocked_s'),
    blocked_service_s: mean('blocked_service_s'),
    blocked_algorithmic_s: mean('blocked_algorithmic_s'),
  };
}

const what_ifs: Control = {
  option: 'what_ifs',
  label: 'what if',
  placeholder: 'bandwidth=x10;latency=x0.1;software=x0.1',
  about:
    'What-ifs that are compared, between semicolons; none: ten times the bandwidth, a tenth of the latency, of the software, an ideal network',
};
const show: Control = {
  option: 'show',
  label: 'show',
  choices: () => [
    ['all', 'the mean and each rank'],
    ['mean', 'the mean of the ranks'],
  ],
};
const groups: Control = {
  option: 'groups',
  label: 'groups',
  placeholder: '4 \u00b7 host \u00b7 0-3;4-7',
  about: 'Ranks that are one group, their mean: "4" for each four, "host", or lists as 0-3;4-7',
};
const MOST_BARS = 180;
const asked_for = (view: View) => view.option('what_ifs') || usual;

export const scenarios = panel<Answer>({
  name: 'scenarios',
  title: 'Scenarios: bars by rank',
  group: 'What if',
  about: 'Where would each rank spend its time on other networks: as recorded, and as several what-ifs have it?',
  controls: [what_ifs, show, groups, recorded_on],
  depends: (view) => [view.trace.number, asked_for(view), chosen(recorded_on, view)],
  async ask(view, signal) {
    const [told, report] = await Promise.all([
      view.trace.json<Omit<Answer, 'recorded'>>('scenarios', { what_ifs: asked_for(view), machine: chosen(recorded_on, view) }, signal),
      view.trace.report({}, signal),
    ]);
    return { ...told, recorded: report.ranks as Station[] };
  },
  draw(view, answer, { width }) {
    const hosts = view.trace.facts.ranks.map(({ host }) => host),
      listed = selected_ranks(view.look.selection.ranks, hosts.length),
      all = scenarios_in(answer);
    if (listed.length === 0) return nothing('No rank is selected.');
    const members =
      chosen(show, view) === 'mean' ? [] : groups_of(chosen(groups, view), hosts, listed, Math.max(1, Math.floor(MOST_BARS / all.length)));
    if (!members) return nothing('The groups are none: write a number of ranks ("4"), "host", or lists of ranks as 0-3;4-7.');
    const off = answer.replayed_s / answer.recorded_s - 1,
      sets = [
        {
          label: listed.length < hosts.length ? `ranks ${ranks_text(listed)}, their mean` : 'all ranks, their mean',
          ranks: listed,
          whole: true,
        },
        ...(listed.length > 1
          ? members.map(({ label, ranks }) => ({
              label: ranks.length === 1 ? `rank ${label} on ${hosts[ranks[0] ?? 0] ?? ''}` : `ranks ${label}, their mean`,
              ranks,
              whole: false,
            }))
          : []),
      ],
      bars = sets.flatMap(({ label, ranks, whole }) =>
        all.flatMap((one, i) => bar_of(view, one, label, new Set(ranks), whole && listed.length === hosts.length, i === 0) ?? []),
      );
    const picture = bar_chart({
      label: 'time of each rank in each scenario',
      width: Math.min(width, 1200),
      bars,
      text: (s) => seconds(s),
      ticks: seconds_ticks,
      pitch: bars.length > 96 ? 13 : 19,
    });
    return {
      note: [
        `Recorded ${seconds(answer.recorded_s, 4)}; the replay of it is off by ${signed_percent(off)}. `,
        Math.abs(off) > MOST_OFF && 'No speed-up is said of it. ',
        'A click moves the wire to a scenario.',
      ],
      body: [
        time_legend(part_colours(view).map(({ title, about, colour }) => ({ name: title, about, colour, values: [] }))),
        picture,
        ...said_of(together(answer.scenarios)),
      ],
      picture,
      table: () => ({
        columns: [
          'scenario',
          'what_if',
          'predicted_s',
          'predicted_low_s',
          'predicted_high_s',
          'rank',
          ...Object.values(part_keys),
          'elapsed_s',
        ],
        rows: all.flatMap(({ name, what_if, stations, answer: told }) =>
          stations.map((one) => [
            name,
            what_if,
            told?.predicted_s ?? null,
            told?.predicted_low_s ?? null,
            told?.predicted_high_s ?? null,
            one.rank,
            ...Object.values(part_keys).map((key) => one[key]),
            one.elapsed_s,
          ]),
        ),
      }),
    };
  },
});

function bar_of(
  view: View,
  { name, what_if, stations, answer }: Scenario,
  label: string,
  ranks: ReadonlySet<number>,
  whole: boolean,
  first: boolean,
): Bar | null {
  const times = mean_of(stations, ranks);
  if (!times) return null;
  const shares = part_colours(view).map(({ part, title, colour }) => ({
      name: title,
      colour,
      value: times[part_keys[part as keyof typeof part_keys]],
    })),
    low_s = answer?.predicted_low_s,
    high_s = answer?.predicted_high_s;
  return {
    ...(first && { heading: label }),
    label: name,
    title: `${label}: ${name}`,
    segments: shares,
    ...(whole &&
      typeof low_s === 'number' &&
      typeof high_s === 'number' && { range: [low_s, high_s] as const, range_name: '95% of the run\u2019s time' }),
    rows: [
      ['together', seconds(times.elapsed_s, 4)],
      ...(times.blocked_s > 0 ? [['of what is blocked, service', percent(times.blocked_service_s / times.blocked_s)] satisfies Row] : []),
      ...(whole && answer ? [['the run', seconds(answer.predicted_s, 4)] satisfies Row] : []),
      ...(whole && answer && answer.gain !== null && !answer.gain_withheld ? [['speed-up', factor_text(answer.gain)] satisfies Row] : []),
      ...(what_if ? [['what-if', what_if] satisfies Row] : []),
    ],
    data: {
      scenario: what_if ?? 'recorded',
      ranks: ranks_text([...ranks]),
      elapsed: times.elapsed_s,
      compute: times.compute_s,
      library: times.library_s,
      service: times.blocked_service_s,
      algorithmic: times.blocked_algorithmic_s,
      ...(answer && whole && { predicted: answer.predicted_s }),
    },
    chosen: what_if !== null && what_if === view.look.what_if && what_if !== '',
    ...(what_if !== null && { choose: () => view.change({ what_if }) }),
  };
}
