// The call that was chosen: its parts, its messages, its collective; or what every rank is in at the instant.
import { el, number_heads, type Row, table } from '../../base/dom.ts';
import { bytes_text, count_text } from '../../base/format.ts';
import type { Display, Opened, View } from '../display.ts';
import type { Table } from '../figure.ts';
import type { CallDetails, CallMessage, RankState } from '../source/answers.ts';
import type { Changed } from '../state/store.ts';
import { duration, exact, part_title } from '../words.ts';

const MOST_ROWS = 200;
const known = (value: number | null | undefined) =>
  value === null || value === undefined || value === -1 ? '\u2013' : value === -2 ? 'several' : String(value);

class Details implements Opened {
  private view: View;
  private call_box = el('div', {});
  private state_box = el('div', {});
  private call: CallDetails | null = null;
  private states: RankState[] = [];
  constructor(host: HTMLElement, view: View) {
    this.view = view;
    host.append(el('div', { class: 'pad details' }, this.call_box, this.state_box));
    this.ask_call();
    this.ask_state();
  }
  update(changed: Changed) {
    if (changed.has('picked') || changed.has('traces')) this.ask_call();
    const recoloured = changed.has('theme') || changed.has('colouring') || changed.has('colours');
    if (recoloured && this.call) this.show_call(this.call);
    if (changed.has('at_ns') || changed.has('traces') || recoloured) this.ask_state();
  }
  close() {}
  figure() {
    if (!this.call && this.states.length === 0) return null;
    return { name: `${this.view.trace.facts.name}-${this.call ? 'call' : 'state'}`, table: () => this.table() };
  }
  private table(): Table {
    const { call } = this;
    if (call)
      return {
        columns: ['rank', 'call', 'name', 'enter_ns', 'leave_ns', 'message', 'peer', 'tag', 'bytes', 'sent_ns', 'received_ns'],
        rows: (call.messages.length > 0 ? call.messages : [null]).map((message) => [
          call.rank,
          call.call,
          call.name,
          call.enter_ns,
          call.leave_ns,
          ...(message
            ? [message.number, message.peer, message.tag, message.bytes, message.sent_ns, message.received_ns]
            : [null, null, null, null, null, null]),
        ]),
      };
    return {
      columns: ['rank', 'name', 'part', 'since_ns', 'until_ns', 'peer', 'tag', 'bytes', 'queued_messages', 'queued_bytes'],
      rows: this.states.map((one) => [
        one.rank,
        one.name,
        one.part,
        one.since_ns,
        one.until_ns,
        one.peer ?? null,
        one.tag ?? null,
        one.bytes ?? null,
        one.queued_messages,
        one.queued_bytes,
      ]),
    };
  }

