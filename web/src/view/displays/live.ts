// A run that still goes, hangs or was killed: what each rank is in now, and since when.
import { el, table } from '../../base/dom.ts';
import { count_text } from '../../base/format.ts';
import type { Display, Opened, View } from '../display.ts';
import type { LiveState } from '../source/answers.ts';
import type { Changed } from '../state/store.ts';
import { duration, ranks_text } from '../words.ts';

const EVERY_MS = 1000,
  MOST_ROWS = 500;
const known = (value: number | null) => (value === null ? '\u2013' : value < 0 ? 'any' : String(value));

class Live implements Opened {
  private view: View;
  private box = el('div', { class: 'pad live' });
  private answer: LiveState | null = null;
  private timer = 0;
  constructor(host: HTMLElement, view: View) {
    this.view = view;
    host.append(this.box);
    this.ask();
  }
  update(changed: Changed) {
    if (changed.has('traces')) this.ask();
  }
  close() {
    clearTimeout(this.timer);
  }
  figure() {
    const { answer } = this;
    return (
      answer && {
        name: `${this.view.trace.facts.name}-live`,
        table: () => ({
          columns: ['rank', 'state', 'call', 'peer', 'tag', 'comm', 'since_ns', 'for_ns', 'records'],
          rows: answer.ranks.map((one) => [
            one.rank,
            one.state,
            one.call,
            one.peer,
            one.tag,
            one.comm,
            one.since_ns,
            one.for_ns,
            one.records,
          ]),
        }),
      }
    );
  }
  private ask() {
    clearTimeout(this.timer);
    const { trace } = this.view;
    if (trace.entry.kind !== 'live') {
      this.show_end();
      return;
    }
    this.view.ask(
      'live',
      (signal) => trace.live(signal),
      (answer) => {
        this.answer = answer;
        // It may have ended and been closed while the answer was on its way.
        if (this.view.trace.entry.kind === 'live') this.show(answer);
        else this.show_end();
      },
      0,
    );
  }
  private show_end() {
    const ended = el('p', { class: 'soft' }, 'This run has ended and was closed: the timeline has all of it.');
    // What it was in when it was last seen stays.
    if (this.answer) this.box.replaceChildren(el('h2', {}, 'It has ended'), ended, ...this.rows(this.answer));
    else this.box.replaceChildren(ended);
  }
  private rows(answer: LiveState) {
    const stuck = [...answer.ranks].sort((a, b) => b.for_ns - a.for_ns);
    return [
      el('p', { class: 'soft' }, 'The rank that has been in its call for longest stands first.'),
      table(
        'states',
        [
          ['rank', ''],
          ['is in', ''],
          ['for', 'number'],
          ['peer', 'number'],
          ['tag', 'number'],
          ['communicator', ''],
          ['records', 'number'],
        ],
        stuck.slice(0, MOST_ROWS).map(({ rank, state, call, for_ns, peer, tag, comm, records, not_entered }) =>
          el(
            'tr',
            {},
            el('td', {}, String(rank)),
            el('td', {}, call ?? state, not_entered && el('span', { class: 'soft' }, ` without ${ranks_text(not_entered)}`)),
            [duration(for_ns), known(peer), known(tag)].map((text) => el('td', { class: 'number' }, text)),
            el('td', {}, comm ?? '\u2013'),
            el('td', { class: 'number' }, count_text(records)),
          ),
        ),
        'scroll',
      ),
      ...(stuck.length > MOST_ROWS ? [el('p', { class: 'note' }, `and ${count_text(stuck.length - MOST_ROWS)} more ranks`)] : []),
    ];
  }
  private show(answer: LiveState) {
    if (answer.running) this.timer = window.setTimeout(() => this.ask(), EVERY_MS);
    this.box.replaceChildren(
      el('h2', {}, answer.running ? 'It runs' : 'It has ended without closing'),
      ...(answer.ring.length > 0
        ? [
            el(
              'p',
              { class: 'warned', role: 'alert' },
              `It hangs: ${answer.ring.map((rank, i) => `rank ${rank} waits for ${answer.ring[(i + 1) % answer.ring.length]}`).join(', ')}.`,
            ),
          ]
        : []),
      ...this.rows(answer),
    );
  }
}

export const live: Display = {
  name: 'live',
  title: 'What it is in now',
  group: 'Start',
  about: 'Of a run that still goes or hangs: the call, peer and tag each rank is in',
  open: (host, view) => new Live(host, view),
};
