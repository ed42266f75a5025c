// Two models side by side: their one-way times in one picture, and how far apart they are.
import { el } from '../base/dom.ts';
import { digits, seconds } from '../base/format.ts';
import { card } from '../charts/chart.ts';
import { bytes_axis, bytes_title, on_log, plot, time_axis } from '../charts/plot.ts';
import { fitted_s, link_name } from './pingpong.ts';

export function compared_sizes(links) {
  const largest = Math.min(...links.map((link) => link.segments.at(-1).to_bytes ?? link.segments.at(-1).from_bytes));
  const sizes = [];
  for (let bytes = 1; bytes <= largest; bytes *= 2 ** 0.25) sizes.push(bytes);
  return sizes;
}

export function machine_comparison(machines) {
  const names = machines.map((machine, i) => machine.name || `machine ${i + 1}`);
  const cards = ['inter', 'intra'].map((place) => {
    const links = machines.map((machine) => machine.links.find((link) => link.between === place && link.segments.length > 0));
    if (links.some((link) => !link)) return null;
    const sizes = compared_sizes(links);
    if (sizes.length < 2) return null;
    const series = links.map((link, i) => ({
      name: names[i],
      curve: sizes.map((bytes) => [bytes, fitted_s(link.segments, bytes)]),
      points: (link.points ?? [])
        .filter((point) => point.median_s > 0)
        .map((point) => ({
          x: on_log(point.bytes),
          y: point.median_s,
          low: point.low_s,
          high: point.high_s,
          title: `${names[i]}, ${bytes_title(point.bytes)}`,
          rows: [['measured', seconds(point.median_s, 4)]],
        })),
    }));
    const [first, second] = links;
    const ratio = sizes.map((bytes) => [bytes, fitted_s(first.segments, bytes) / fitted_s(second.segments, bytes)]);
    return card(
      `Messages ${link_name[place]}`,
      null,
      plot({
        name: `compare-${place}`,
        label: `one-way times ${link_name[place]} of both machines`,
        width: 600,
        height: 330,
        x: { ...bytes_axis },
        y: time_axis('one way'),
        series,
      }),
      plot({
        name: `ratio-${place}`,
        label: `${names[0]} relative to ${names[1]}`,
        width: 600,
        height: 220,
        x: { ...bytes_axis },
        y: { kind: 'log', label: (value) => '×' + digits(value, 2), title: `${names[0]} : ${names[1]}`, include: [1] },
        series: [{ name: 'ratio', curve: ratio }],
      }),
    );
  });
  return el(
    'section',
    { id: 'comparison' },
    el('h2', {}, names.join(' and ')),
    cards.some(Boolean)
      ? el('div', { class: 'pair' }, cards.filter(Boolean))
      : el('p', { class: 'note' }, 'The models have no link in common.'),
  );
}
