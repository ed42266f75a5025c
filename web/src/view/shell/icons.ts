// The few signs of the viewer's buttons, drawn on 16 x 16.
import { svg } from '../../base/dom.ts';

const paths = {
  play: 'M5 3v10l8-5z',
  pause: 'M4.5 3h2.5v10h-2.5zM9 3h2.5v10h-2.5z',
  next: 'M4 3v10l6-5zM10.5 3h1.8v10h-1.8z',
  previous: 'M12 3v10l-6-5zM3.7 3h1.8v10h-1.8z',
  backwards: 'M11 3v10l-8-5z',
  undo: 'M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7h-3',
  redo: 'M10 3l3.5 3.5L10 10M13 6.5h-6.5a3.5 3.5 0 0 0 0 7h3',
  close: 'M4 4l8 8M12 4l-8 8',
  beside: 'M2.5 3.5h11v9h-11zM8 3.5v9',
  below: 'M2.5 3.5h11v9h-11zM2.5 8h11',
  whole: 'M9.5 3H13v3.5M6.5 13H3V9.5M13 3 9 7M3 13l4-4',
  save: 'M8 2.5v7M5 7l3 3 3-3M3 12.5h10',
  search: 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.5 3.5',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  help: 'M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 11.9v.6',
  warn: 'M8 2.5 14 13H2zM8 6.5v3M8 11v.6',
  add: 'M8 3.5v9M3.5 8h9',
  unfold: 'M5.5 3.5 10 8l-4.5 4.5',
  fold: 'M3.5 5.5 8 10l4.5-4.5',
  run: 'M2.5 3.5h11v9h-11zM4.8 6l2 2-2 2M8.5 10.2h3',
  link: 'M6.5 9.5l3-3M7 5l1.6-1.6a2.4 2.4 0 0 1 3.4 3.4L10.5 8.5M9 11l-1.6 1.6A2.4 2.4 0 0 1 4 9.2L5.5 7.5',
} as const;
export type Icon = keyof typeof paths;
const filled = new Set<Icon>(['play', 'pause', 'next', 'previous', 'backwards']);

export const icon = (name: Icon) =>
  svg(
    'svg',
    { viewBox: '0 0 16 16', width: 16, height: 16, class: filled.has(name) ? 'icon filled' : 'icon', 'aria-hidden': 'true' },
    svg('path', { d: paths[name] }),
  );
