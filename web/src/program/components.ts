// Where the program's time goes at each D, in seconds divided by D: the four components of S3 (NISTIR 4331, Figures 2 and 3).
import { extent } from 'd3-array';
import type { Row } from '../base/dom.ts';
import { percent, seconds, seconds_range } from '../base/format.ts';
import { card } from '../charts/chart.ts';
import { linear_time_axis, type PlotPoint, plot, type Series } from '../charts/plot.ts';
import type { ComponentTimes, Dilation, DilationRun } from '../data/types.ts';
import { d_axis } from './speedup.ts';

const components: { key: keyof ComponentTimes; name: string }[] = [
  { key: 'user_s', name: 'user time' },
  { key: 'communication_s', name: 'comm. interrupts' },
  { key: 'receive_wait_s', name: 'receive wait' },
  { key: 'send_s', name: 'async. send' },
];
const program = 'program';

// The program's time first, then the components; points by D, with the extremes of the rounds where there are several. Of runs of
// both ways to make progress those count that were made as the first was. Empty with fewer than two D.
export function component_series({ shares, runs }: Dilation): Series[] {
  const rows = [...(shares ?? [])].filter((row) => row.components).sort((a, b) => a.D - b.D);
  if (new Set(rows.map((row) => row.D)).size < 2) return [];
  const counted = (runs ?? []).filter((run, _, all) => run.progress === all[0]?.progress);
  const series = (
    name: string,
    colour: string,
    mean: (row: (typeof rows)[number]) => number | null | undefined,
    of_run: (run: DilationRun) => number | null | undefined,
  ): Series => ({
    name,
    kind: 'component',
    colour,
    dash: null,
    joined: true,
    points: rows.map((row): PlotPoint => {
      const y = mean(row) ?? NaN,
        title = `${name}, D = ${row.D}`,
        of_rounds = counted.filter((run) => run.D === row.D).flatMap((run) => of_run(run) ?? []),
        [low, high] = of_rounds.length > 1 ? extent(of_rounds) : [],
        said: Row[] = [['divided by D', seconds(y, 4)]];
      if (name !== program && row.normalised_s > 0) said.push(['of the program', percent(y / row.normalised_s)]);
      if (low !== undefined && high !== undefined) said.push(['rounds', seconds_range(low, high)]);
      return { x: row.D, y, low, high, title, rows: said };
    }),
  });
  return [
    series(
      program,
      'var(--ink)',
      (row) => row.normalised_s,
      (run) => run.normalised_s,
    ),
    ...components.map(({ key, name }, i) =>
      series(
        name,
        `var(--series-${i})`,
        (row) => row.components?.[key],
        (run) => run.components?.[key],
      ),
    ),
  ];
}

// Nothing where it was not run at two D, or by a version that did not tell the components.
export function components_plot(dilation: Dilation, width = 560): Element[] {
  const series = component_series(dilation);
  if (series.length === 0) return [];
  return plot({
    name: 'components',
    label: 'components of the time against D',
    width,
    x: d_axis(series[0]?.points?.map((point) => point.x) ?? []),
    y: linear_time_axis('time divided by D'),
    series,
  });
}

export function components_over_d(dilation: Dilation) {
  const picture = components_plot(dilation);
  if (picture.length === 0) return null;
  return card(
    'Where the time goes as the wire gets faster',
    'Seconds divided by D: of the program, and of the components that it is made of, mean of the ranks. What falls with D the network took; a line ' +
      'over a point spans the rounds.',
    picture,
  );
}
