// Who sends how much to whom, point-to-point.
function peer_matrix(study, peers) {
  const ranks = study.report?.ranks?.length ??
      1 + Math.max(...peers.map((peer) => Math.max(peer.source, peer.destination)));
  const group = Math.ceil(ranks / 64), size = Math.ceil(ranks / group);
  const cells = new Map();
  for (const peer of peers) {
    const key = Math.floor(peer.source / group) * size + Math.floor(peer.destination / group);
    const cell = cells.get(key) ?? {messages: 0, bytes: 0};
    cell.messages += peer.messages;
    cell.bytes += peer.bytes;
    cells.set(key, cell);
  }
  const label = (index) =>
      (group === 1 ? String(index) : `${index * group}\u2013${Math.min(ranks, (index + 1) * group) - 1}`);
  const left = 52, top = 34, cell_size = Math.max(6, Math.min(88, 384 / size)),
        width = left + size * cell_size + 10, height = top + size * cell_size + 8;
  const holder = el('div', {class: 'matrix'}), grid = heat_grid(left, top, cell_size);
  const draw = (kind) => {
    const most = Math.max(...[...cells.values()].map((cell) => cell[kind]), 1);
    const picture = svg(
        'svg',
        {viewBox: `0 0 ${width} ${height}`, width, role: 'img', 'aria-label': `who sends to whom, ${kind}`});
    picture.append(
        svg('text', {x: left, y: 12}, 'to rank'), svg('text', {x: 0, y: top - 8}, 'from'), svg('rect', {
          x: left,
          y: top,
          width: size * cell_size,
          height: size * cell_size,
          fill: 'none',
          class: 'axis'
        }));
    picture.append(...grid.labels(size, label));
    for (const [key, cell] of cells) {
      const row = Math.floor(key / size), column = key % size, share = cell[kind] / most,
            rect = grid.cell(row, column, share, {class: 'cell', rx: cell_size > 12 ? 3 : 0});
      picture.append(tip(rect, `${label(row)} \u2192 ${label(column)}`, [
        ['messages', count_text(cell.messages)], ['bytes', bytes_text(cell.bytes)],
        ['mean size', bytes_text(Math.round(cell.bytes / Math.max(cell.messages, 1)))]
      ]));
      picture.append(...grid.number(
          row, column, share, kind === 'bytes' ? bytes_text(cell.bytes) : count_text(cell.messages)));
    }
    holder.replaceChildren(picture);
    for (const [name, button] of Object.entries(buttons))
      button.setAttribute('aria-pressed', String(name === kind));
  };
  const buttons = Object.fromEntries(['bytes', 'messages'].map(
      (kind) => [kind, el('button', {type: 'button', onclick: () => draw(kind)}, kind)]));
  const total = peers.reduce(
      (sum, peer) => ({messages: sum.messages + peer.messages, bytes: sum.bytes + peer.bytes}),
      {messages: 0, bytes: 0});
  const node = card(
      'Who sends to whom',
      `${count_text(total.messages)} point-to-point messages, ${
          bytes_text(total.bytes)}; the darkest cell has the most.` +
          (group > 1 ? ` Each cell joins ${group} by ${group} ranks.` : ''),
      el('div', {class: 'legend'}, 'show', Object.values(buttons)), holder);
  draw('bytes');
  return node;
}
