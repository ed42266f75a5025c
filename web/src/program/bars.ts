// Each rank's time as a bar of compute, library and the two kinds of blocking.
import { svg, tip } from '../base/dom.ts';
import { axis_time, percent, round_step, seconds, ticks } from '../base/format.ts';
import { card, chart, frame, linear, parts, parts_legend } from '../charts/chart.ts';

export function rank_bars(study) {
  const ranks = study.report.ranks,
    most_bars = 128;
  const group = Math.ceil(ranks.length / most_bars),
    rows = [];
  for (let first = 0; first < ranks.length; first += group) {
    const members = ranks.slice(first, first + group);
    const mean = (key) => members.reduce((sum, rank) => sum + rank[key], 0) / members.length;
    rows.push({
      label: group === 1 ? `rank ${members[0].rank}` : `${members[0].rank}\u2013${members.at(-1).rank}`,
      elapsed: mean('elapsed_s'),
      compute: mean('compute_s'),
      library: mean('library_s'),
      algorithmic: mean('blocked_algorithmic_s'),
      service: mean('blocked_service_s'),
    });
  }
  const width = 560,
    left = 74,
    right = 12,
    top = 8,
    pitch = rows.length <= 16 ? 28 : rows.length <= 48 ? 16 : 9,
    bar = pitch - (pitch > 12 ? 7 : 2);
  const height = top + rows.length * pitch + 44;
  const longest = Math.max(...rows.map((row) => row.elapsed), 1e-12);
  const x = linear(0, longest, left, width - right),
    marks = ticks(0, longest, 5),
    step = round_step(longest, 5);
  const label_every = Math.ceil(13 / pitch);
  const bars = rows.map((row, i) => {
    let at = 0;
    const y = top + i * pitch;
    return [
      i % label_every === 0 && svg('text', { x: left - 8, y: y + bar / 2 + 4, 'text-anchor': 'end' }, row.label),
      parts.map((part) => {
        const from = at;
        at += row[part.key];
        if (!(row[part.key] > 0)) return null;
        const rect = svg('rect', {
          class: 'part',
          'data-part': part.key,
          x: x(from),
          y,
          width: x(at) - x(from),
          height: bar,
          fill: `var(--${part.key})`,
        });
        return tip(rect, `${row.label}: ${part.name}`, [
          ['time', seconds(row[part.key])],
          ['share', percent(row[part.key] / row.elapsed)],
        ]);
      }),
    ];
  });
  const totals = parts.map((part) => rows.reduce((sum, row) => sum + row[part.key], 0)),
    all = totals.reduce((a, b) => a + b, 0) || 1;
  return card(
    "Where each rank's time goes",
    "Of all ranks' time: " +
      parts
        .map((part, i) => `${percent(totals[i] / all, totals[i] / all < 0.1 ? 1 : 0)} ${part.name.replace('blocked, ', 'blocked ')}`)
        .join(', ') +
      (group > 1 ? `; each bar is the mean of ${group} ranks.` : '.'),
    parts_legend(),
    chart(
      width,
      height,
      'time of each rank',
      frame(
        width,
        height,
        { left, right, top, bottom: 44 },
        x,
        (value) => value,
        marks.map((mark) => [mark, axis_time(mark, step)]),
        [],
        '',
        '',
      ),
      bars,
    ),
  );
}
