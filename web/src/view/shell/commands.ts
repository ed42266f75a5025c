// What keys and buttons do to what is looked at.

import { aborted } from '../source/source.ts';
import { held, type Window, zoomed } from '../timeline/geometry.ts';
import type { App } from './app.ts';

export const LEAST_NS = 20; // no window is narrower

export const zoom = (app: App, factor: number) => {
  const { window, span, look } = app,
    at = look.at_ns !== null && look.at_ns > window[0] && look.at_ns < window[1] ? look.at_ns : (window[0] + window[1]) / 2;
  app.glide(zoomed(window, at, factor, span, LEAST_NS), 'zoom');
};
export const pan = (app: App, share: number) => {
  const { window, span } = app,
    by = (window[1] - window[0]) * share;
  app.glide(held([window[0] + by, window[1] + by], span), 'pan');
};
export const whole = (app: App) => {
  app.change({ rows: null });
  app.glide(app.span, 'whole');
};
export function fit_selection(app: App) {
  const { from_ns, to_ns } = app.look.selection;
  if (from_ns === null || to_ns === null) return;
  app.glide(held([from_ns, Math.max(to_ns, from_ns + LEAST_NS)], app.span));
}
const all_rows = (app: App): Window => [0, Math.max(...app.traces.map(({ facts }) => facts.ranks.length), 1)];
export function scroll_rows(app: App, share: number) {
  const all = all_rows(app),
    rows = app.look.rows ?? all,
    by = (rows[1] - rows[0]) * share;
  if (app.look.rows) app.change({ rows: held([rows[0] + by, rows[1] + by], all) }, 'rows');
}
export function zoom_rows(app: App, factor: number, at?: number) {
  const all = all_rows(app),
    rows = app.look.rows ?? all,
    next = zoomed(rows, at ?? (rows[0] + rows[1]) / 2, factor, all, 1);
  app.change({ rows: next[1] - next[0] >= all[1] ? null : next }, 'rows');
}

// What is next of a kind, from the instant on (or before it): goes there and says what it is.
let asked: AbortController | null = null;
export async function jump(app: App, what: string, forwards: boolean, move_window = true) {
  asked?.abort();
  asked = new AbortController();
  const at = app.look.at_ns ?? (forwards ? app.span[0] - 1 : app.span[1] + 1),
    { ranks, calls, peers } = app.look.selection,
    query = {
      ...(what !== 'longest-wait' && (forwards ? { after_ns: Math.floor(at) } : { before_ns: Math.ceil(at) })),
      ranks,
      calls,
      peers,
    };
  try {
    const found = await app.trace.jump(what, query, asked.signal);
    if (!found) {
      app.say(`There is no ${forwards ? 'later' : 'earlier'} ${what.replace('-', ' ')}.`);
      return;
    }
    if (move_window) app.show({ from_ns: found.from_ns, to_ns: found.to_ns, rank: found.rank, call: found.call });
    else {
      const [from, to] = app.window,
        width = to - from;
      const window =
        found.from_ns < from || found.from_ns > to ? held([found.from_ns - width / 2, found.from_ns + width / 2], app.span) : null;
      app.change(
        {
          at_ns: found.from_ns,
          ...(window && { window }),
          ...(found.call !== null && { picked: { trace: app.trace.number, rank: found.rank, call: found.call } }),
        },
        'step through',
      );
    }
    app.say(found.text);
  } catch (error) {
    if (!aborted(error)) app.say(error instanceof Error ? error.message : String(error));
  }
}
