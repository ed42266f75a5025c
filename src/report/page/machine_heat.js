// Every pair of ranks: latency and rate as heat maps, hosts apart by borders.
function heat_map(name, label, matrix, values, text, dark_is) {
  const ranks = matrix.ranks ?? values.length, seen = [];
  for (let row = 0; row < ranks; ++row)
    for (let column = 0; column < ranks; ++column) {
      const value = values[row]?.[column];
      if (row !== column && typeof value === 'number' && value > 0) seen.push(value);
    }
  if (seen.length === 0) return null;
  const least = Math.min(...seen), most = Math.max(...seen);
  // Within a host and between hosts are often a hundred times apart: equal factors are equal steps of colour.
  const share = (value) => (most > least ? Math.log(value / least) / Math.log(most / least) : 0.5);
  const hosts = matrix.hosts ?? [];
  const left = 52, top = 50, size = Math.max(5, Math.min(64, 400 / ranks)), width = left + ranks * size + 10,
        height = top + ranks * size + 10, every = Math.ceil(16 / size);
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    role: 'img',
    'aria-label': label,
    'data-chart': name,
    'data-low': least,
    'data-high': most
  });
  picture.append(
      svg('text', {x: left, y: 12}, 'received by rank'), svg('text', {x: 0, y: top - 8}, 'sent by'));
  for (let i = 0; i < ranks; i += every)
    picture.append(
        svg('text', {x: left + (i + 0.5) * size, y: top - 7, 'text-anchor': 'middle'}, String(i)),
        svg('text', {x: left - 8, y: top + (i + 0.5) * size + 4, 'text-anchor': 'end'}, String(i)));
  const stops = [];
  for (let row = 0; row < ranks; ++row)
    for (let column = 0; column < ranks; ++column) {
      const value = values[row]?.[column];
      if (row === column || typeof value !== 'number' || !(value > 0)) continue;
      const filled = share(value), gap = size > 12 ? 1 : 0;
      const node = svg('rect', {
        class: 'heat',
        'data-row': row,
        'data-column': column,
        x: left + column * size + gap,
        y: top + row * size + gap,
        width: size - 2 * gap,
        height: size - 2 * gap,
        style: `fill: color-mix(in oklab, var(--heat-high) ${(filled * 100).toFixed(1)}%, var(--heat-low))`
      });
      const title = `${row} \u2192 ${column}`, rows = [[name, text(value)]];
      if (hosts[row] !== undefined) rows.push(['hosts', `${hosts[row]} \u2192 ${hosts[column]}`]);
      stops.push({node, title, rows});
      picture.append(tip(node, title, rows));
      if (size >= 46)
        picture.append(
            svg('text', {
              x: left + (column + 0.5) * size,
              y: top + (row + 0.5) * size + 4,
              'text-anchor': 'middle',
              style: `pointer-events: none; font-size: 10.5px; fill: var(--${filled > 0.5 ? 'paper' : 'ink'})`
            },
                text(value)));
    }
  for (let i = 1; i < ranks; ++i) {
    if (hosts[i] === hosts[i - 1]) continue;
    const at = i * size, line = {class: 'host', 'data-rank': i, stroke: 'var(--ink)', 'stroke-width': 1.6};
    picture.append(
        svg('line', {...line, x1: left + at, x2: left + at, y1: top, y2: top + ranks * size}),
        svg('line', {...line, x1: left, x2: left + ranks * size, y1: top + at, y2: top + at}));
  }
  for (let begin = 0; begin < ranks && hosts.length > 0;) {
    let end = begin + 1;
    while (end < ranks && hosts[end] === hosts[begin]) ++end;
    if ((end - begin) * size >= 7 * String(hosts[begin]).length)
      picture.append(
          svg('text', {class: 'strong', x: left + ((begin + end) / 2) * size, y: 30, 'text-anchor': 'middle'},
              String(hosts[begin])));
    begin = end;
  }
  return el(
      'div', {}, el('p', {class: 'note'}, `${text(least)} to ${text(most)}; the darkest is the ${dark_is}.`),
      walkable(picture, stops));
}

function matrix_cards(matrix) {
  if (!matrix) return [];
  const rate = (bytes_per_s) => `${bytes_text(+bytes_per_s.toPrecision(3))}/s`;
  const latency = matrix.latency_s &&
      heat_map('latency', 'latency of every pair of ranks', matrix, matrix.latency_s, (s) => seconds(s),
               'slowest');
  const speed = matrix.bytes_per_s &&
      heat_map('rate', 'rate of every pair of ranks', matrix, matrix.bytes_per_s, rate, 'fastest');
  return [
    latency && card(`Latency of every pair, ${bytes_title(matrix.small_bytes ?? 1)}`, null, latency),
    speed && card(`Rate of every pair, ${bytes_title(matrix.large_bytes ?? 0)}`, null, speed)
  ].filter(Boolean);
}
