// The viewer as a whole: the traces that are open, what is looked at, and what commands, panes and bars do with both.

import type { Place } from '../display.ts';
import { displays } from '../displays.ts';
import { RunSession } from '../run/session.ts';
import type { TraceFacts, TraceList } from '../source/answers.ts';
import { type Source, SourceError } from '../source/source.ts';
import { list_traces, Trace } from '../source/trace.ts';
import { address_of, look_of } from '../state/address.ts';
import { saved_map } from '../state/colour_maps.ts';
import { type Palette, palette_of } from '../state/colours.ts';
import { keep, kept } from '../state/kept.ts';
import { first_look, is_selected, type Look, no_selection, selection_query } from '../state/look.ts';
import { free_id, leaf, leaf_showing, leaves, with_leaf_beside } from '../state/panes.ts';
import { type Changed, Store, type Undo } from '../state/store.ts';
import { framed, same, type Window } from '../timeline/geometry.ts';

const BUSY = 503,
  PICTURE_EVERY_MS = 2000,
  PICTURE_REST = 3, // times as long as a picture takes the run is left alone
  ADDRESS_EVERY_MS = 350, // browsers refuse more than some hundred changes of the address a minute
  GLIDE_MS = 160,
  LONG_BEFORE = 0.1,
  FOCUS_AIR = 1.2; // what is beside a wait says why
const dark_asked = () => matchMedia('(prefers-color-scheme: dark)');
const still_asked = () => matchMedia('(prefers-reduced-motion: reduce)');

// Those of the address, else those saved under the name that it has, else those kept. A name that this browser does not know is left out.
function colours_at_first(asked: Look, own: ReturnType<typeof kept>): Pick<Look, 'colours' | 'colour_map'> {
  const saved = asked.colour_map === '' ? null : saved_map(asked.colour_map);
  if (Object.keys(asked.colours).length > 0) return { colours: asked.colours, colour_map: saved ? asked.colour_map : '' };
  return saved ? { colours: saved.colours, colour_map: saved.name } : { colours: own.colours ?? {}, colour_map: '' };
}

export class App {
  readonly source: Source;
  readonly store: Store;
  listed: TraceList = { made_by: '', read_only: false, traces: [], machines: [], networks: [] };
  say: (text: string) => void = () => undefined; // what was just done or found, in words: the bar below shows it
  session: RunSession | null = null; // where programs can be run
  private can_open = (name: string) => displays.some((one) => one.name === name);
  private opened = new Map<number, Trace>();
  private listeners = new Set<(changed: Changed) => void>();
  private changed = new Set<keyof Look>();
  private frame = 0;
  private address_timer = 0;
  private palette_now: Palette | null = null;
  private glide_frame = 0;

  constructor(source: Source) {
    this.source = source;
    const asked = look_of(location.hash),
      own = kept();
    // The address goes before what was kept.
    this.store = new Store({
      ...asked,
      theme: asked.theme === 'auto' ? (own.theme ?? 'auto') : asked.theme,
      ...colours_at_first(asked, own),
    });
    this.store.listen((_, changed) => {
      if (['colouring', 'colours', 'theme'].some((name) => changed.has(name as keyof Look))) this.paint_theme();
      if (changed.has('colours') || changed.has('theme'))
        // Without a name: so all of them are in it.
        keep(address_of({ ...first_look(), colours: this.look.colours, theme: this.look.theme }));
      this.tell(changed);
      this.address_timer ||= window.setTimeout(() => this.write_address(), ADDRESS_EVERY_MS);
    });
    addEventListener('hashchange', () => {
      if (location.hash !== address_of(this.look)) void this.go_to_address();
    });
    dark_asked().addEventListener('change', () => {
      this.paint_theme();
      this.tell(new Set(['theme']));
    });
  }

