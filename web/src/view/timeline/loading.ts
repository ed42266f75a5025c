// Which single calls and messages a lane shows: asked for once a window has come to rest, for a little more than is seen, and kept until
// the window leaves it.
import type { View } from '../display.ts';
import type { Window } from './geometry.ts';
import type { Lane, Loaded } from './lane.ts';
import { LEAST_ROW_PX } from './lane.ts';

export const MOST_CALLS = 6000,
  MOST_LINES = 500,
  MOST_MARKS = 2000,
  CALLS_FROM_ROW_PX = 8;

const within = (inner: Window, outer: Window) => inner[0] >= outer[0] && inner[1] <= outer[1];
const wider = ([from, to]: Window, share: number): Window => [from - (to - from) * share, to + (to - from) * share];
// Enough for what is seen: around it, and where only the longest are listed, not for a much narrower window.
function serves(loaded: Loaded<{ count: number; all: number }> | null, window: Window, ranks: Window) {
  if (!loaded || !within(window, loaded.window) || !within(ranks, loaded.ranks)) return false;
  return loaded.list.count >= loaded.list.all || (loaded.window[1] - loaded.window[0]) / (window[1] - window[0]) < 2.6;
}
// The same is on its way: drawing anew while it comes asks for nothing.
function comes(asked: { window: Window; ranks: Window } | null, window: Window, ranks: Window) {
  return (
    asked !== null &&
    within(window, asked.window) &&
    within(ranks, asked.ranks) &&
    (asked.window[1] - asked.window[0]) / (window[1] - window[0]) < 2.6
  );
}
function query(lane: Lane, limit: number, around: number) {
  const { span_ns } = lane.trace.facts,
    [from, to] = wider(lane.window, around),
    window: Window = [Math.max(span_ns[0], Math.floor(from)), Math.max(span_ns[0] + 1, Math.min(span_ns[1] + 1, Math.ceil(to)))], // to is excluded
    ranks: Window = [Math.floor(lane.ranks[0]), Math.ceil(lane.ranks[1])],
    all = lane.order !== null || (ranks[0] === 0 && ranks[1] >= lane.rank_count); // in another order they are no range
  return { window, ranks, query: { from_ns: window[0], to_ns: window[1], ranks: all ? '' : `${ranks[0]}-${ranks[1] - 1}`, limit } };
}

// The order of rows, where it is another than the ranks' own: what was blocked longest stands first.
export function load_order(view: View, lane: Lane, then: () => void) {
  if (view.look.order === 'rank') {
    lane.order = null;
    return;
  }
  if (lane.order) return;
  view.ask(
    `order ${lane.trace.number}`,
    (signal) => lane.trace.series('blocked', 1, {}, signal),
    ({ value, rows, bins }) => {
      const blocked = (rank: number) => value[rank * bins] ?? 0;
      lane.order = Uint32Array.from({ length: rows }, (_, rank) => rank).sort((a, b) => blocked(b) - blocked(a) || a - b);
      lane.calls = null;
      lane.messages = null;
      then();
    },
    0,
  );
}

// Asks for what is missing; `then` draws anew.
export function load_marks(view: View, lane: Lane, then: () => void) {
  const { number } = lane.trace,
    rows = lane.px_per_rank,
    ranks: Window = [Math.floor(lane.ranks[0]), Math.ceil(lane.ranks[1])],
    clipped: Window = [Math.max(lane.window[0], lane.trace.facts.span_ns[0]), Math.min(lane.window[1], lane.trace.facts.span_ns[1])];
  if (lane.group > 0 || rows < LEAST_ROW_PX || lane.trace.entry.passing) {
    lane.calls = null;
    lane.messages = null;
    lane.marks = null;
    return;
  }
  const { markers, user_regions } = lane.trace.facts;
  if ((markers > 0 || user_regions.length > 0) && !serves(lane.marks, clipped, ranks) && !comes(lane.asked.marks, clipped, ranks)) {
    const asked = query(lane, MOST_MARKS, 0.5);
    lane.asked.marks = asked;
    view.ask(
      `marks ${number}`,
      (signal) => lane.trace.marks(asked.query, signal),
      (answer) => {
        const count = answer.markers.length + answer.regions.length;
        lane.asked.marks = null;
        lane.marks = { list: { ...answer, count, all: count + answer.left_out }, window: asked.window, ranks: asked.ranks };
        then();
      },
      90,
    );
  }
  if (rows >= CALLS_FROM_ROW_PX && !serves(lane.calls, clipped, ranks) && !comes(lane.asked.calls, clipped, ranks)) {
    const asked = query(lane, MOST_CALLS, 0.5);
    lane.asked.calls = asked;
    view.ask(
      `calls ${number}`,
      (signal) => lane.trace.calls(asked.query, signal),
      (list) => {
        lane.asked.calls = null;
        lane.calls = { list, window: asked.window, ranks: asked.ranks };
        then();
      },
      90,
    );
  }
  if (
    view.look.messages &&
    lane.trace.facts.messages > 0 &&
    !serves(lane.messages, clipped, ranks) &&
    !comes(lane.asked.messages, clipped, ranks)
  ) {
    const asked = query(lane, MOST_LINES, 0.25);
    lane.asked.messages = asked;
    view.ask(
      `messages ${number}`,
      (signal) => lane.trace.messages(asked.query, signal),
      (list) => {
        lane.asked.messages = null;
        lane.messages = { list, window: asked.window, ranks: asked.ranks };
        then();
      },
      90,
    );
  }
}
