// Move the wire: the same run on another network or machine, predicted while the sliders move, beside the recorded one.
import { el, nodes_of } from '../../base/dom.ts';
import { percent, seconds, signed_percent } from '../../base/format.ts';
import type { Display, Opened, View } from '../display.ts';
import { MOST_OFF, said_of } from '../drawing/said.ts';
import type { Named, Prediction } from '../source/answers.ts';
import type { Trace } from '../source/trace.ts';
import type { Changed } from '../state/store.ts';
import { as_recorded, factor_of, type Knob, knobs, position_of, spec_of, type WhatIf, what_if_of } from './what_if.ts';

const STEPS = 400;
const named_list = (id: string, all: Named[]) =>
  el(
    'datalist',
    { id },
    all.map(({ name, about }) => el('option', { value: name }, about)),
  );

class Wire implements Opened {
  private view: View;
  private sliders = {} as Record<Knob, HTMLInputElement>;
  private said = {} as Record<Knob, HTMLOutputElement>;
  private network: HTMLInputElement;
  private machine: HTMLInputElement;
  private recorder: HTMLInputElement;
  private result = el('div', { class: 'prediction', 'aria-live': 'polite' });
  private beside = el('button', { type: 'button', class: 'toggle', 'aria-pressed': 'true' }, 'beside the recorded');
  private prediction: Prediction | null = null;
  private quick = false;
  private asked_of: Trace | null = null;

  constructor(host: HTMLElement, view: View) {
    this.view = view;
    this.network = el('input', {
      type: 'text',
      list: 'networks',
      'aria-label': 'Network',
      placeholder: 'as recorded',
      spellcheck: 'false',
    });
    this.machine = el('input', {
      type: 'text',
      list: 'machines',
      'aria-label': 'Machine',
      placeholder: 'the one that recorded',
      spellcheck: 'false',
    });
    this.recorder = el('input', {
      type: 'text',
      list: 'machines',
      'aria-label': 'Model of the machine that recorded',
      placeholder: 'as whatwire view was told',
      spellcheck: 'false',
    });
    this.recorder.value = view.option('machine');
    this.recorder.addEventListener('change', () => {
      view.set_option('machine', this.recorder.value.trim());
      this.ask(false);
    });
    const rows = knobs.map(({ name, title, about }) => {
      const slider = el('input', { type: 'range', min: -STEPS, max: STEPS, step: 1, 'aria-label': title, title: about }),
        said = el('output', {});
      slider.addEventListener('input', () => this.move(true));
      slider.addEventListener('change', () => this.move(false));
      slider.addEventListener('dblclick', () => {
        slider.value = '0';
        this.move(false);
      });
      this.sliders[name] = slider;
      this.said[name] = said;
      return el('label', { class: 'knob', title: `${about}. A double click sets it back.` }, el('span', {}, title), slider, said);
    });
    for (const field of [this.network, this.machine]) field.addEventListener('change', () => this.move(false));
    this.beside.addEventListener('click', () => this.toggle_beside());
    host.append(
      el(
        'div',
        { class: 'pad wire' },
        rows,
        el('label', { class: 'knob' }, el('span', {}, 'network'), this.network),
        el('label', { class: 'knob' }, el('span', {}, 'machine'), this.machine),
        el(
          'label',
          { class: 'knob', title: 'The model of the machine that the trace was recorded on' },
          el('span', {}, 'recorded on'),
          this.recorder,
        ),
        named_list('networks', view.networks),
        named_list('machines', view.machines),
        el('div', { class: 'tools-row' }, el('button', { type: 'button', onclick: () => this.reset() }, 'As recorded'), this.beside),
        this.result,
      ),
    );
    this.show_what_if();
    this.ask(false);
  }
  update(changed: Changed) {
    if (changed.has('what_if')) {
      this.show_what_if();
      this.ask(this.quick);
    } else if (changed.has('traces') && this.recorded !== this.asked_of) this.ask(false); // not for the predicted one, which it shows itself
  }
  close() {}
  figure() {
    const { prediction } = this;
    return (
      prediction && {
        name: `${this.recorded.facts.name}-prediction`,
        table: () => ({
          columns: ['what_if', 'recorded_s', 'replayed_s', 'predicted_s', 'predicted_low_s', 'predicted_high_s'],
          rows: [
            [
              this.view.look.what_if || 'as recorded',
              prediction.recorded_s,
              prediction.replayed_s,
              prediction.predicted_s,
              prediction.predicted_low_s,
              prediction.predicted_high_s,
            ],
          ],
        }),
      }
    );
  }