  // Lists the traces and opens those that are looked at; what the address names and is not there is left out.
  async open(signal?: AbortSignal) {
    this.listed = await list_traces(this.source, signal);
    if (this.listed.may_run) this.session ??= new RunSession(this.source);
    await this.open_shown(signal);
    this.paint_theme();
  }
  private async open_shown(signal?: AbortSignal) {
    const there = new Set(this.listed.traces.map(({ number }) => number)),
      wanted = this.look.traces.filter((number) => there.has(number)),
      first = this.listed.traces[0];
    const shown = wanted.length > 0 ? wanted : first ? [first.number] : [];
    await Promise.all(shown.map((number) => this.load(number, signal)));
    if (shown.join() !== this.look.traces.join()) this.store.change({ traces: shown }, 'none');
  }
  private async load(number: number, signal?: AbortSignal, facts?: Promise<TraceFacts>) {
    const open = this.opened.get(number);
    if (open) return open;
    const entry = this.listed.traces.find((one) => one.number === number);
    if (!entry) throw new Error(`there is no trace ${number}`);
    const trace = entry.picture
      ? ((await Trace.picture(this.source, entry, signal)) ?? Trace.empty(this.source, entry))
      : await Trace.open(this.source, entry, signal, facts);
    this.opened.set(number, trace);
    if (entry.picture) void this.follow(trace);
    return trace;
  }
  // Of a run that goes on a new picture from time to time, as long as somebody looks; when it has ended, all of it.
  private async follow(seen: Trace) {
    let trace = seen;
    const replace = (by: Trace) => {
      const { window: visible } = this.look,
        [, end] = this.span;
      this.opened.set(by.number, by);
      trace = by;
      // Who sees the end goes with it: a window from the begin of the program grows, another one moves.
      const [least, later] = this.span;
      if (visible && (visible[1] >= end || visible[1] > later))
        this.store.change({ window: [visible[0] > 0 ? Math.max(least, visible[0] + later - visible[1]) : visible[0], later] }, 'none');
      this.tell(new Set(['traces']));
    };
    for (let wait_ms = PICTURE_EVERY_MS; this.opened.get(seen.number) === trace; ) {
      const begun = performance.now();
      let ended = false;
      try {
        const entry = (await list_traces(this.source)).traces.find(({ number }) => number === seen.number);
        if (!entry) return;
        if (entry.kind !== 'live') {
          ended = true;
          const whole = await Trace.open(this.source, entry);
          this.listed = await list_traces(this.source);
          replace(whole);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, wait_ms));
        if (document.hidden) continue;
        const from = performance.now(),
          fresh = await Trace.picture(this.source, entry);
        wait_ms = Math.max(PICTURE_EVERY_MS, PICTURE_REST * (performance.now() - from));
        // One that ends sooner than what is shown is of a spool that is just being cut and put together.
        if (!fresh || fresh.asked === trace.asked || fresh.facts.span_ns[1] < trace.facts.span_ns[1]) continue;
        await fresh.tiles.warm(trace.tiles);
        if (this.opened.get(seen.number) === trace) replace(fresh);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        // What cannot be put together stays as it is, and why is said.
        if (ended && error.status >= 400 && error.status !== BUSY) {
          this.say(`${error.message}. ${error.remedy}`);
          return;
        }
        // It may have been put together meanwhile, or the server is busy or gone.
        await new Promise((resolve) => setTimeout(resolve, Math.max(wait_ms, performance.now() - begun)));
      }
    }
  }
  private async go_to_address() {
    const asked = look_of(location.hash),
      look = { ...asked, ...colours_at_first(asked, {}) };
    await Promise.all(
      look.traces.filter((number) => this.listed.traces.some((one) => one.number === number)).map((number) => this.load(number)),
    );
    this.store.change(look);
  }
  private write_address() {
    this.address_timer = 0;
    history.replaceState(null, '', address_of(this.look) || location.pathname + location.search);
  }

  get look() {
    return this.store.look;
  }
  change = (patch: Partial<Look>, undo: Undo = 'step') => {
    if ('window' in patch) this.stop_glide();
    this.store.change(patch, undo);
  };
  get traces(): Trace[] {
    const shown = this.look.traces.flatMap((number) => this.opened.get(number) ?? []);
    return shown.length > 0 ? shown : [...this.opened.values()].slice(0, 1);
  }
  get trace(): Trace {
    const [first] = this.traces;
    if (!first) throw new Error('no trace is open');
    return first;
  }
  get all_traces() {
    return [...this.opened.values()];
  }
  get span(): Window {
    const spans = this.traces.map(({ facts }) => facts.span_ns),
      from = Math.min(...spans.map(([begin]) => begin)),
      to = Math.max(...spans.map(([, end]) => end));
    return [from, Math.max(to, from + 1)];
  }
  get window(): Window {
    return this.look.window ?? this.span;
  }
  // The program proper, where what came before it takes much of the span: MPI_Init of a short run.
  begin_at_program() {
    const [from, to] = this.span;
    if (to > 0 && -from > LONG_BEFORE * to) this.store.change({ window: [0, to] }, 'none');
  }
  get selection() {
    const { selection, window: visible } = this.look,
      [from_ns, to_ns] = this.window;
    // What began before the program proper (MPI_Init) belongs to a span from 0 on: then nothing is left out.
    const all = from_ns <= 0 && to_ns >= this.span[1];
    return selection_query(selection.from_ns === null && visible && !all ? { ...selection, from_ns, to_ns } : selection);
  }
  get dark() {
    return this.look.theme === 'auto' ? dark_asked().matches : this.look.theme === 'dark';
  }
  get palette() {
    this.palette_now ??= palette_of(this.look, this.dark);
    return this.palette_now;
  }
  private paint_theme() {
    this.palette_now = null;
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
  }

  // Panes and bars are told once a frame of all that changed since.
  listen(listener: (changed: Changed) => void) {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
  tell(changed: Changed) {
    for (const name of changed) this.changed.add(name);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const all = this.changed;
      this.changed = new Set();
      for (const listener of [...this.listeners]) listener(all);
    });
  }

  // The window moves there in a few frames, so that the eye can follow.
  glide(target: Window, undo: Undo = 'step') {
    const from = this.window,
      to = same(target, this.span) ? null : target;
    if (still_asked().matches || document.hidden) {
      this.change({ window: to }, undo);
      return;
    }
    // The step to go back to is what is seen now; frames in between are none.
    this.change({ window: [target[0], target[1]] }, undo);
    this.store.change({ window: from }, 'none');
    const begun = performance.now();
    const move = (now: number) => {
      const share = Math.min(1, Math.max(0, now - begun) / GLIDE_MS),
        eased = 1 - (1 - share) ** 3,
        step = (i: 0 | 1) => from[i] + (target[i] - from[i]) * eased;
      this.store.change({ window: share < 1 ? [step(0), step(1)] : to }, 'none');
      this.glide_frame = share < 1 ? requestAnimationFrame(move) : 0;
    };
    this.glide_frame = requestAnimationFrame(move);
  }
  private stop_glide() {
    if (this.glide_frame) cancelAnimationFrame(this.glide_frame);
    this.glide_frame = 0;
  }

  show = ({ from_ns, to_ns, ranks, calls, display, rank, call, focus }: Place) => {
    const seen = focus ?? { from_ns, to_ns, rank, call },
      patch: Partial<Look> = { at_ns: seen.from_ns };
    if (ranks !== undefined || calls !== undefined)
      patch.selection = { ...no_selection, from_ns, to_ns: Math.max(to_ns, from_ns + 1), ranks: ranks ?? '', calls: calls ?? '' };
    if (seen.rank !== undefined && typeof seen.call === 'number')
      patch.picked = { trace: this.trace.number, rank: seen.rank, call: seen.call };
    if (display && this.can_open(display) && !leaf_showing(this.look.panes, display)) {
      const [beside] = leaves(this.look.panes);
      if (beside) patch.panes = with_leaf_beside(this.look.panes, beside.id, 'bottom', leaf(free_id(this.look.panes), display));
    }
    this.glide(framed([seen.from_ns, seen.to_ns], this.span, focus ? FOCUS_AIR : undefined));
    this.store.change(patch, 'none');
    if (seen.rank !== undefined) this.reveal_rank(seen.rank);
  };
  // The rows move so that the rank is among them.
  private reveal_rank(rank: number) {
    const { rows } = this.look;
    if (!rows || (rank >= rows[0] && rank + 1 <= rows[1])) return;
    const height = rows[1] - rows[0],
      from = Math.max(0, rank + 0.5 - height / 2);
    this.store.change({ rows: [from, from + height] }, 'none');
  }

  async add_trace(number: number) {
    const open = this.opened.get(number);
    if (open) return open;
    const facts = Trace.facts_of(this.source, number);
    if (!this.listed.traces.some((one) => one.number === number)) [this.listed] = await Promise.all([list_traces(this.source), facts]);
    // Of predictions only those that are shown stay open: a slider makes many.
    for (const [other, { entry }] of this.opened)
      if (entry.kind === 'predicted' && other !== number && !this.look.traces.includes(other)) this.opened.delete(other);
    return this.load(number, undefined, facts); // who asks for it shows it, of which all are told
  }
  // One that came while looking, maybe of a run that goes; of what was seen before nothing is left but the panes.
  async show_alone(numbers: number[]) {
    this.listed = await list_traces(this.source);
    await Promise.all(numbers.map((number) => this.load(number)));
    this.change({ traces: numbers, window: null, rows: null, at_ns: null, picked: null, selection: no_selection });
  }
  // Where it is shown already the keys go there.
  open_display(name: string) {
    const { panes } = this.look,
      [beside] = leaves(panes);
    if (!leaf_showing(panes, name) && beside)
      this.change({ panes: with_leaf_beside(panes, beside.id, 'right', leaf(free_id(panes), name)) });
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`.pane[data-display="${name}"]`)?.focus());
  }
  async show_traces(numbers: number[]) {
    await Promise.all(numbers.map((number) => this.load(number)));
    if (numbers.length > 0) this.change({ traces: numbers });
  }
  clear_selection() {
    if (is_selected(this.look.selection)) this.change({ selection: no_selection });
    else if (this.look.picked) this.change({ picked: null });
    else this.change({ at_ns: null });
  }
}
