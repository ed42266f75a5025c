// The regions that the program marked: a flame graph by what is around them, a table, and a chosen region's time on each rank.
import { max, sum } from 'd3-array';
import { el, type Row, svg, tip } from '../../base/dom.ts';
import { count_text, percent, seconds } from '../../base/format.ts';
import { type Stop, walkable } from '../../charts/chart.ts';
import { seconds_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { part_colours, readable_on, strength_scale } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';
import { toggle_ranks } from './ranks.ts';

interface Times {
  visits: number;
  time_s: number;
  own_s: number;
  compute_s: number;
  library_s: number;
  blocked_s: number;
  blocked_algorithmic_s: number;
  blocked_service_s: number;
}
export interface Region extends Times {
  region: string;
  ranks: (Times & { rank: number })[];
  paths: (Times & { within: string[] })[];
}
export interface Flame extends Times {
  name: string;
  path: string[]; // its own name last
  below: Flame[];
}
// The regions of all paths as a tree, those that take longest first.
export function flames_of(regions: readonly Region[]): Flame[] {
  const all = new Map<string, Flame>();
  for (const { region, paths } of regions)
    for (const { within, ...times } of paths) {
      const path = [...within, region];
      all.set(JSON.stringify(path), { ...times, name: region, path, below: [] });
    }
  const roots: Flame[] = [];
  for (const flame of all.values()) {
    const around = all.get(JSON.stringify(flame.path.slice(0, -1)));
    (around?.below ?? roots).push(flame);
  }
  for (const list of [roots, ...[...all.values()].map(({ below }) => below)]) list.sort((a, b) => b.time_s - a.time_s);
  return roots;
}
export const depth_of = (flames: readonly Flame[]): number =>
  flames.length === 0 ? 0 : 1 + (max(flames, ({ below }) => depth_of(below)) ?? 0);

const time = (s: number) => seconds(s);
const columns: Column<Region>[] = [
  { title: 'region', name: 'region', value: ({ region }) => region },
  { title: 'visits', name: 'visits', value: ({ visits }) => visits, text: count_text },
  { title: 'time', name: 'time_s', value: ({ time_s }) => time_s, text: time, about: 'sum over the ranks, regions within included' },
  { title: 'own', name: 'own_s', value: ({ own_s }) => own_s, text: time, about: 'outside of the regions within' },
  { title: 'compute', name: 'compute_s', value: ({ compute_s }) => compute_s, text: time },
  { title: 'library', name: 'library_s', value: ({ library_s }) => library_s, text: time },
  { title: 'blocked', name: 'blocked_s', value: ({ blocked_s }) => blocked_s, text: time },
  { title: 'algorithmic', name: 'blocked_algorithmic_s', value: (row) => row.blocked_algorithmic_s, text: time },
  { title: 'service', name: 'blocked_service_s', value: (row) => row.blocked_service_s, text: time },
];
const ROW = 24,
  NARROWEST = 0.6; // pixels of what is drawn

export const regions = panel<Region[]>({
  name: 'regions',
  title: 'Regions: flame graph and table',
  group: 'Program',
  about: 'Where do the regions that the program marked spend their time?',
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<Region[]>('regions', view.selection, signal),
  draw(view, answer, { width }) {
    const listed = answer.filter(({ time_s, visits }) => time_s > 0 || visits > 0).sort((a, b) => b.time_s - a.time_s);
    if (listed.length === 0)
      return nothing(
        view.trace.facts.user_regions.length > 0
          ? 'No region of the program is in what is selected.'
          : 'There are no regions: whatwire record --functions makes them of functions (of a program compiled with -fpatchable-function-entry=5), whatwire instrument of sources, and the program can mark its own (whatwire/marker.h).',
      );
    const flames = flames_of(listed),
      dark = view.palette.dark,
      strength = strength_scale(dark),
      zoomed = read_path(view.option('within')),
      zoom = zoomed.reduce<Flame | undefined>(
        (at, name, level) => (level === 0 ? flames : (at?.below ?? [])).find((flame) => flame.name === name),
        undefined,
      ),
      roots = zoom ? [zoom] : flames,
      whole = sum(roots, ({ time_s }) => time_s) || 1,
      depth = depth_of(roots),
      chosen_region = zoom?.name ?? '',
      stops: Stop[] = [];
    const set = (path: string[]) => view.set_option('within', path.length > 0 ? JSON.stringify(path) : '');
    const draw_flames = (list: readonly Flame[], from: number, level: number): SVGElement[] => {
      let at = from;
      return list.flatMap((flame) => {
        const x = at,
          w = (flame.time_s / whole) * (width - 2);
        at += w;
        if (w < NARROWEST) return [];
        const share = flame.time_s > 0 ? flame.blocked_s / flame.time_s : 0,
          rows: Row[] = [
            ['time, all ranks', seconds(flame.time_s)],
            ['own', seconds(flame.own_s)],
            ['visits', count_text(flame.visits)],
            ['compute', percent(flame.compute_s / (flame.time_s || 1))],
            ['library', percent(flame.library_s / (flame.time_s || 1))],
            ['blocked, algorithmic', percent(flame.blocked_algorithmic_s / (flame.time_s || 1))],
            ['blocked, service', percent(flame.blocked_service_s / (flame.time_s || 1))],
          ],
          title = flame.path.join(' \u203a '),
          letters = Math.floor((w - 8) / 6.8);
        const node = svg(
          'g',
          {
            class: 'choosable',
            'data-region': title,
            'data-time': flame.time_s,
            onclick: () => set(flame === zoom ? flame.path.slice(0, -1) : flame.path),
          },
          svg('rect', {
            x: x + 0.5,
            y: level * ROW,
            width: Math.max(0.5, w - 1),
            height: ROW - 2,
            rx: 2,
            fill: strength(0.12 + 0.85 * share),
          }),
          letters > 2 &&
            svg(
              'text',
              {
                x: x + 5,
                y: level * ROW + 15,
                class: 'in-cell',
                'pointer-events': 'none',
                style: `fill: ${readable_on(0.12 + 0.85 * share, dark)}`,
              },
              flame.name.length > letters ? `${flame.name.slice(0, letters - 1)}\u2026` : flame.name,
            ),
        );
        stops.push({ node, title, rows });
        return [tip(node, title, rows), ...draw_flames(flame.below, x, level + 1)];
      });
    };
    const picture = svg(
      'svg',
      {
        class: 'flames',
        viewBox: `0 0 ${width} ${depth * ROW}`,
        width,
        height: depth * ROW,
        role: 'img',
        'aria-label': 'flame graph of the regions',
      },
      draw_flames(roots, 1, 0),
    );
    const colours = part_colours(view),
      of_rank = listed.find(({ region }) => region === chosen_region)?.ranks ?? [];
    const bars = of_rank
      .slice(0, 128)
      .map(
        (row): Bar => ({
          label: `rank ${row.rank}`,
          title: `rank ${row.rank} in ${chosen_region}`,
          segments: colours.map(({ part, title, colour }) => ({
            name: title,
            colour,
            value: {
              compute: row.compute_s,
              library: row.library_s,
              service: row.blocked_service_s,
              algorithmic: row.blocked_algorithmic_s,
              outside: 0,
            }[part],
          })),
          rows: [['visits', count_text(row.visits)]],
          data: { rank: row.rank },
          choose: () => toggle_ranks(view, [row.rank]),
        }),
      );
    return {
      note: `Width: time, all ranks together; ${dark ? 'brighter' : 'darker'}: more of it blocked. A click goes into a region, another one out of it.`,
      body: [
        walkable(picture, stops),
        bars.length > 0 && [
          el('h4', {}, `${chosen_region} on each rank`),
          time_legend(colours.map(({ title, about, colour }) => ({ name: title, about, colour, values: [] }))),
          bar_chart({ label: `${chosen_region} on each rank`, width, bars, text: time, ticks: seconds_ticks }),
        ],
        rows_table({
          columns,
          rows: listed,
          name: 'regions',
          choose: ({ region, paths }) => set(region === chosen_region ? [] : [...(paths[0]?.within ?? []), region]),
          chosen: ({ region }) => region === chosen_region,
        }),
      ],
      picture,
      table: () => saved_table(columns, listed),
    };
  },
});
function read_path(text: string): string[] {
  try {
    const path: unknown = JSON.parse(text || '[]');
    return Array.isArray(path) ? path.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
