// All of what the page has of running programs: the form, the run that goes or was looked at last, and the results of this session.
import { el, table } from '../../base/dom.ts';
import { count_text, seconds } from '../../base/format.ts';
import { FormBox, text_of } from './form_box.ts';
import { state_text } from './run_text.ts';
import { again, counterpart, going, type Run, type RunSession } from './session.ts';

export class RunDesk {
  readonly node: HTMLElement;
  private session: RunSession;
  private form: FormBox;
  private progress = el('section', { class: 'run-progress', 'aria-label': 'The run' });
  private results = el('section', { class: 'run-results', 'aria-label': 'Runs of this session' });
  private heading = el('h2', {});
  private stop = el('button', { type: 'button', class: 'run-stop', onclick: () => void this.end() }, 'Stop');
  private said = el('p', { class: 'field-fault run-said', role: 'alert', hidden: true });
  private printed = el('pre', { class: 'run-output', tabindex: 0, 'aria-label': 'What it printed' });
  private dropped = el('p', { class: 'note' });
  private shown = '';
  private unlisten: () => void;

  constructor(session: RunSession) {
    this.session = session;
    this.form = new FormBox(session);
    this.progress.append(el('div', { class: 'run-row' }, this.heading, this.stop), this.said, this.dropped, this.printed);
    this.node = el('div', { class: 'pad run-desk' }, this.form.node, this.progress, this.results);
    this.unlisten = session.listen(() => this.refresh());
    this.refresh();
    void session.look();
  }
  close() {
    this.unlisten();
  }
  private refresh() {
    const { runs, looked_at, printed } = this.session,
      run = runs.find((one) => one.run === looked_at);
    this.form.refresh();
    // While one goes it is what one wants to see, and not the form.
    this.node.classList.toggle('is-going', going(runs) !== undefined);
    this.progress.hidden = run === undefined;
    if (run) this.show_progress(run, printed.text, printed.dropped);
    this.show_results();
  }
  private show_progress(run: Run, text: string, dropped: number) {
    this.progress.dataset.state = run.state;
    this.heading.textContent = `${run.name} ${state_text(run)} (${seconds(run.elapsed_s)})`;
    this.stop.hidden = !run.goes;
    // Whoever asks twice wants it at once, as with Ctrl-C.
    this.stop.textContent = run.stopping ? 'Stop at once' : 'Stop';
    this.said.hidden = run.state !== 'failed' || !run.said;
    this.said.textContent = run.said ?? '';
    this.dropped.textContent = dropped > 0 ? `The first ${count_text(dropped)} bytes are left out.` : '';
    if (this.printed.textContent === text) return;
    const at_end = this.printed.scrollTop + this.printed.clientHeight >= this.printed.scrollHeight - 4;
    this.printed.textContent = text;
    if (at_end) this.printed.scrollTop = this.printed.scrollHeight;
  }
  private show_results() {
    const { runs, opener } = this.session,
      key = JSON.stringify([runs.map(({ run, state, trace, stopping }) => [run, state, trace, stopping]), opener?.shown()]);
    if (key === this.shown) return;
    this.shown = key;
    if (runs.length === 0) {
      this.results.replaceChildren();
      return;
    }
    const does = (text: string, title: string, act: () => void) =>
      el('button', { type: 'button', class: 'plain', title, onclick: act }, text);
    this.results.replaceChildren(
      el('h3', {}, 'Runs of this session'),
      table(
        'runs',
        [
          ['result', ''],
          ['', ''],
          ['took', 'number'],
          ['', ''],
        ],
        [...runs].reverse().map((run) => {
          const { trace } = run,
            other = trace === null || run.goes ? null : counterpart(runs, trace, opener?.shown() ?? []);
          return el(
            'tr',
            { 'data-run': run.run, title: run.command },
            el('td', {}, run.name),
            el('td', {}, state_text(run)),
            el('td', { class: 'number' }, run.goes ? '' : seconds(run.elapsed_s)),
            el(
              'td',
              { class: 'run-acts' },
              trace !== null && does('Open', 'Show this run', () => void opener?.open(trace)),
              trace !== null &&
                other !== null &&
                does('Compare', 'Show it below the other one, and when and where it is later', () => void opener?.compare(other, trace)),
              does('Output', 'What it printed', () => void this.session.look_at(run.run)),
              !run.goes && does('Again', 'Its settings in the form, to change them', () => this.form.fill(again(run.form))),
            ),
          );
        }),
        '',
      ),
    );
  }
  private async end() {
    const run = going(this.session.runs);
    if (!run) return;
    try {
      await this.session.stop(run.run);
    } catch (error) {
      this.said.textContent = text_of(error);
      this.said.hidden = false;
    }
  }
}
