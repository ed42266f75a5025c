// Asks for the tiles of the first picture while the page is still being laid out, by an estimate of the room that it will have: what was
// estimated wrongly is asked for again by the timeline itself.
import type { View } from '../display.ts';
import { LANE_HEAD_PX, Lane } from './lane.ts';
import { AXIS_PX, GUTTER_PX } from './scene.ts';

const BESIDE_PX = 14, // borders, and the bar of rows
  ABOVE_PX = 94; // the pane's head, the legend, the strip of all

// width, height: of the pane.
export function ask_ahead({ traces, window, look }: Pick<View, 'traces' | 'window' | 'look'>, width: number, height: number) {
  const several = traces.length > 1,
    room = (height - ABOVE_PX - AXIS_PX) / traces.length - (several ? LANE_HEAD_PX : 0);
  for (const trace of traces) {
    const lane = new Lane(trace);
    lane.lay_out(
      {
        left: 0,
        top: 0,
        width: Math.max(20, width - GUTTER_PX - BESIDE_PX),
        height: Math.max(8, room),
        ratio: Math.max(1, devicePixelRatio || 1),
      },
      window,
      look.rows,
    );
    lane.find_missing();
    trace.tiles.want(lane.missing, lane.later);
  }
}
