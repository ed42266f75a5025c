// A canvas of a size in pixels of the page, sharp on fine screens.
import { el } from '../../base/dom.ts';

export interface Surface {
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
}
export function canvas_of(width: number, height: number, label: string): Surface {
  const ratio = Math.max(1, devicePixelRatio || 1),
    canvas = el('canvas', {
      width: Math.round(width * ratio),
      height: Math.round(height * ratio),
      role: 'img',
      'aria-label': label,
      tabindex: 0,
    }),
    context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws on no canvas');
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = '12px system-ui, sans-serif';
  return { canvas, context };
}
