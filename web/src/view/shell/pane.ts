// One pane: its head (which display, what can be done with the pane), its display, and what the display asks.
import { el } from '../../base/dom.ts';
import type { Display, Opened, Place, View } from '../display.ts';
import { displays } from '../displays.ts';
import { kinds_of, save_figure } from '../figure.ts';
import { aborted, SourceError } from '../source/source.ts';
import type { Look } from '../state/look.ts';
import { free_id, leaf, leaf_with_id, leaves, with_display, with_leaf_beside, with_option, without_leaf } from '../state/panes.ts';
import type { Changed, Undo } from '../state/store.ts';
import type { App } from './app.ts';
import { icon } from './icons.ts';
import { button, open_menu, type Section } from './menu.ts';

const SAID_AFTER_MS = 500; // work that is over sooner is not talked about
interface Asked {
  controller: AbortController;
  timer: number;
}

export const display_named = (name: string): Display | undefined => displays.find((one) => one.name === name);
const groups = () => [...new Set(displays.map(({ group }) => group))];
export const display_sections = ({ session }: App, chosen: string | null, choose: (display: Display) => void): Section[] =>
  groups().map((group) => [
    group,
    displays
      .filter((display) => display.group === group && (!display.runs || session))
      .map((display) => ({
        title: display.title,
        about: display.about,
        ...(chosen !== null && { checked: display.name === chosen }),
        choose: () => choose(display),
      })),
  ]);

export class Pane implements View {
  readonly id: number;
  readonly node: HTMLElement;
  readonly head: HTMLElement;
  private app: App;
  private host = el('div', { class: 'pane-body' });
  private title = el('span', { class: 'pane-title' });
  private work = el('span', { class: 'work', role: 'status' });
  private fault = el('div', { class: 'fault', role: 'alert', hidden: true });
  private opened: Opened | null = null;
  private shown = '';
  private asked = new Map<string, Asked>();
  private next = new Map<string, () => void>(); // to be asked after what is asked now
  private last_asked = new Map<string, number>();
  private work_timer = 0;
  private resizes: ResizeObserver;

  constructor(app: App, id: number) {
    this.app = app;
    this.id = id;
    const chooser = el(
      'button',
      { type: 'button', class: 'chooser', 'aria-haspopup': 'menu', title: 'Show another display here' },
      this.title,
    );
    chooser.addEventListener('click', () =>
      open_menu(
        chooser,
        display_sections(app, this.shown, (display) => app.change({ panes: with_display(app.look.panes, id, display.name) })),
        'Displays',
      ),
    );
    const add = (side: 'right' | 'bottom') => (event: Event) => {
      if (event.currentTarget instanceof HTMLElement)
        open_menu(
          event.currentTarget,
          display_sections(app, null, (display) => this.split(side, display.name)),
          'Displays',
        );
    };
    this.head = el(
      'header',
      { class: 'pane-head' },
      chooser,
      this.work,
      el(
        'span',
        { class: 'pane-tools' },
        button('save', 'Save as SVG, PNG or CSV', (event) => this.open_save_menu(event), { 'aria-haspopup': 'menu' }),
        button('beside', 'Add a display to the right', add('right'), { 'aria-haspopup': 'menu' }),
        button('below', 'Add a display below', add('bottom'), { 'aria-haspopup': 'menu' }),
        button('whole', 'This pane alone, or all again (Z)', () => this.toggle_whole(), { class: 'icon-button whole' }),
        button('close', 'Close this pane', () => this.app.change({ panes: without_leaf(this.app.look.panes, id) })),
      ),
    );
    this.node = el('section', { class: 'pane', tabindex: -1, 'data-pane': id }, this.head, this.fault, this.host);
    this.resizes = new ResizeObserver(() => this.opened?.resized?.());
    this.resizes.observe(this.host);
  }
  // Shows what its leaf says, if it does not yet.
  show(display_name: string): void;
  show(place: Place): void;
  show(what: string | Place) {
    if (typeof what !== 'string') {
      this.app.show(what);
      return;
    }
    if (this.shown === what && this.opened) return;
    this.stop();
    this.shown = what;
    const display = display_named(what);
    this.node.setAttribute('aria-label', display?.title ?? what);
    this.node.dataset.display = what;
    this.title.textContent = display?.title ?? what;
    this.title.title = display?.about ?? '';
    if (!display) {
      this.say_fault(`This version has no display "${what}".`, 'Choose another one in the head of this pane.');
      return;
    }
    try {
      this.opened = display.open(this.host, this);
    } catch (error) {
      this.say_error(error);
    }
  }
  update(changed: Changed) {
    try {
      this.opened?.update(changed);
    } catch (error) {
      this.say_error(error);
    }
  }
  private stop() {
    for (const key of [...this.asked.keys()]) this.forget(key);
    this.opened?.close();
    this.opened = null;
    this.fault.hidden = true;
    this.host.replaceChildren();
    this.host.className = 'pane-body';
  }
  close() {
    this.stop();
    this.resizes.disconnect();
    this.node.remove();
  }
  private split(side: 'right' | 'bottom', name: string) {
    const { panes } = this.app.look;
    this.app.change({ panes: with_leaf_beside(panes, this.id, side, leaf(free_id(panes), name)) });
  }
  toggle_whole() {
    this.node.dispatchEvent(new CustomEvent('whole', { bubbles: true, detail: this.id }));
  }
  private open_save_menu(event: Event) {
    const figure = this.opened?.figure?.(),
      { currentTarget: anchor } = event;
    if (!(anchor instanceof HTMLElement)) return;
    const about = { svg: 'picture, for papers', png: 'picture, twice the size', csv: 'its numbers' };
    const items = figure
      ? kinds_of(figure).map((kind) => ({
          title: kind.toUpperCase(),
          about: about[kind],
          choose: () => void save_figure(figure, kind).catch((error: unknown) => this.say_error(error)),
        }))
      : [{ title: 'Nothing to save yet', choose: () => undefined }];
    open_menu(anchor, [['Save as', items]], 'Save as');
  }

