// The line above the timeline: what is coloured by what, what the colours mean (each can be changed), lines of messages, all of it.
import { el } from '../../base/dom.ts';
import type { View } from '../display.ts';
import { segmented } from '../shell/menu.ts';
import type { ColourClass } from '../state/colours.ts';
import type { Colouring } from '../state/look.ts';
import { colour_field, show_colour_sheet } from './colour_sheet.ts';

const MOST_KEYS = 14;
export class Legend {
  readonly node: HTMLElement;
  private view: View;
  private by;
  private keys = el('span', { class: 'legend' });
  private note = el('span', { class: 'note', role: 'status' });
  private messages = el('button', { type: 'button', class: 'toggle', title: 'Lines of messages (M)' }, 'messages');
  private all = el('button', { type: 'button', class: 'toggle', title: 'The whole trace (0)' }, 'whole');
  private order = el('button', { type: 'button', class: 'toggle', title: 'Ranks that were blocked longest first' }, 'by wait');
  private own = el('button', { type: 'button', class: 'plain', title: 'Colours as they were at first' }, 'reset');
  private more = el('button', { type: 'button', class: 'plain', title: 'All colours: change, save, load them' }, 'colours\u2026');
  private shown = '';
  private classes: ColourClass[] = [];

  constructor(view: View, show_all: () => void) {
    this.view = view;
    this.by = segmented<Colouring>(
      'Colours by',
      [
        ['state', 'state'],
        ['part', 'part'],
        ['call', 'call'],
        ['key', 'call and part'],
      ],
      (colouring) => view.change({ colouring }),
    );
    this.messages.addEventListener('click', () => view.change({ messages: !view.look.messages }));
    this.order.addEventListener('click', () => view.change({ order: view.look.order === 'rank' ? 'blocked' : 'rank' }));
    this.own.addEventListener('click', () => view.change({ colours: {}, colour_map: '' }));
    this.more.addEventListener('click', () => show_colour_sheet(view, () => this.classes));
    this.all.addEventListener('click', show_all);
    this.node = el(
      'div',
      { class: 'timeline-tools' },
      this.by.node,
      this.keys,
      this.more,
      this.own,
      el('span', { class: 'gap' }),
      this.note,
      this.order,
      this.messages,
      this.all,
    );
  }
  update(classes: ColourClass[], note: string) {
    this.classes = classes;
    this.by.show(this.view.look.colouring);
    this.messages.setAttribute('aria-pressed', String(this.view.look.messages));
    this.order.setAttribute('aria-pressed', String(this.view.look.order === 'blocked'));
    this.own.hidden = Object.keys(this.view.look.colours).length === 0;
    this.all.disabled = this.view.look.window === null && this.view.look.rows === null;
    this.note.textContent = note;
    const wanted = classes.map(({ name, colour }) => name + colour).join();
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.keys.classList.toggle('many', classes.length > 7);
    this.keys.replaceChildren(
      ...classes.slice(0, MOST_KEYS).map((one) => this.key(one)),
      ...(classes.length > MOST_KEYS ? [`and ${classes.length - MOST_KEYS} more`] : []),
    );
  }
  private key(one: ColourClass) {
    return el('label', { class: 'key', title: `${one.about}. Click to change the colour.` }, colour_field(this.view, one), one.title);
  }
}
