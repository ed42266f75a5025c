// Each rank's time as a bar of compute, library and the two kinds of blocking.
import { max, mean, range, sum, tickStep, ticks } from 'd3-array';
import { svg, tip } from '../base/dom.ts';
import { axis_time, percent, seconds } from '../base/format.ts';
import { card, chart, frame, linear, parts, parts_legend } from '../charts/chart.ts';
import type { RankTimes } from '../data/types.ts';

const most_bars = 128;
const key_of = { compute: 'compute_s', library: 'library_s', algorithmic: 'blocked_algorithmic_s', service: 'blocked_service_s' } as const;

export function rank_bars(ranks: RankTimes[]) {
  const group = Math.ceil(ranks.length / most_bars);
  const rows = range(0, ranks.length, group).map((first) => {
    const members = ranks.slice(first, first + group),
      mean_of = (key: 'elapsed_s' | (typeof key_of)[keyof typeof key_of]) => mean(members, (rank) => rank[key]) ?? 0;
    return {
      label: group === 1 ? `rank ${members[0]?.rank}` : `${members[0]?.rank}\u2013${members.at(-1)?.rank}`,
      elapsed: mean_of('elapsed_s'),
      parts: parts.map((part) => ({ ...part, time_s: mean_of(key_of[part.key]) })),
    };
  });
  const width = 560,
    left = 74,
    right = width - 12,
    top = 8,
    pitch = rows.length <= 16 ? 28 : rows.length <= 48 ? 16 : 9,
    bar = pitch - (pitch > 12 ? 7 : 2),
    bottom = top + rows.length * pitch;
  const longest = Math.max(max(rows, (row) => row.elapsed) ?? 0, 1e-12),
    x = linear(0, longest, left, right),
    step = tickStep(0, longest, 5),
    label_every = Math.ceil(13 / pitch);
  const bars = rows.map((row, i) => {
    let at = 0;
    const y = top + i * pitch;
    return [
      i % label_every === 0 && svg('text', { x: left - 8, y: y + bar / 2 + 4, 'text-anchor': 'end' }, row.label),
      row.parts.map(({ key, name, time_s }) => {
        const from = at;
        at += time_s;
        if (!(time_s > 0)) return null;
        const rect = svg('rect', {
          class: 'part',
          'data-part': key,
          x: x(from),
          y,
          width: x(at) - x(from),
          height: bar,
          fill: `var(--${key})`,
        });
        return tip(rect, `${row.label}: ${name}`, [
          ['time', seconds(time_s)],
          ['share', percent(time_s / row.elapsed)],
        ]);
      }),
    ];
  });
  const totals = parts.map(({ name }, i) => ({ name: name.replace(',', ''), time_s: sum(rows, (row) => row.parts[i]?.time_s) })),
    all = sum(totals, (total) => total.time_s) || 1;
  return card(
    "Where each rank's time goes",
    "Of all ranks' time: " +
      totals.map(({ name, time_s }) => `${percent(time_s / all, time_s / all < 0.1 ? 1 : 0)} ${name}`).join(', ') +
      (group > 1 ? `; each bar is the mean of ${group} ranks.` : '.'),
    parts_legend(),
    chart(
      width,
      bottom + 44,
      'time of each rank',
      {},
      frame(
        x,
        linear(0, 1, bottom, top),
        ticks(0, longest, 5).map((mark) => [mark, axis_time(mark, step)]),
        [],
      ),
      bars,
    ),
  );
}
