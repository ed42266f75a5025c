// What the charts share: the four parts of a rank's time, legends, axes.
import { el, svg } from '../base/dom.ts';

export const parts = [
  { key: 'compute', name: 'compute', about: "the program's own work" },
  { key: 'library', name: 'library', about: 'inside MPI, not waiting' },
  { key: 'algorithmic', name: 'blocked, algorithmic', about: 'waiting before the partner had begun to send: no wire shortens it' },
  { key: 'service', name: 'blocked, service', about: 'waiting while the message was on its way: a faster wire shortens it' },
];

export const swatch = (name) => el('span', { class: 'swatch', style: `background: var(--${name})` });
export const parts_legend = (...more) =>
  el(
    'div',
    { class: 'legend' },
    parts.map((part) => el('span', { class: 'key', title: part.about }, swatch(part.key), part.name)),
    more,
  );

export function card(title, note, ...children) {
  return el('div', { class: 'card' }, el('h3', {}, title), note && el('p', { class: 'note' }, note), children);
}

export const linear = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
export const logarithmic = (low, high, from, to) => {
  const scale = linear(Math.log(low), Math.log(high), from, to);
  return (value) => scale(Math.log(value));
};

// A frame with grid, ticks and axis titles. x_ticks, y_ticks: [value, label].
export function frame(width, height, margin, x, y, x_ticks, y_ticks, x_title, y_title) {
  const bottom = height - margin.bottom,
    right = width - margin.right;
  return [
    y_ticks.map(([value, label]) => [
      svg('line', { class: 'grid', x1: margin.left, x2: right, y1: y(value), y2: y(value) }),
      svg('text', { class: 'tick', x: margin.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, label),
    ]),
    x_ticks.map(([value, label]) => [
      svg('line', { class: 'grid', x1: x(value), x2: x(value), y1: margin.top, y2: bottom }),
      svg('text', { class: 'tick', x: x(value), y: bottom + 17, 'text-anchor': 'middle' }, label),
    ]),
    svg('line', { class: 'axis', x1: margin.left, x2: right, y1: bottom, y2: bottom }),
    x_title && svg('text', { x: (margin.left + right) / 2, y: bottom + 36, 'text-anchor': 'middle' }, x_title),
    y_title && svg('text', { x: margin.left - 8, y: margin.top - 10, 'text-anchor': 'start', dx: -margin.left + 10 }, y_title),
  ];
}
export const chart = (width, height, label, ...children) =>
  svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, width: '100%', role: 'img', 'aria-label': label }, children);

// Pairs of ranks as a square of cells whose colour is their share of the strongest: the labels of `count`
// rows and columns, as many as there is room for, a cell, and its number where there is room.
export function heat_grid(left, top, size) {
  const across = (column) => left + (column + 0.5) * size,
    down = (row) => top + (row + 0.5) * size;
  const gap = size > 12 ? 1 : 0;
  return {
    labels(count, label) {
      const list = [];
      for (let i = 0; i < count; i += Math.ceil(16 / size))
        list.push(
          svg('text', { x: across(i), y: top - 7, 'text-anchor': 'middle' }, label(i)),
          svg('text', { x: left - 8, y: down(i) + 4, 'text-anchor': 'end' }, label(i)),
        );
      return list;
    },
    cell: (row, column, share, more) =>
      svg('rect', {
        x: left + column * size + gap,
        y: top + row * size + gap,
        width: size - 2 * gap,
        height: size - 2 * gap,
        style: `fill: color-mix(in oklab, var(--heat-high) ${(share * 100).toFixed(1)}%, var(--heat-low))`,
        ...more,
      }),
    number: (row, column, share, text) =>
      size < 46
        ? []
        : [
            svg(
              'text',
              {
                x: across(column),
                y: down(row) + 4,
                'text-anchor': 'middle',
                style: `pointer-events: none; font-size: ${size < 50 ? 10.5 : 11.5}px; fill: var(--${share > 0.5 ? 'paper' : 'ink'})`,
              },
              text,
            ),
          ],
  };
}
