// Every pair of ranks: latency and rate as heat maps, hosts apart by borders.
import { el, svg, tip } from '../base/dom.ts';
import { byte_rate_text, median, seconds } from '../base/format.ts';
import { card, heat_grid } from '../charts/chart.ts';
import { bytes_title, walkable } from '../charts/plot.ts';

// So many ranks that their cells would be too small to see are joined, the median of all pairs a cell.
export const most_cells = 64;
export function joined_matrix(matrix, values) {
  const names = Array.isArray(matrix.ranks) ? matrix.ranks : null,
    ranks = names?.length ?? matrix.ranks ?? values.length,
    group = Math.ceil(ranks / most_cells);
  const name = (i) => String(names?.[i * group] ?? i * group);
  if (group <= 1) return { matrix: { ...matrix, ranks }, values, group: 1, name };
  const size = Math.ceil(ranks / group),
    cells = [];
  for (let row = 0; row < size; ++row) {
    cells.push([]);
    for (let column = 0; column < size; ++column) {
      const seen = [];
      for (let r = row * group; r < Math.min((row + 1) * group, ranks); ++r)
        for (let c = column * group; c < Math.min((column + 1) * group, ranks); ++c)
          if (r !== c && typeof values[r]?.[c] === 'number') seen.push(values[r][c]);
      cells[row].push(seen.length > 0 ? median(seen) : null);
    }
  }
  const hosts = (matrix.hosts ?? []).filter((_, i) => i % group === 0);
  return { matrix: { ...matrix, ranks: size, hosts }, values: cells, group, name };
}
export function heat_map(name, label, given_matrix, given_values, text, strong_is) {
  const { matrix, values, group, name: rank_label } = joined_matrix(given_matrix, given_values);
  const ranks = matrix.ranks,
    seen = [];
  const drawn = (row, column) => row !== column || group > 1;
  for (let row = 0; row < ranks; ++row)
    for (let column = 0; column < ranks; ++column) {
      const value = values[row]?.[column];
      if (drawn(row, column) && typeof value === 'number' && value > 0) seen.push(value);
    }
  if (seen.length === 0) return null;
  const least = Math.min(...seen),
    most = Math.max(...seen);
  // Within a host and between hosts are often a hundred times apart: equal factors are equal steps of colour.
  const share = (value) => (most > least ? Math.log(value / least) / Math.log(most / least) : 0.5);
  const hosts = matrix.hosts ?? [];
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
  const stops = [];
  for (let row = 0; row < ranks; ++row)
    for (let column = 0; column < ranks; ++column) {
      const value = values[row]?.[column];
      if (!drawn(row, column) || typeof value !== 'number' || !(value > 0)) continue;
      const node = grid.cell(row, column, share(value), { class: 'heat', 'data-row': row, 'data-column': column });
      const title = `${rank_label(row)} \u2192 ${rank_label(column)}`,
        rows = [[name, text(value)]];
      if (hosts[row] !== undefined) rows.push(['hosts', `${hosts[row]} \u2192 ${hosts[column]}`]);
      stops.push({ node, title, rows });
      picture.append(tip(node, title, rows));
      picture.append(...grid.number(row, column, share(value), text(value)));
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

export function matrix_cards(matrix) {
  if (!matrix) return [];
  const rate = (bytes_per_s) => byte_rate_text(+bytes_per_s.toPrecision(3));
  const latency =
    matrix.latency_s &&
    heat_map('latency', 'one-way time of a small message of every pair of ranks', matrix, matrix.latency_s, (s) => seconds(s), 'slowest');
  const speed = matrix.bytes_per_s && heat_map('rate', 'rate of every pair of ranks', matrix, matrix.bytes_per_s, rate, 'fastest');
  return [
    latency && card(`One-way time of every pair, ${bytes_title(matrix.small_bytes ?? 1)}`, 'software and bytes included', latency),
    speed && card(`Rate of every pair, ${bytes_title(matrix.large_bytes ?? 0)}`, null, speed),
  ].filter(Boolean);
}
