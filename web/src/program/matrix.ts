// Who sends how much to whom: messages, and what collectives carry, apart and together.
import { max, sum } from 'd3-array';
import { choice, el, svg, tip } from '../base/dom.ts';
import { bytes_text, count_text } from '../base/format.ts';
import { card, heat_grid } from '../charts/chart.ts';
import type { Peer, Study } from '../data/types.ts';

export function peer_matrix(study: Study, peers: Peer[]) {
  const ranks = study.report?.ranks.length ?? 1 + (max(peers, (peer) => Math.max(peer.source, peer.destination)) ?? 0);
  const group = Math.ceil(ranks / 64),
    size = Math.ceil(ranks / group);
  const cells = new Map<number, { messages: number; bytes: number; collectives: number; together: number }>();
  for (const peer of peers) {
    const key = Math.floor(peer.source / group) * size + Math.floor(peer.destination / group);
    const cell = cells.get(key) ?? { messages: 0, bytes: 0, collectives: 0, together: 0 };
    cell.messages += peer.messages;
    cell.bytes += peer.bytes;
    cell.collectives += peer.collective_bytes ?? 0;
    cell.together = cell.bytes + cell.collectives;
    cells.set(key, cell);
  }
  const label = (index: number) => (group === 1 ? String(index) : `${index * group}\u2013${Math.min(ranks, (index + 1) * group) - 1}`);
  const left = 52,
    top = 34,
    cell_size = Math.max(6, Math.min(88, 384 / size)),
    width = left + size * cell_size + 10,
    height = top + size * cell_size + 8;
  const holder = el('div', { class: 'matrix' }),
    grid = heat_grid(left, top, cell_size);
  const draw = (kind: 'bytes' | 'messages' | 'collectives' | 'together') => {
    const most = Math.max(max(cells.values(), (cell) => cell[kind]) ?? 0, 1);
    const drawn = [...cells].map(([key, cell]) => {
      if (cell[kind] === 0) return null;
      const row = Math.floor(key / size),
        column = key % size,
        share = cell[kind] / most;
      return [
        tip(grid.cell(row, column, share, { class: 'cell', rx: cell_size > 12 ? 3 : 0 }), `${label(row)} \u2192 ${label(column)}`, [
          ['messages', count_text(cell.messages)],
          ['bytes', bytes_text(cell.bytes)],
          ['mean size', bytes_text(Math.round(cell.bytes / Math.max(cell.messages, 1)))],
          ['by collectives', bytes_text(cell.collectives)],
        ]),
        grid.number(row, column, share, kind === 'messages' ? count_text(cell.messages) : bytes_text(cell[kind])),
      ];
    });
    holder.replaceChildren(
      svg(
        'svg',
        {
          class: size > 4 ? 'chart' : '',
          viewBox: `0 0 ${width} ${height}`,
          width,
          role: 'img',
          'aria-label': `who sends to whom, ${kind}`,
        },
        svg('text', { x: left, y: 12 }, 'to rank'),
        svg('text', { x: 0, y: top - 8 }, 'from'),
        svg('rect', { x: left, y: top, width: size * cell_size, height: size * cell_size, fill: 'none', class: 'axis' }),
        grid.labels(size, label),
        drawn,
      ),
    );
  };
  const messages = sum(peers, (peer) => peer.messages),
    collectives = sum(peers, (peer) => peer.collective_bytes ?? 0),
    combined = study.report?.combined_bytes ?? 0;
  return card(
    'Who sends to whom',
    `${count_text(messages)} point-to-point messages, ${bytes_text(sum(peers, (peer) => peer.bytes))}` +
      (collectives > 0
        ? `; ${bytes_text(collectives)} carried by collectives (what the program gave them for that rank, its own part included, not the hops of the library's algorithm)`
        : '') +
      (combined > 0 ? `; ${bytes_text(combined)} went into reductions for several ranks and belongs to no pair` : '') +
      '. The darkest cell has the most.' +
      (group > 1 ? ` Each cell joins ${group} by ${group} ranks.` : ''),
    choice(
      'show',
      [
        ...(messages > 0 ? (['bytes', 'messages'] as const) : []),
        ...(collectives > 0 ? (['collectives'] as const) : []),
        ...(messages > 0 && collectives > 0 ? (['together'] as const) : []),
      ],
      draw,
    ),
    holder,
  );
}
