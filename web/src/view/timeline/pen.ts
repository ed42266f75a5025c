// What is drawn over the pixels of the timeline: on a canvas while looking, as elements of an SVG when it is saved. One drawing, two pens.
import { svg } from '../../base/dom.ts';

export type Align = 'left' | 'center' | 'right';
export interface Pen {
  rect(x: number, y: number, width: number, height: number, fill: string, alpha?: number): void;
  frame(x: number, y: number, width: number, height: number, stroke: string, line: number): void;
  line(x1: number, y1: number, x2: number, y2: number, stroke: string, width: number, alpha?: number, dash?: number[]): void;
  triangle(points: readonly [number, number, number, number, number, number], fill: string): void;
  text(x: number, y: number, text: string, fill: string, align?: Align, bold?: boolean): void;
  width_of(text: string, bold?: boolean): number;
  clip(x: number, y: number, width: number, height: number, draw: () => void): void;
}
const FAMILY = 'system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif';
const font = (bold: boolean) => `${bold ? '600 ' : ''}11px ${FAMILY}`;
const widths = new Map<string, number>();

export class CanvasPen implements Pen {
  private context: CanvasRenderingContext2D;
  private font_set = '';
  constructor(context: CanvasRenderingContext2D) {
    this.context = context;
  }
  rect(x: number, y: number, width: number, height: number, fill: string, alpha = 1) {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }
  frame(x: number, y: number, width: number, height: number, stroke: string, line: number) {
    this.context.strokeStyle = stroke;
    this.context.lineWidth = line;
    this.context.strokeRect(x, y, width, height);
  }
  line(x1: number, y1: number, x2: number, y2: number, stroke: string, width: number, alpha = 1, dash: number[] = []) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.globalAlpha = 1;
  }
  triangle([x1, y1, x2, y2, x3, y3]: readonly [number, number, number, number, number, number], fill: string) {
    const { context } = this;
    context.fillStyle = fill;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.lineTo(x3, y3);
    context.fill();
  }
  private use(bold: boolean) {
    const wanted = font(bold);
    if (this.font_set !== wanted) {
      this.context.font = wanted;
      this.font_set = wanted;
      this.context.textBaseline = 'alphabetic';
    }
  }
  text(x: number, y: number, text: string, fill: string, align: Align = 'left', bold = false) {
    this.use(bold);
    this.context.textAlign = align;
    this.context.fillStyle = fill;
    this.context.fillText(text, x, y);
  }
  width_of(text: string, bold = false) {
    const key = (bold ? 'b' : 'n') + text;
    let width = widths.get(key);
    if (width === undefined) {
      this.use(bold);
      width = this.context.measureText(text).width;
      if (widths.size > 5000) widths.clear();
      widths.set(key, width);
    }
    return width;
  }
  clip(x: number, y: number, width: number, height: number, draw: () => void) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
    this.font_set = '';
  }
}

export class SvgPen implements Pen {
  readonly picture: SVGSVGElement;
  private into: SVGElement;
  private measure: CanvasPen;
  private clips = 0;
  constructor(width: number, height: number, measure: CanvasPen) {
    this.picture = svg('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` });
    this.into = this.picture;
    this.measure = measure;
  }
  image(x: number, y: number, width: number, height: number, href: string) {
    this.into.append(svg('image', { x, y, width, height, href, preserveAspectRatio: 'none' }));
  }
  rect(x: number, y: number, width: number, height: number, fill: string, alpha = 1) {
    this.into.append(svg('rect', { x, y, width, height, fill, 'fill-opacity': alpha === 1 ? null : alpha }));
  }
  frame(x: number, y: number, width: number, height: number, stroke: string, line: number) {
    this.into.append(svg('rect', { x, y, width, height, fill: 'none', stroke, 'stroke-width': line }));
  }
  line(x1: number, y1: number, x2: number, y2: number, stroke: string, width: number, alpha = 1, dash: number[] = []) {
    this.into.append(
      svg('line', {
        x1,
        y1,
        x2,
        y2,
        stroke,
        'stroke-width': width,
        'stroke-opacity': alpha === 1 ? null : alpha,
        'stroke-dasharray': dash.length > 0 ? dash.join(' ') : null,
      }),
    );
  }
  triangle(points: readonly [number, number, number, number, number, number], fill: string) {
    this.into.append(svg('polygon', { points: points.join(' '), fill }));
  }
  text(x: number, y: number, text: string, fill: string, align: Align = 'left', bold = false) {
    const anchor = { left: 'start', center: 'middle', right: 'end' }[align];
    this.into.append(
      svg('text', { x, y, fill, 'text-anchor': anchor, 'font-family': FAMILY, 'font-size': 11, 'font-weight': bold ? 600 : null }, text),
    );
  }
  width_of(text: string, bold = false) {
    return this.measure.width_of(text, bold);
  }
  clip(x: number, y: number, width: number, height: number, draw: () => void) {
    const id = `clip-${++this.clips}`,
      outer = this.into;
    outer.append(svg('clipPath', { id }, svg('rect', { x, y, width, height })));
    this.into = outer.appendChild(svg('g', { 'clip-path': `url(#${id})` }));
    draw();
    this.into = outer;
  }
}
// The longest beginning of a text that fits, with an ellipsis if it is cut; '' when not even three letters do.
export function fitted(pen: Pen, text: string, room: number) {
  if (pen.width_of(text) <= room) return text;
  const letters = Math.floor((room / pen.width_of(text)) * text.length) - 1;
  return letters >= 3 ? text.slice(0, letters) + '\u2026' : '';
}