  // What its display sees of the viewer.
  get look() {
    return this.app.look;
  }
  change(patch: Partial<Look>, undo?: Undo) {
    this.app.change(patch, undo);
  }
  get traces() {
    return this.app.traces;
  }
  get trace() {
    return this.app.trace;
  }
  get all_traces() {
    return this.app.all_traces;
  }
  get window() {
    return this.app.window;
  }
  get selection() {
    return this.app.selection;
  }
  get palette() {
    return this.app.palette;
  }
  option(name: string) {
    return leaf_with_id(this.look.panes, this.id)?.options[name] ?? '';
  }
  set_option(name: string, value: string) {
    this.change({ panes: with_option(this.look.panes, this.id, name, value) }, `option ${this.id} ${name}`);
  }
  get session() {
    return this.app.session;
  }
  get machines() {
    return this.app.listed.machines;
  }
  get networks() {
    return this.app.listed.networks;
  }
  add_trace(number: number) {
    return this.app.add_trace(number);
  }

  ask<T>(key: string, task: (signal: AbortSignal) => Promise<T>, then: (answer: T) => void, delay_ms = 120) {
    this.forget(key);
    const controller = new AbortController(),
      now = performance.now(),
      soon = now - (this.last_asked.get(key) ?? Number.NEGATIVE_INFINITY) > delay_ms;
    this.last_asked.set(key, now);
    this.asked.set(key, { controller, timer: window.setTimeout(() => void this.run(key, controller, task, then), soon ? 0 : delay_ms) });
    this.say_work();
  }
  private async run<T>(key: string, controller: AbortController, task: (signal: AbortSignal) => Promise<T>, then: (answer: T) => void) {
    try {
      const answer = await task(controller.signal);
      if (controller.signal.aborted) return;
      this.asked.delete(key);
      this.fault.hidden = true;
      then(answer);
    } catch (error) {
      if (controller.signal.aborted || aborted(error)) return;
      this.asked.delete(key);
      this.say_error(error);
    } finally {
      this.say_work();
    }
    if (controller.signal.aborted) return;
    const next = this.next.get(key);
    this.next.delete(key);
    next?.();
  }
  follow<T>(key: string, task: (signal: AbortSignal) => Promise<T>, then: (answer: T) => void) {
    if (this.asked.has(key)) this.next.set(key, () => this.follow(key, task, then));
    else this.ask(key, task, then, 0);
  }
  private forget(key: string) {
    this.next.delete(key);
    const asked = this.asked.get(key);
    if (!asked) return;
    clearTimeout(asked.timer);
    asked.controller.abort();
    this.asked.delete(key);
  }
  private say_work() {
    const works = this.asked.size > 0;
    this.node.classList.toggle('working', works);
    if (!works) {
      clearTimeout(this.work_timer);
      this.work_timer = 0;
      this.work.replaceChildren();
      return;
    }
    this.work_timer ||= window.setTimeout(() => {
      const cancel = () => {
        for (const key of [...this.asked.keys()]) this.forget(key);
        this.say_work();
      };
      this.work.replaceChildren(
        el('span', { class: 'spinner' }),
        'working',
        el('button', { type: 'button', class: 'plain', onclick: cancel }, 'Cancel'),
      );
    }, SAID_AFTER_MS);
  }
  private say_error(error: unknown) {
    if (error instanceof SourceError) this.say_fault(error.message, error.remedy);
    else {
      this.say_fault(error instanceof Error ? error.message : String(error), 'This is a fault of the viewer; the other displays go on.');
      document.documentElement.dataset.errors = String(Number(document.documentElement.dataset.errors ?? '0') + 1);
    }
  }
  private say_fault(what: string, remedy: string) {
    this.fault.replaceChildren(icon('warn'), el('span', {}, el('b', {}, what), remedy && ' ', remedy));
    this.fault.hidden = false;
  }
}
export const pane_ids = (app: App) => leaves(app.look.panes).map(({ id }) => id);
