// Holds what is looked at, tells who shows it what changed, and goes back and forth in its history.
import type { Look } from './look.ts';

export type Changed = ReadonlySet<keyof Look>;
export type Listener = (look: Look, changed: Changed) => void;
// How a change counts for undo. 'step': a step of its own. 'none': none, as the instant while replay runs. Any other text: changes
// of the same text that follow each other within a second are one step, as those of a drag or a wheel.
export type Undo = 'step' | 'none' | (string & {});

const MOST_STEPS = 200,
  ONE_STEP_MS = 1000;
export class Store {
  private now: Look;
  private before: Look[] = [];
  private after: Look[] = [];
  private listeners = new Set<Listener>();
  private last: Undo = 'step';
  private last_at = Number.NEGATIVE_INFINITY;
  private clock: () => number;

  constructor(look: Look, clock: () => number = () => performance.now()) {
    this.now = look;
    this.clock = clock;
  }
  get look() {
    return this.now;
  }
  get can_undo() {
    return this.before.length > 0;
  }
  get can_redo() {
    return this.after.length > 0;
  }

  change(patch: Partial<Look>, undo: Undo = 'step') {
    const next = { ...this.now, ...patch },
      changed = differences(this.now, next);
    if (changed.size === 0) return;
    if (undo !== 'none') {
      const at = this.clock(),
        goes_on = undo !== 'step' && undo === this.last && at - this.last_at < ONE_STEP_MS;
      if (!goes_on) {
        this.before.push(this.now);
        if (this.before.length > MOST_STEPS) this.before.shift();
      }
      this.after = [];
      [this.last, this.last_at] = [undo, at];
    }
    this.set(next, changed);
  }
  undo() {
    const back = this.before.pop();
    if (!back) return;
    this.after.push(this.now);
    this.last = 'step';
    this.set(back, differences(this.now, back));
  }
  redo() {
    const forth = this.after.pop();
    if (!forth) return;
    this.before.push(this.now);
    this.last = 'step';
    this.set(forth, differences(this.now, forth));
  }
  // Gives what ends it.
  listen(listener: Listener) {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
  private set(look: Look, changed: Changed) {
    this.now = look;
    for (const listener of [...this.listeners]) listener(look, changed);
  }
}

// Values are plain, so that their JSON is what they are.
function differences(a: Look, b: Look): Changed {
  const names = Object.keys(b) as (keyof Look)[];
  return new Set(names.filter((name) => a[name] !== b[name] && JSON.stringify(a[name]) !== JSON.stringify(b[name])));
}