  // The recorded run, whatever is shown first.
  private get recorded() {
    return this.view.traces.find(({ entry }) => entry.kind !== 'predicted') ?? this.view.trace;
  }
  private get what_if(): WhatIf {
    return what_if_of(this.view.look.what_if);
  }
  private show_what_if() {
    const { factors, network, others } = this.what_if;
    for (const { name } of knobs) {
      const slider = this.sliders[name],
        position = String(Math.round(position_of(factors[name]) * STEPS));
      if (slider.value !== position) slider.value = position;
      this.said[name].textContent = `\u00d7${factors[name]}`;
      slider.setAttribute('aria-valuetext', this.said[name].textContent);
    }
    if (document.activeElement !== this.network) this.network.value = network;
    const machine = others.find((part) => part.startsWith('machine='));
    if (document.activeElement !== this.machine) this.machine.value = machine?.slice('machine='.length) ?? '';
  }
  private move(quick: boolean) {
    this.quick = quick;
    const factors = Object.fromEntries(
        knobs.map(({ name }) => [name, factor_of(Number(this.sliders[name].value) / STEPS)]),
      ) as WhatIf['factors'],
      machine = this.machine.value.trim(),
      others = this.what_if.others.filter((part) => !part.startsWith('machine='));
    const what_if = spec_of({ factors, network: this.network.value.trim(), others: machine ? [...others, `machine=${machine}`] : others });
    if (what_if === this.view.look.what_if) this.ask(quick);
    else this.view.change({ what_if }, 'what if');
  }
  private reset() {
    this.quick = false;
    this.view.change({ what_if: spec_of(as_recorded()) });
  }
  private ask(quick: boolean) {
    const { recorded } = this;
    this.asked_of = recorded;
    const spec = this.view.look.what_if,
      task = (signal: AbortSignal) => recorded.predict(spec, { quick: quick ? 1 : null, machine: this.view.option('machine') }, signal);
    const then = (prediction: Prediction) => {
      this.prediction = prediction;
      this.show(prediction, quick);
      if (prediction.trace !== null && this.beside.getAttribute('aria-pressed') === 'true') void this.show_beside(prediction.trace);
    };
    // While it moves one prediction follows the other; the whole one aborts them.
    if (quick) this.view.follow('predict', task, then);
    else this.view.ask('predict', task, then, 0);
  }
  private async show_beside(number: number) {
    const { recorded } = this;
    await this.view.add_trace(number);
    if (this.view.look.what_if === '' && this.view.look.traces.length === 1) return;
    this.view.change({ traces: [recorded.number, number] }, 'what if');
  }
  private toggle_beside() {
    const pressed = this.beside.getAttribute('aria-pressed') !== 'true';
    this.beside.setAttribute('aria-pressed', String(pressed));
    if (!pressed) this.view.change({ traces: [this.recorded.number] });
    else if (this.prediction?.trace !== null && this.prediction) void this.show_beside(this.prediction.trace);
  }

  private show(prediction: Prediction, quick: boolean) {
    const { replayed_s, predicted_s } = prediction,
      recorded_s = prediction.recorded_s ?? replayed_s,
      // A replay alone has no interval.
      predicted_low_s = quick ? null : (prediction.predicted_low_s ?? null),
      predicted_high_s = quick ? null : (prediction.predicted_high_s ?? null),
      off = replayed_s / recorded_s - 1,
      gain = replayed_s / predicted_s,
      longest = Math.max(recorded_s, replayed_s, predicted_s, predicted_high_s ?? 0);
    const bar = (title: string, s: number, kind: string, low: number | null = null, high: number | null = null) => {
      const fill = el('span', { class: `fill ${kind}` }),
        range = el('span', { class: 'range', hidden: low === null || high === null });
      fill.style.width = `${(s / longest) * 100}%`;
      if (low !== null && high !== null) {
        range.style.left = `${(low / longest) * 100}%`;
        range.style.width = `${Math.max(0.4, ((high - low) / longest) * 100)}%`;
        range.title = `95% interval: ${seconds(low, 4)} to ${seconds(high, 4)}`;
      }
      return el(
        'div',
        { class: 'bar-row' },
        el('span', { class: 'name' }, title),
        el('span', { class: 'bar' }, fill, range),
        el('span', { class: 'value' }, seconds(s, 4)),
      );
    };
    const interval =
      predicted_low_s !== null && predicted_high_s !== null
        ? `Interval ${seconds(predicted_low_s, 4)} to ${seconds(predicted_high_s, 4)}.`
        : 'Release the slider for the interval.';
    const said = {
      predictedS: predicted_s,
      predictedLowS: predicted_low_s,
      predictedHighS: predicted_high_s,
      replayedS: replayed_s,
      recordedS: recorded_s,
    };
    this.result.dataset.whatIf = this.view.look.what_if;
    for (const [name, value] of Object.entries(said)) this.result.dataset[name] = value === null ? '' : String(value);
    this.result.replaceChildren(
      el(
        'p',
        { class: 'headline' },
        this.view.look.what_if === ''
          ? 'As recorded'
          : Math.abs(off) > MOST_OFF
            ? 'Predicted'
            : gain >= 1
              ? `${gain.toFixed(2)} times as fast`
              : `${(1 / gain).toFixed(2)} times as slow`,
      ),
      bar('recorded', recorded_s, 'recorded'),
      bar('replayed', replayed_s, 'replayed'),
      bar('predicted', predicted_s, 'predicted', predicted_low_s, predicted_high_s),
      el('p', { class: 'note' }, interval, ` Self-check: the replay of what was recorded is off by ${signed_percent(off)}.`),
      ...(Math.abs(off) > MOST_OFF
        ? [
            el(
              'p',
              { class: 'warned' },
              `The replay is off by more than ${percent(MOST_OFF, 0)}: no speed-up is said. whatwire dilate --virtual takes the program itself.`,
            ),
          ]
        : []),
      ...nodes_of(said_of(prediction)),
    );
  }
}

export const wire: Display = {
  name: 'wire',
  title: 'Move the wire',
  group: 'What if',
  about: 'The same run on another network or machine, predicted while you move a slider',
  open: (host, view) => new Wire(host, view),
};
