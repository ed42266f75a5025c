// What to look at first: the three largest causes of waiting in words, each a way into the picture; then what the trace is.
import { el } from '../../base/dom.ts';
import { bytes_text, count_text, percent, seconds } from '../../base/format.ts';
import type { Display, Opened, View } from '../display.ts';
import type { Cause, FirstLook } from '../source/answers.ts';
import { diagnostic_text, duration } from '../words.ts';

const DISTURBED =
  'The ranks did not have their cores all the time (see the diagnostics): some of this may be that, and neither the program nor the network.';

class First implements Opened {
  private view: View;
  private causes = el('div', { class: 'causes' });
  private about = el('div', {});
  private trace = -1;
  private answer: FirstLook | null = null;
  constructor(host: HTMLElement, view: View) {
    this.view = view;
    host.append(el('div', { class: 'pad first' }, this.causes, this.about));
    this.update();
  }
  update() {
    const { trace } = this.view;
    if (trace.number === this.trace) return;
    this.trace = trace.number;
    this.answer = null;
    this.show_about();
    this.causes.replaceChildren(el('p', { class: 'soft' }, 'Looking for where the time goes\u2026'));
    this.view.ask(
      'first',
      (signal) => trace.first(signal),
      (answer) => this.show_causes(answer),
      0,
    );
  }
  close() {}
  figure() {
    const { answer } = this;
    return (
      answer && {
        name: `${this.view.trace.facts.name}-causes`,
        table: () => ({
          columns: ['cause', 'waiting_s', 'share', 'from_ns', 'to_ns', 'ranks', 'calls', 'what_to_do'],
          rows: answer.causes.map(({ text, remedy, s, share, link }) => [
            text,
            s,
            share,
            link.from_ns,
            link.to_ns,
            link.ranks ?? '',
            link.calls ?? '',
            remedy ?? '',
          ]),
        }),
      }
    );
  }

  private show_causes(answer: FirstLook) {
    this.answer = answer;
    const { facts } = this.view.trace;
    if (answer.causes.length === 0) {
      const why =
        facts.calls === 0
          ? 'The trace has no calls: nothing was sent or received while it was recorded.'
          : `No rank waits for one cause for as much as ${percent(answer.waits_of_at_least ?? 0.05, 0)} of its time.`;
      this.causes.replaceChildren(el('h2', {}, 'Nothing waits'), el('p', { class: 'soft' }, why));
      return;
    }
    this.causes.replaceChildren(
      el('h2', {}, answer.causes.length === 1 ? 'Where it waits' : 'Where it waits most'),
      el('p', { class: 'soft' }, 'Choose one to see it in the timeline. Shares are of the time of the ranks that wait.'),
      ...(answer.disturbed ? [el('p', { class: 'doubt' }, DISTURBED)] : []),
      ...answer.causes.map((cause, i) => this.card(cause, i)),
    );
  }
  private card({ text, remedy, part, s, waiting, share, link, longest }: Cause, i: number) {
    const fill = el('span', { class: 'fill' });
    fill.style.background = `var(--${part ?? 'algorithmic'})`;
    fill.style.width = `${Math.min(100, share * 100)}%`;
    // The longest of its waits so near that it can be read; all of them are what is selected.
    const show_longest = () => (longest ? this.view.show({ ...link, focus: longest }) : this.view.show(link));
    const move = () => {
      const [from_ns, to_ns] = this.view.window;
      this.view.show({ from_ns, to_ns, display: 'wire' });
    };
    return el(
      'div',
      { class: 'cause-box' },
      el(
        'button',
        { type: 'button', class: 'cause', onclick: show_longest, 'data-cause': i, title: 'Show its longest wait' },
        el(
          'span',
          { class: 'figures' },
          el('b', {}, percent(share)),
          el('span', {}, seconds(s)),
          (waiting ?? 1) > 1 && el('span', {}, `of ${waiting} ranks`),
        ),
        el('span', {}, el('span', { class: 'words' }, text), remedy && el('span', { class: 'remedy' }, `What to do: ${remedy}.`)),
        el('span', { class: 'bar', 'aria-hidden': 'true' }, fill),
      ),
      el(
        'div',
        { class: 'more' },
        longest && el('button', { type: 'button', class: 'plain all', onclick: () => this.view.show(link) }, 'all of its waits'),
        part === 'service' && el('button', { type: 'button', class: 'plain move', onclick: move }, 'move the wire'),
      ),
    );
  }
  private show_about() {
    const { trace } = this.view,
      { facts, entry } = trace,
      hosts = new Set(facts.ranks.map(({ host }) => host)),
      [from, to] = facts.span_ns;
    const fact = (name: string, value: string) => el('div', {}, el('dt', {}, name), el('dd', {}, value));
    this.about.replaceChildren(
      el('h3', {}, facts.name),
      el(
        'p',
        { class: 'soft small' },
        entry.kind === 'predicted'
          ? `Predicted${entry.spec ? ': ' + entry.spec : ''}.`
          : entry.kind === 'live'
            ? 'Still being recorded, or ended without closing.'
            : `Recorded, from ${entry.source}.`,
      ),
      el(
        'dl',
        { class: 'facts' },
        fact('elapsed', seconds(facts.elapsed_s, 4)),
        fact('span', duration(to - from)),
        fact('ranks', count_text(facts.ranks.length)),
        fact('hosts', count_text(hosts.size)),
        fact('calls', count_text(facts.calls)),
        fact('messages', count_text(facts.messages)),
        fact('collectives', count_text(facts.collectives)),
        fact('markers', count_text(facts.markers)),
        fact('index', bytes_text(facts.index.bytes)),
      ),
      ...(facts.diagnostics.length > 0
        ? [
            el(
              'div',
              { class: 'card warned' },
              el('h3', {}, 'To be careful with'),
              el(
                'ul',
                {},
                facts.diagnostics.map((one) => el('li', {}, diagnostic_text(one))),
              ),
            ),
          ]
        : []),
      el(
        'p',
        { class: 'note hints' },
        'Wheel zooms, drag moves, shift and drag selects. A click shows the call and its messages. ',
        el('kbd', {}, '?'),
        ' lists all keys, ',
        el('kbd', {}, 'n'),
        ' goes to the longest wait, ',
        el('kbd', {}, 'space'),
        ' replays.',
      ),
    );
  }
}

export const first: Display = {
  name: 'first',
  title: 'First look',
  group: 'Start',
  about: 'Why this run waits, in words, and where to see it',
  open: (host, view) => new First(host, view),
};
