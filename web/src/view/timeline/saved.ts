// The timeline as an SVG: its pixels as one picture, all else as shapes and letters.
import { CanvasPen, SvgPen } from './pen.ts';
import { draw_marks, draw_over, type Scene } from './scene.ts';

export function picture_of(scene: Scene, width: number, height: number, measured: HTMLCanvasElement) {
  const context = measured.getContext('2d');
  if (!context) throw new Error('this browser draws on no canvas');
  const pen = new SvgPen(width, height, new CanvasPen(context));
  pen.rect(0, 0, width, height, scene.palette.paper);
  for (const lane of scene.lanes) {
    const colours = scene.colours.get(lane),
      { left, top, ratio } = lane.place,
      canvas = document.createElement('canvas');
    canvas.width = Math.round(lane.place.width * ratio);
    canvas.height = Math.round(lane.place.height * ratio);
    const own = canvas.getContext('2d');
    if (!colours || !own) continue;
    lane.paint_at(own, colours, 0, 0);
    pen.image(left, top, lane.place.width, lane.place.height, canvas.toDataURL('image/png'));
  }
  draw_marks(pen, scene, width, height);
  draw_over(pen, { ...scene, hover: null });
  return pen.picture;
}
