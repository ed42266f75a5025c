// What a display is: a module in displays/ with one of these, registered in one line of displays.ts. Any number of them may be open,
// the same one several times; all show what `view.look` says, and change it by `view.change`.
import type { Figure } from './figure.ts';
import type { RunSession } from './run/session.ts';
import type { Named } from './source/answers.ts';
import type { Query } from './source/source.ts';
import type { Trace } from './source/trace.ts';
import type { Palette } from './state/colours.ts';
import type { Look } from './state/look.ts';
import type { Changed, Undo } from './state/store.ts';

export interface Display {
  name: string; // in the address; never changes
  title: string;
  group: 'Start' | 'Time' | 'Ranks' | 'Messages' | 'Calls' | 'Program' | 'What if';
  about: string; // one sentence: what question it answers
  runs?: true; // offered only where the server runs programs
  // host is empty, fills the pane and scrolls; its size is told by `resized`.
  open(host: HTMLElement, view: View): Opened;
}
export interface Opened {
  // What is looked at has changed in these; also after a change of theme (changed has 'theme') and of the traces shown.
  update(changed: Changed): void;
  close(): void;
  resized?(): void;
  // What is saved as SVG, PNG and CSV. Absent: nothing to save (yet).
  figure?(): Figure | null;
}

export interface Place {
  from_ns: number;
  to_ns: number;
  ranks?: string;
  calls?: string;
  display?: string;
  rank?: number;
  call?: number | null;
  focus?: { rank: number; call: number; from_ns: number; to_ns: number }; // what of it to see, picked
}

// What a pane gives to its display.
export interface View {
  readonly look: Look;
  change(patch: Partial<Look>, undo?: Undo): void;
  // Those shown, at least one. `trace` is the first, the one that displays of one trace show.
  readonly traces: Trace[];
  readonly trace: Trace;
  // All that can be shown.
  readonly all_traces: Trace[];
  // The window that is visible, in ns: look.window or the whole span.
  readonly window: readonly [from_ns: number, to_ns: number];
  // SEL for what a display counts: what is selected, and where no span is, the visible window (nothing when that is all).
  readonly selection: Query;
  readonly palette: Palette;
  // The display's own options, kept in the address. '' or absent: as at first.
  option(name: string): string;
  set_option(name: string, value: string): void;
  // Asks without blocking: `task` starts once nothing was asked with this key for delay_ms (120 unless said), what was asked before is
  // aborted; the pane shows that it works, with a button that cancels, and an error with its remedy. `then` is not called after
  // close, cancel, error or when something newer was asked.
  ask<T>(key: string, task: (signal: AbortSignal) => Promise<T>, then: (answer: T) => void, delay_ms?: number): void;
  // The same for what moves by itself, as the instant in a replay: nothing is aborted, the newest question goes out as soon as the one
  // before it is answered.
  follow<T>(key: string, task: (signal: AbortSignal) => Promise<T>, then: (answer: T) => void): void;
  // Goes to a place: window around it (or around its focus), instant, call; opens the display if it is not open. With ranks or calls
  // these and the span are selected.
  show(place: Place): void;
  // A trace that came while looking, of the server's number (of a prediction): opened and listed.
  add_trace(number: number): Promise<Trace>;
  // What the page runs; null where the server does not.
  readonly session: RunSession | null;
  // What a what-if may name.
  readonly machines: Named[];
  readonly networks: Named[];
}
