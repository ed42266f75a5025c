// Every pair of ranks: latency and rate as heat maps, hosts apart by borders.
import { extent, median } from 'd3-array';
import { type Child, el, fill, type Row, svg, tip } from '../base/dom.ts';
import { byte_rate_text, seconds } from '../base/format.ts';
import { card, heat_grid, type Stop, walkable } from '../charts/chart.ts';
import { bytes_title } from '../charts/plot.ts';
import type { PairMatrix, Table } from '../data/types.ts';

// So many ranks that their cells would be too small to see are joined, the median of all pairs a cell.
const most_cells = 64;
export function joined_matrix(matrix: PairMatrix, table: Table) {
  const names = Array.isArray(matrix.ranks) ? matrix.ranks : null,
    all = names?.length ?? (typeof matrix.ranks === 'number' ? matrix.ranks : table.length),
    group = Math.ceil(all / most_cells),
    ranks = group > 1 ? Math.ceil(all / group) : all;
  // A rank and itself are no pair, but where several are joined.
  const value = (row: number, column: number) => {
    if (group <= 1) return row === column ? undefined : table[row]?.[column];
    const seen = [];
    for (let r = row * group; r < Math.min((row + 1) * group, all); ++r)
      for (let c = column * group; c < Math.min((column + 1) * group, all); ++c) if (r !== c) seen.push(table[r]?.[c]);
    return median(seen);
  };
  const cells = [];
  for (let row = 0; row < ranks; ++row)
    for (let column = 0; column < ranks; ++column) {
      const seen = value(row, column);
      if (typeof seen === 'number' && seen > 0) cells.push({ row, column, value: seen });
    }
  const hosts = (matrix.hosts ?? []).filter((_, i) => i % Math.max(group, 1) === 0);
  return { ranks, cells, group, hosts, name: (i: number) => String(names?.[i * group] ?? i * group) };
}
function heat_map(
  name: string,
  label: string,
  matrix: PairMatrix,
  table: Table,
  text: (value: number) => string,
  strong_is: string,
): Child {
  const { ranks, cells, group, hosts, name: rank_label } = joined_matrix(matrix, table);
  const [least, most] = extent(cells, (cell) => cell.value);
  if (least === undefined || most === undefined) return null;
  // Within a host and between hosts are often a hundred times apart: equal factors are equal steps of colour.
  const share = (value: number) => (most > least ? Math.log(value / least) / Math.log(most / least) : 0.5);
  const left = 52,
    top = 50,
    size = Math.max(5, Math.min(64, 400 / ranks)),
    width = left + ranks * size + 10,
    height = top + ranks * size + 10,
    grid = heat_grid(left, top, size);
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    role: 'img',
    'aria-label': label,
    'data-chart': name,
    'data-low': least,
    'data-high': most,
  });
  picture.append(svg('text', { x: left, y: 12 }, 'received by rank'), svg('text', { x: 0, y: top - 8 }, 'sent by'));
  picture.append(...grid.labels(ranks, rank_label));
  const stops: Stop[] = [];
  for (const { row, column, value } of cells) {
    const node = grid.cell(row, column, share(value), { class: 'heat', 'data-row': row, 'data-column': column }),
      title = `${rank_label(row)} \u2192 ${rank_label(column)}`,
      rows: Row[] = [[name, text(value)]];
    if (hosts[row] !== undefined) rows.push(['hosts', `${hosts[row]} \u2192 ${hosts[column]}`]);
    stops.push({ node, title, rows });
    fill(picture, {}, [tip(node, title, rows), grid.number(row, column, share(value), text(value))]);
  }
  for (let i = 1; i < ranks; ++i) {
    if (hosts[i] === hosts[i - 1]) continue;
    const at = i * size,
      line = { class: 'host', 'data-rank': i, stroke: 'var(--ink)', 'stroke-width': 1.6 };
    picture.append(
      svg('line', { ...line, x1: left + at, x2: left + at, y1: top, y2: top + ranks * size }),
      svg('line', { ...line, x1: left, x2: left + ranks * size, y1: top + at, y2: top + at }),
    );
  }
  for (let begin = 0; begin < ranks && hosts.length > 0; ) {
    let end = begin + 1;
    while (end < ranks && hosts[end] === hosts[begin]) ++end;
    if ((end - begin) * size >= 7 * String(hosts[begin]).length)
      picture.append(
        svg('text', { class: 'strong', x: left + ((begin + end) / 2) * size, y: 30, 'text-anchor': 'middle' }, String(hosts[begin])),
      );
    begin = end;
  }
  return el(
    'div',
    {},
    el(
      'p',
      { class: 'note' },
      `${text(least)} to ${text(most)}; the strongest colour is the ${strong_is}.` +
        (group > 1 ? ` Each cell is the median of ${group} by ${group} ranks.` : ''),
    ),
    walkable(picture, stops),
  );
}

export function matrix_cards(matrix: PairMatrix | null | undefined): Child {
  if (!matrix) return null;
  const rate = (bytes_per_s: number) => byte_rate_text(+bytes_per_s.toPrecision(3));
  const latency =
    matrix.latency_s &&
    heat_map('latency', 'one-way time of a small message of every pair of ranks', matrix, matrix.latency_s, (s) => seconds(s), 'slowest');
  const speed = matrix.bytes_per_s && heat_map('rate', 'rate of every pair of ranks', matrix, matrix.bytes_per_s, rate, 'fastest');
  return [
    latency && card(`One-way time of every pair, ${bytes_title(matrix.small_bytes ?? 1)}`, 'software and bytes included', latency),
    speed && card(`Rate of every pair, ${bytes_title(matrix.large_bytes ?? 0)}`, null, speed),
  ];
}
