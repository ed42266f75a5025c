// The sheet of keys.
import { el } from '../../base/dom.ts';
import { bindings, key_text } from './keys.ts';

const MOST_SAID = 2; // of keys that do the same
export function show_sheet() {
  const groups = [...new Set(bindings.map(({ group }) => group))];
  const dialog = el(
    'dialog',
    { class: 'sheet', 'aria-label': 'Keys' },
    el('h2', {}, 'Keys and pointer'),
    el(
      'div',
      { class: 'columns' },
      groups.map((group) =>
        el(
          'section',
          {},
          el('h3', {}, group),
          el(
            'dl',
            {},
            bindings
              .filter((one) => one.group === group)
              .map(({ keys, title }) => [
                el(
                  'dt',
                  {},
                  keys.slice(0, MOST_SAID).map((key, i) => [i > 0 && ' ', el('kbd', {}, key_text(key))]),
                ),
                el('dd', {}, title),
              ]),
          ),
        ),
      ),
      el(
        'section',
        {},
        el('h3', {}, 'Pointer, in the timeline'),
        el(
          'dl',
          {},
          (
            [
              ['wheel', 'zoom in time, at the pointer'],
              ['shift + wheel', 'scroll the ranks'],
              ['ctrl + wheel', 'zoom the ranks'],
              ['drag', 'move in time and ranks'],
              ['shift + drag', 'select a span and ranks'],
              ['click', 'instant here; details of the call'],
              ['double click', 'zoom to the call'],
            ] as const
          ).map(([what, does]) => [el('dt', {}, el('kbd', {}, what)), el('dd', {}, does)]),
        ),
      ),
    ),
    el('form', { method: 'dialog' }, el('button', { type: 'submit', class: 'primary' }, 'Close')),
  );
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
