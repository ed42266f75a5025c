// A menu that opens below a button and closes by choosing, Escape or a click elsewhere; arrow keys walk through it.
import { type Child, el } from '../../base/dom.ts';
import { type Icon, icon } from './icons.ts';

export const button = (name: Icon, title: string, onclick: (event: Event) => void, more: Record<string, string | boolean> = {}) =>
  el('button', { type: 'button', class: 'icon-button', title, 'aria-label': title, onclick, ...more }, icon(name));

export interface Item {
  title: string;
  about?: string;
  checked?: boolean;
  choose(): void;
}
export type Section = [title: string, items: Item[]];

let close_open: (() => void) | null = null;
export function open_menu(anchor: HTMLElement, sections: Section[], label: string) {
  if (close_open) {
    const again = anchor.getAttribute('aria-expanded') === 'true';
    close_open();
    if (again) return;
  }
  const node_of = ({ title, about, checked, choose }: Item) =>
    el(
      'button',
      {
        type: 'button',
        role: checked === undefined ? 'menuitem' : 'menuitemradio',
        'aria-checked': checked === undefined ? null : String(checked),
        onclick: () => {
          close();
          choose();
        },
      },
      el('span', { class: 'item' }, title),
      about && el('span', { class: 'about' }, about),
    );
  const content: Child[] = sections
    .filter(([, items]) => items.length > 0)
    .map(([title, items]) =>
      el('div', { class: 'section', role: 'group' }, title && el('div', { class: 'head' }, title), items.map(node_of)),
    );
  const menu = el('div', { class: 'menu', role: 'menu', 'aria-label': label }, content);
  document.body.append(menu);
  const at = anchor.getBoundingClientRect(),
    size = menu.getBoundingClientRect();
  menu.style.left = Math.max(4, Math.min(at.left, innerWidth - size.width - 4)) + 'px';
  menu.style.top = (at.bottom + size.height + 4 > innerHeight ? Math.max(4, at.top - size.height - 4) : at.bottom + 4) + 'px';
  anchor.setAttribute('aria-expanded', 'true');
  const outside = (event: Event) => {
    if (event.target instanceof Node && !menu.contains(event.target) && !anchor.contains(event.target)) close();
  };
  const close = () => {
    menu.remove();
    anchor.setAttribute('aria-expanded', 'false');
    removeEventListener('pointerdown', outside, true);
    close_open = null;
  };
  close_open = close;
  addEventListener('pointerdown', outside, true);
  menu.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const items = [...menu.querySelectorAll('button')],
      now = items.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') {
      close();
      anchor.focus();
    } else if (step) items[(now + step + items.length) % items.length]?.focus();
    else return;
    event.preventDefault();
  });
  menu.querySelector('button')?.focus();
}

// Buttons of which one is pressed: name and title of each.
export function segmented<K extends string>(label: string, kinds: readonly (readonly [K, string])[], choose: (kind: K) => void) {
  const buttons = kinds.map(([kind, title]) => el('button', { type: 'button', onclick: () => choose(kind) }, title));
  const node = el('div', { class: 'segmented', role: 'group', 'aria-label': label }, buttons);
  return {
    node,
    show(chosen: K) {
      kinds.forEach(([kind], i) => {
        buttons[i]?.setAttribute('aria-pressed', String(kind === chosen));
      });
    },
  };
}
