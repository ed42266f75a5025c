// A run that was started here is shown by itself: its timeline and what its ranks are in while it goes, then all of it.
import type { App } from '../shell/app.ts';
import { free_id, leaf, leaf_showing, leaves, type Pane, split, with_display, with_leaf_beside } from '../state/panes.ts';
import type { Opener } from './session.ts';

// Beside a trace that is looked at the panes stay as they are, but that the first look is one at what goes.
export function panes_of_live(panes: Pane): Pane {
  const shown = leaf_showing(panes, 'first') ?? leaf_showing(panes, 'details');
  return leaf_showing(panes, 'live') || !shown ? panes : with_display(panes, shown.id, 'live');
}
export function panes_of_ended(panes: Pane): Pane {
  const shown = leaf_showing(panes, 'live');
  return shown && !leaf_showing(panes, 'first') ? with_display(panes, shown.id, 'first') : panes;
}
export const first_panes = (): Pane =>
  split('row', [0.66, 0.34], [split('column', [0.55, 0.45], [leaf(1, 'timeline'), leaf(2, 'first')]), leaf(3, 'run')]);

const with_timeline = (panes: Pane): Pane => {
  const [beside] = leaves(panes);
  return leaf_showing(panes, 'timeline') || !beside ? panes : with_leaf_beside(panes, beside.id, 'top', leaf(free_id(panes), 'timeline'));
};

// `lay_out`: of a page that had no trace until now.
export function opener(app: App, lay_out: (() => void) | null): Opener {
  let laid_out = lay_out === null,
    followed: number | null = null;
  app.listen((changed) => {
    if (!changed.has('traces') || followed === null) return;
    const trace = app.all_traces.find(({ number }) => number === followed);
    if (!trace || trace.entry.kind === 'live') return;
    followed = null;
    app.store.change({ panes: panes_of_ended(app.look.panes) }, 'none');
    app.begin_at_program();
  });
  return {
    async open(number) {
      await app.show_alone([number]);
      const goes = app.trace.entry.kind === 'live',
        panes = laid_out ? with_timeline(app.look.panes) : first_panes();
      app.store.change({ panes: goes ? panes_of_live(panes) : panes }, 'none');
      followed = goes ? number : null;
      if (!goes) app.begin_at_program();
      if (!laid_out) lay_out?.();
      laid_out = true;
    },
    async compare(a, b) {
      await app.show_alone([a, b]);
      if (!laid_out) lay_out?.();
      laid_out = true;
      app.open_display('compare');
    },
    shown: () => (laid_out ? app.look.traces : []),
  };
}
