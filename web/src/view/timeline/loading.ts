// Which single calls and messages a lane shows: asked for once a window has come to rest, for a little more than is seen, and kept until
// the window leaves it.
import type { View } from '../display.ts';
import type { Window } from './geometry.ts';
import type { Lane, Loaded } from './lane.ts';
import { LEAST_ROW_PX } from './lane.ts';

export const MOST_CALLS = 6000,
  MOST_LINES = 500,
  CALLS_FROM_ROW_PX = 8;

const within = (inner: Window, outer: Window) => inner[0] >= outer[0] && inner[1] <= outer[1];
const wider = ([from, to]: Window, share: number): Window => [from - (to - from) * share, to + (to - from) * share];
// Enough for what is seen: around it, and where only the longest are listed, not for a much narrower window.
function serves(loaded: Loaded<{ count: number; all: number }> | null, window: Window, ranks: Window) {
  if (!loaded || !within(window, loaded.window) || !within(ranks, loaded.ranks)) return false;
  return loaded.list.count >= loaded.list.all || (loaded.window[1] - loaded.window[0]) / (window[1] - window[0]) < 2.6;
}
function query(lane: Lane, limit: number, around: number) {
  const { span_ns } = lane.trace.facts,
    [from, to] = wider(lane.window, around),
    window: Window = [Math.max(span_ns[0], Math.floor(from)), Math.min(span_ns[1], Math.ceil(to))],
    ranks: Window = [Math.floor(lane.ranks[0]), Math.ceil(lane.ranks[1])],
    all = ranks[0] === 0 && ranks[1] >= lane.rank_count;
  return { window, ranks, query: { from_ns: window[0], to_ns: window[1], ranks: all ? '' : `${ranks[0]}-${ranks[1] - 1}`, limit } };
}

// Asks for what is missing; `then` draws anew.
export function load_marks(view: View, lane: Lane, then: () => void) {
  const { number } = lane.trace,
    rows = lane.px_per_rank,
    ranks: Window = [Math.floor(lane.ranks[0]), Math.ceil(lane.ranks[1])],
    clipped: Window = [Math.max(lane.window[0], lane.trace.facts.span_ns[0]), Math.min(lane.window[1], lane.trace.facts.span_ns[1])];
  if (lane.group > 0 || rows < LEAST_ROW_PX) {
    lane.calls = null;
    lane.messages = null;
    return;
  }
  if (rows >= CALLS_FROM_ROW_PX && !serves(lane.calls, clipped, ranks)) {
    const asked = query(lane, MOST_CALLS, 0.5);
    view.ask(
      `calls ${number}`,
      (signal) => lane.trace.calls(asked.query, signal),
      (list) => {
        lane.calls = { list, window: asked.window, ranks: asked.ranks };
        then();
      },
      90,
    );
  }
  if (view.look.messages && !serves(lane.messages, clipped, ranks)) {
    const asked = query(lane, MOST_LINES, 0.25);
    view.ask(
      `messages ${number}`,
      (signal) => lane.trace.messages(asked.query, signal),
      (list) => {
        lane.messages = { list, window: asked.window, ranks: asked.ranks };
        then();
      },
      90,
    );
  }
}