  private ask_call() {
    const { picked } = this.view.look,
      trace = this.view.all_traces.find(({ number }) => number === picked?.trace);
    if (!picked || !trace) {
      this.call = null;
      this.call_box.replaceChildren(
        el('p', { class: 'soft' }, 'Click a call in the timeline: its parts, messages and partners stand here.'),
      );
      return;
    }
    this.view.ask(
      'call',
      (signal) => trace.call(picked.rank, picked.call, signal),
      (call) => this.show_call(call),
      0,
    );
  }
  private show_call(call: CallDetails) {
    this.call = call;
    const total = Math.max(1, call.leave_ns - call.enter_ns),
      { classes, of_key } = this.view.palette.classes(this.view.trace.facts.names, this.view.trace.facts.keys);
    const part = (name: 'algorithmic' | 'service' | 'library', ns: number) => {
      const key = this.view.trace.facts.keys.findIndex((one) => one.part === name && this.view.trace.name_of(one.name) === call.name),
        bar = el('span', { class: 'part', title: `${part_title[name]}: ${exact(ns)}` });
      bar.style.width = `${(ns / total) * 100}%`;
      bar.style.background = key >= 0 ? (classes[of_key[key] ?? 0]?.colour ?? '') : `var(--${name})`;
      return bar;
    };
    const facts: Row[] = [
      ['begins', exact(call.enter_ns)],
      ['takes', exact(call.leave_ns - call.enter_ns)],
      ['blocked, algorithmic', exact(call.algorithmic_ns)],
      ['blocked, service', exact(call.service_ns)],
      ['library', exact(call.library_ns)],
    ];
    const { collective } = call;
    this.call_box.replaceChildren(
      el(
        'div',
        { class: 'title' },
        el('h2', {}, call.name),
        el('span', { class: 'soft' }, ` rank ${call.rank}, call ${count_text(call.call)}`),
        el(
          'button',
          {
            type: 'button',
            class: 'plain',
            onclick: () => this.view.show({ from_ns: call.enter_ns, to_ns: call.leave_ns, rank: call.rank, call: call.call }),
          },
          'show',
        ),
      ),
      el(
        'div',
        { class: 'parts' },
        part('algorithmic', call.algorithmic_ns),
        part('service', call.service_ns),
        part('library', call.library_ns),
      ),
      el(
        'dl',
        { class: 'pairs' },
        facts.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
      ),
      ...(call.messages.length > 0
        ? [
            el('h3', {}, call.messages.length === 1 ? 'Its message' : `Its ${count_text(call.messages.length)} messages`),
            table(
              'messages',
              number_heads('peer', 'tag', 'size', 'sent', 'received'),
              call.messages.slice(0, MOST_ROWS).map((message) => this.message_row(message)),
              'scroll',
            ),
            call.messages.length > MOST_ROWS && el('p', { class: 'note' }, `and ${count_text(call.messages.length - MOST_ROWS)} more`),
          ].filter((node) => node instanceof HTMLElement)
        : []),
      ...(collective ? [this.collective_table(collective)] : []),
    );
  }
  private message_row(message: CallMessage) {
    const go = () => this.view.show({ from_ns: message.sent_ns, to_ns: message.received_ns ?? message.sent_ns, rank: message.peer });
    return el(
      'tr',
      {
        class: 'link',
        tabindex: 0,
        title: 'Show this message',
        onclick: go,
        onkeydown: (event) => event instanceof KeyboardEvent && event.key === 'Enter' && go(),
      },
      el('td', {}, `${message.outgoing ? 'to' : 'from'} ${message.peer}`),
      [
        known(message.tag),
        bytes_text(message.bytes),
        exact(message.sent_ns),
        message.received_ns === null ? 'never' : exact(message.received_ns),
      ].map((text) => el('td', { class: 'number' }, text)),
    );
  }
  private collective_table({ op, comm, members }: NonNullable<CallDetails['collective']>) {
    const last = Math.max(...members.map(({ enter_ns }) => enter_ns)),
      sorted = [...members].sort((a, b) => b.enter_ns - a.enter_ns);
    return el(
      'div',
      {},
      el('h3', {}, `${op} of ${comm}`),
      el('p', { class: 'note' }, 'The last to come makes the others wait; it stands first.'),
      table(
        'members',
        number_heads('rank', 'enters', 'before the last', 'leaves'),
        sorted.slice(0, MOST_ROWS).map(({ rank, enter_ns, leave_ns }) =>
          el(
            'tr',
            { class: 'link', tabindex: 0, onclick: () => this.view.show({ from_ns: enter_ns, to_ns: leave_ns, rank }) },
            el('td', {}, String(rank)),
            [exact(enter_ns), enter_ns === last ? 'last' : duration(last - enter_ns), exact(leave_ns)].map((text) =>
              el('td', { class: 'number' }, text),
            ),
          ),
        ),
        'scroll',
      ),
    );
  }

  private ask_state() {
    const { at_ns } = this.view.look,
      { trace } = this.view;
    if (at_ns === null) {
      this.states = [];
      this.state_box.replaceChildren();
      return;
    }
    this.view.follow(
      'state',
      (signal) => trace.state(at_ns, signal),
      ({ ranks }) => this.show_states(ranks, at_ns),
    );
  }
  private show_states(states: RankState[], at_ns: number) {
    this.states = states;
    const { classes, of_key } = this.view.palette.classes(this.view.trace.facts.names, this.view.trace.facts.keys);
    const swatch = (key: number) => {
      const node = el('span', { class: 'swatch' });
      node.style.background = classes[of_key[key] ?? 0]?.colour ?? '';
      return node;
    };
    this.state_box.replaceChildren(
      el('h3', {}, `At ${exact(Math.round(at_ns))}`),
      table(
        'states',
        [
          ['rank', ''],
          ['is in', ''],
          ['since', 'number'],
          ['peer', 'number'],
          ['tag', 'number'],
          ['waiting', 'number'],
        ],
        states.slice(0, MOST_ROWS).map((one) =>
          el(
            'tr',
            { title: `${one.name ? part_title[one.part] + ', ' : ''}until ${exact(one.until_ns)}` },
            el('td', {}, String(one.rank)),
            el('td', { class: 'is-in' }, swatch(one.key), one.name || one.part),
            [
              duration(at_ns - one.since_ns),
              known(one.peer),
              known(one.tag),
              one.queued_messages > 0 ? `${one.queued_messages} (${bytes_text(one.queued_bytes)})` : '\u2013',
            ].map((text) => el('td', { class: 'number' }, text)),
          ),
        ),
        'scroll',
      ),
      ...(states.length > MOST_ROWS ? [el('p', { class: 'note' }, `and ${count_text(states.length - MOST_ROWS)} more ranks`)] : []),
    );
  }
}

export const details: Display = {
  name: 'details',
  title: 'Details',
  group: 'Calls',
  about: 'The chosen call with its messages; what every rank is in at the instant',
  open: (host, view) => new Details(host, view),
};
