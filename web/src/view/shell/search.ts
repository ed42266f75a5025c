// Search: names, markers, values, hosts and communicators, each a way to where it is first.
import { el } from '../../base/dom.ts';
import type { Found } from '../source/answers.ts';
import { aborted } from '../source/source.ts';
import { exact } from '../words.ts';
import type { App } from './app.ts';
import { icon } from './icons.ts';

const AFTER_MS = 150,
  MOST = 40;

export function search_box(app: App) {
  const input = el('input', {
      type: 'search',
      id: 'search',
      placeholder: 'Search names, markers, hosts',
      'aria-label': 'Search the trace',
      role: 'combobox',
      'aria-expanded': 'false',
      'aria-controls': 'found',
      autocomplete: 'off',
      spellcheck: 'false',
    }),
    list = el('div', { class: 'found', id: 'found', role: 'listbox', hidden: true });
  let asked: AbortController | null = null,
    timer = 0,
    chosen = -1;
  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    chosen = -1;
  };
  const go = (found: Found) => {
    close();
    if (found.from_ns === undefined) return;
    app.show({
      from_ns: found.from_ns,
      to_ns: Math.max(found.to_ns ?? found.from_ns, found.from_ns),
      ...(found.rank !== undefined && { rank: found.rank }),
    });
  };
  const show = (all: Found[]) => {
    chosen = -1;
    list.replaceChildren(
      ...(all.length === 0 ? [el('div', { class: 'none' }, 'Nothing has this in its name.')] : []),
      ...all.map((found) =>
        el(
          'button',
          { type: 'button', role: 'option', tabindex: -1, onclick: () => go(found), disabled: found.from_ns === undefined },
          el('span', { class: 'kind' }, found.kind),
          el('span', { class: 'text' }, found.text),
          el(
            'span',
            { class: 'where' },
            [found.rank !== undefined && `rank ${found.rank}`, found.from_ns !== undefined && exact(found.from_ns)]
              .filter((word) => word)
              .join(', '),
          ),
        ),
      ),
    );
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
  };
  const ask = async () => {
    asked?.abort();
    const text = input.value.trim();
    if (text === '') {
      close();
      return;
    }
    asked = new AbortController();
    try {
      show((await app.trace.find(text, MOST, asked.signal)).found);
    } catch (error) {
      if (aborted(error)) return;
      list.replaceChildren(el('div', { class: 'none' }, error instanceof Error ? error.message : String(error)));
      list.hidden = false;
    }
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), AFTER_MS);
  });
  input.addEventListener('keydown', (event) => {
    const options = [...list.querySelectorAll<HTMLButtonElement>('button:not([disabled])')],
      step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      if (list.hidden) input.blur();
      else close();
    } else if (event.key === 'Enter') (options[Math.max(0, chosen)] ?? null)?.click();
    else if (step && options.length > 0) {
      chosen = (chosen + step + options.length) % options.length;
      options.forEach((option, i) => {
        option.setAttribute('aria-selected', String(i === chosen));
      });
      options[chosen]?.scrollIntoView({ block: 'nearest' });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener('focus', () => input.value.trim() !== '' && void ask());
  const node = el('div', { class: 'search', role: 'search' }, icon('search'), input, list);
  node.addEventListener('focusout', (event) => {
    if (!(event.relatedTarget instanceof Node && node.contains(event.relatedTarget))) close();
  });
  return node;
}
