// What the charts share: the four parts of a rank's time, legends, axes.
const parts = [
  {key: 'compute', name: 'compute', about: 'the program\'s own work'},
  {key: 'library', name: 'library', about: 'inside MPI, not waiting'},
  {
    key: 'algorithmic',
    name: 'blocked, algorithmic',
    about: 'waiting before the partner had begun to send: no wire shortens it'
  },
  {
    key: 'service',
    name: 'blocked, service',
    about: 'waiting while the message was on its way: a faster wire shortens it'
  },
];

const swatch = (name) => el('span', {class: 'swatch', style: `background: var(--${name})`});
const parts_legend = (...more) =>
    el('div', {class: 'legend'},
       parts.map((part) => el('span', {class: 'key', title: part.about}, swatch(part.key), part.name)), more);

function card(title, note, ...children) {
  return el('div', {class: 'card'}, el('h3', {}, title), note && el('p', {class: 'note'}, note), children);
}

const linear = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
const logarithmic = (low, high, from, to) => {
  const scale = linear(Math.log(low), Math.log(high), from, to);
  return (value) => scale(Math.log(value));
};

// A frame with grid, ticks and axis titles. x_ticks, y_ticks: [value, label].
function frame(width, height, margin, x, y, x_ticks, y_ticks, x_title, y_title) {
  const bottom = height - margin.bottom, right = width - margin.right;
  return [
    y_ticks.map(
        ([value, label]) =>
            [svg('line', {class: 'grid', x1: margin.left, x2: right, y1: y(value), y2: y(value)}),
             svg('text', {class: 'tick', x: margin.left - 8, y: y(value) + 4, 'text-anchor': 'end'}, label),
  ]),
    x_ticks.map(
        ([value, label]) =>
            [svg('line', {class: 'grid', x1: x(value), x2: x(value), y1: margin.top, y2: bottom}),
             svg('text', {class: 'tick', x: x(value), y: bottom + 17, 'text-anchor': 'middle'}, label),
  ]),
    svg('line', {class: 'axis', x1: margin.left, x2: right, y1: bottom, y2: bottom}),
    x_title && svg('text', {x: (margin.left + right) / 2, y: bottom + 36, 'text-anchor': 'middle'}, x_title),
    y_title &&
        svg('text', {x: margin.left - 8, y: margin.top - 10, 'text-anchor': 'start', dx: -margin.left + 10},
            y_title),
  ];
}
const chart = (width, height, label, ...children) => svg(
    'svg', {viewBox: `0 0 ${width} ${height}`, width: '100%', role: 'img', 'aria-label': label}, children);
