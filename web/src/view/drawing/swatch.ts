// A square of a colour, for legends.
import { svg } from '../../base/dom.ts';

export const swatch = (colour: string) =>
  svg(
    'svg',
    { class: 'swatch', width: 12, height: 12, 'aria-hidden': 'true' },
    svg('rect', { width: 12, height: 12, rx: 2, fill: colour }),
  );
