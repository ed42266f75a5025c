// Two models side by side: their one-way times in one picture, and how far apart they are.
import { el } from '../base/dom.ts';
import { digits, seconds } from '../base/format.ts';
import { type At, card, pair } from '../charts/chart.ts';
import { bytes_axis, plot, size_points, time_axis } from '../charts/plot.ts';
import type { Link, Machine } from '../data/types.ts';
import { fitted_s, link_name } from './pingpong.ts';

export function compared_sizes(links: Link[]) {
  const largest = Math.min(...links.map(({ segments }) => segments.at(-1)?.to_bytes ?? segments.at(-1)?.from_bytes ?? 0));
  const sizes = [];
  for (let bytes = 1; bytes <= largest; bytes *= 2 ** 0.25) sizes.push(bytes);
  return sizes;
}

export function machine_comparison(machines: Machine[]) {
  const names = machines.map((machine, i) => machine.name || `machine ${i + 1}`),
    name_of = (i: number) => names[i] ?? '';
  const cards = ['inter', 'intra'].map((place) => {
    const links = machines.flatMap((machine) => machine.links.find((link) => link.between === place && link.segments.length > 0) ?? []);
    const sizes = compared_sizes(links),
      [first, second] = links;
    if (links.length < machines.length || !first || !second || sizes.length < 2) return null;
    return card(
      `Messages ${link_name(place)}`,
      null,
      plot({
        name: `compare-${place}`,
        label: `one-way times ${link_name(place)} of both machines`,
        width: 600,
        height: 330,
        x: bytes_axis,
        y: time_axis('one way'),
        series: links.map((link, i) => ({
          name: name_of(i),
          curve: sizes.map((bytes): At => [bytes, fitted_s(link.segments, bytes)]),
          points: size_points(
            (link.points ?? []).filter((point) => point.median_s > 0),
            name_of(i),
            (point) => point.median_s,
            (point) => [['measured', seconds(point.median_s, 4)]],
          ),
        })),
      }),
      plot({
        name: `ratio-${place}`,
        label: `${names[0]} relative to ${names[1]}`,
        width: 600,
        height: 220,
        x: bytes_axis,
        y: { kind: 'log', label: (value) => '×' + digits(value, 2), title: `${names[0]} : ${names[1]}`, include: [1] },
        series: [
          { name: 'ratio', curve: sizes.map((bytes): At => [bytes, fitted_s(first.segments, bytes) / fitted_s(second.segments, bytes)]) },
        ],
      }),
    );
  });
  return el(
    'section',
    { id: 'comparison' },
    el('h2', {}, names.join(' and ')),
    cards.some(Boolean) ? pair(cards) : el('p', { class: 'note' }, 'The models have no link in common.'),
  );
}
