// The bar below: replay of the instant, forwards and backwards, at any speed, and what was last said.
import { el } from '../../base/dom.ts';
import { digits } from '../../base/format.ts';
import { fitting_speed, following, moved, position_of, REAL_TIME, speed_of } from '../replay.ts';
import { duration, exact } from '../words.ts';
import type { App } from './app.ts';
import { jump } from './commands.ts';
import { icon } from './icons.ts';
import { button } from './menu.ts';

const SCRUB_STEPS = 10_000,
  SPEED_STEPS = 1000;
export const speed_text = (speed: number) => {
  const factor = speed / REAL_TIME;
  return `${duration(speed)}/s` + (factor >= 0.01 ? ` (×${digits(factor, 2)})` : '');
};

export class Transport {
  readonly node: HTMLElement;
  private app: App;
  private forwards = true;
  private frame = 0;
  private before_ms = 0;
  private play = button('play', 'Play (space)', () => this.toggle(), { class: 'icon-button play' });
  private direction = button('backwards', 'Forwards or backwards (R)', () => this.turn(), { 'aria-pressed': 'false' });
  private scrub = el('input', { type: 'range', class: 'scrub', min: 0, max: SCRUB_STEPS, step: 1, 'aria-label': 'Instant' });
  private speed = el('input', { type: 'range', class: 'speed', min: 0, max: SPEED_STEPS, step: 1, 'aria-label': 'Speed of replay' });
  private speed_said = el('output', { class: 'speed-text' });
  private at = el('output', { class: 'at', title: 'Instant, from the begin of the program proper' });
  private said = el('div', { class: 'said', role: 'status', 'aria-live': 'polite' });

  constructor(app: App) {
    this.app = app;
    this.scrub.addEventListener('input', () => {
      const [low, high] = app.span;
      this.go(low + (Number(this.scrub.value) / SCRUB_STEPS) * (high - low), 'scrub');
    });
    this.speed.addEventListener('input', () => app.change({ speed: speed_of(Number(this.speed.value) / SPEED_STEPS) }, 'speed'));
    this.node = el(
      'footer',
      { class: 'transport' },
      el(
        'div',
        { class: 'buttons', role: 'group', 'aria-label': 'Replay' },
        this.direction,
        button('previous', 'To the event before (,)', () => this.step(false)),
        this.play,
        button('next', 'To the next event (.)', () => this.step(true)),
      ),
      this.at,
      this.scrub,
      el('label', { class: 'speed-label' }, 'speed', this.speed, this.speed_said),
      this.said,
    );
    app.say = (text) => {
      this.said.textContent = text;
      this.said.title = text;
    };
    app.listen(() => this.refresh());
    this.refresh();
  }
  get playing() {
    return this.frame !== 0;
  }
  get speed_ns() {
    return this.app.look.speed || fitting_speed(this.app.span[1] - this.app.span[0]);
  }
  private refresh() {
    const { at_ns } = this.app.look,
      [low, high] = this.app.span;
    this.scrub.value = String(Math.round((((at_ns ?? low) - low) / (high - low)) * SCRUB_STEPS));
    this.scrub.setAttribute('aria-valuetext', at_ns === null ? 'no instant' : exact(at_ns));
    this.at.textContent = at_ns === null ? '\u2013' : exact(at_ns);
    this.speed.value = String(Math.round(position_of(this.speed_ns) * SPEED_STEPS));
    this.speed_said.textContent = speed_text(this.speed_ns);
    this.speed.setAttribute('aria-valuetext', speed_text(this.speed_ns));
    this.direction.setAttribute('aria-pressed', String(!this.forwards));
    this.play.replaceChildren(icon(this.playing ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', this.playing ? 'Pause (space)' : 'Play (space)');
    this.node.dataset.playing = String(this.playing);
  }
  private go(at_ns: number, undo: string) {
    const { window, span, look } = this.app,
      next = look.window ? following(window, at_ns, span) : window;
    this.app.change({ at_ns, ...(next !== window && (next[0] !== window[0] || next[1] !== window[1]) && { window: next }) }, undo);
  }
  toggle() {
    if (this.playing) {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      this.refresh();
      return;
    }
    const [low, high] = this.app.span,
      at = this.app.look.at_ns,
      begin = this.forwards ? (at === null || at >= high ? low : at) : at === null || at <= low ? high : at;
    this.app.change({ at_ns: begin }, 'replay');
    this.before_ms = performance.now();
    const tick = (now: number) => {
      const speed = this.speed_ns * (this.forwards ? 1 : -1),
        next = moved(this.app.look.at_ns ?? begin, speed, Math.max(0, now - this.before_ms), this.app.span);
      this.before_ms = now;
      this.frame = next.ended ? 0 : requestAnimationFrame(tick);
      this.go(next.at_ns, 'none');
    };
    this.frame = requestAnimationFrame(tick);
    this.refresh();
  }
  step(forwards: boolean) {
    if (this.playing) this.toggle();
    void jump(this.app, 'call', forwards, false);
  }
  faster(factor: number) {
    this.app.change({ speed: speed_of(position_of(this.speed_ns * factor)) }, 'speed');
  }
  turn() {
    this.forwards = !this.forwards;
    this.refresh();
  }
}
