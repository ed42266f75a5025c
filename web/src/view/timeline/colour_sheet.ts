// The sheet of colours: all that the timeline can show under a colouring, each colour to be changed, and colours under a name, kept by
// the browser, saved as a file and read again.
import { el } from '../../base/dom.ts';
import type { View } from '../display.ts';
import { save } from '../figure.ts';
import {
  type ColourMap,
  file_text,
  forget_map,
  MOST_FILE_BYTES,
  map_name,
  map_of_file,
  save_map,
  saved_maps,
} from '../state/colour_maps.ts';
import type { ColourClass } from '../state/colours.ts';

const MOST_SHOWN = 400;

export function colour_field(view: View, { name, title, colour }: ColourClass) {
  const input = el('input', { type: 'color', value: colour, 'aria-label': `Colour of ${title}`, 'data-class': name });
  input.addEventListener('input', () =>
    view.change({ colours: { ...view.look.colours, [name]: input.value }, colour_map: '' }, `colour ${name}`),
  );
  return input;
}

// `classes` gives what can be seen now, in the colours of now.
export function show_colour_sheet(view: View, classes: () => ColourClass[]) {
  const list = el('div', { class: 'colour-list' }),
    said = el('p', { class: 'note', role: 'status' }),
    find = el('input', { type: 'search', placeholder: 'find', 'aria-label': 'Find a colour', spellcheck: 'false' }),
    chooser = el('select', { 'aria-label': 'Saved colours' }),
    name = el('input', { type: 'text', placeholder: 'name', 'aria-label': 'Name of these colours', maxlength: 60, spellcheck: 'false' }),
    file = el('input', { type: 'file', accept: '.json,application/json', 'aria-label': 'File of colours', hidden: true });
  const tell = (text: string) => {
    said.textContent = text;
  };
  const show_list = () => {
    const wanted = find.value.trim().toLowerCase(),
      found = classes().filter(({ title }) => title.toLowerCase().includes(wanted));
    list.replaceChildren(
      ...found.slice(0, MOST_SHOWN).map((one) => {
        const own = view.look.colours[one.name] !== undefined,
          back = el('button', { type: 'button', class: 'plain', title: `As at first: ${one.title}`, hidden: !own }, 'reset');
        back.addEventListener('click', () => {
          const { [one.name]: _, ...others } = view.look.colours;
          view.change({ colours: others, colour_map: '' });
          soon(show_list);
        });
        const field = colour_field(view, one);
        field.addEventListener('input', () => {
          back.hidden = false;
        });
        return el('div', { class: 'colour-row' }, el('label', { title: one.about }, field, el('span', {}, one.title)), back);
      }),
      ...(found.length > MOST_SHOWN ? [el('p', { class: 'note' }, `and ${found.length - MOST_SHOWN} more: find them by name`)] : []),
    );
  };
  const show_maps = (chosen: string) => {
    chooser.replaceChildren(
      el('option', { value: '' }, 'saved colours\u2026'),
      ...saved_maps().map((one) => el('option', { value: one.name }, one.name)),
    );
    chooser.value = chosen;
    forget.disabled = chooser.value === '';
  };
  // The palette is made anew in the frame after a change.
  const soon = (then: () => void) => requestAnimationFrame(() => requestAnimationFrame(then));
  const apply = (map: ColourMap) => {
    view.change({ colours: map.colours, colour_map: map.name });
    soon(show_list);
  };
  const current = (): ColourMap => ({ name: map_name(name.value) || chooser.value || 'colours', colours: view.look.colours });

  const button = (text: string, title: string, onclick: () => void) => el('button', { type: 'button', title, onclick }, text);
  const keep = button('Save', 'Keeps these colours under the name, in this browser', () => {
    const map = current();
    save_map(map);
    view.change({ colour_map: map.name }, 'none');
    show_maps(map.name);
    tell(`Saved as ${map.name}.`);
  });
  const forget = button('Delete', 'Forgets the saved colours that are chosen', () => {
    const gone = chooser.value;
    forget_map(gone);
    if (view.look.colour_map === gone) view.change({ colour_map: '' }, 'none');
    show_maps('');
    tell(`${gone} is deleted; what is shown stays as it is.`);
  });
  const download = button('Download', 'These colours as a small file', () => {
    const map = current();
    save(new Blob([file_text(map)], { type: 'application/json' }), `${map.name.replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')}.json`);
  });
  const load = button('Load\u2026', 'Colours from such a file', () => file.click());
  const reset = button('As at first', 'Colours that stay apart for colour-blind eyes', () => {
    view.change({ colours: {}, colour_map: '' });
    show_maps('');
    soon(show_list);
  });
  file.addEventListener('change', async () => {
    const [given] = file.files ?? [];
    file.value = '';
    if (!given) return;
    try {
      if (given.size > MOST_FILE_BYTES) throw new Error('the file is too large to be one of colours');
      const map = map_of_file(await given.text());
      save_map(map);
      apply(map);
      show_maps(map.name);
      name.value = map.name;
      tell(`Loaded ${map.name}.`);
    } catch (error) {
      tell(`Not loaded: ${error instanceof Error ? error.message : String(error)}.`);
    }
  });
  chooser.addEventListener('change', () => {
    const map = saved_maps().find((one) => one.name === chooser.value);
    forget.disabled = !map;
    if (!map) return;
    name.value = map.name;
    apply(map);
  });
  find.addEventListener('input', show_list);

  const dialog = el(
    'dialog',
    { class: 'sheet colours', 'aria-label': 'Colours' },
    el('h2', {}, 'Colours'),
    el('div', { class: 'tools-row' }, chooser, forget, el('span', { class: 'gap' }), load, file, reset),
    el('div', { class: 'tools-row' }, name, keep, download),
    said,
    find,
    list,
    el('form', { method: 'dialog' }, el('button', { type: 'submit', class: 'primary' }, 'Close')),
  );
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  show_maps(view.look.colour_map);
  show_list();
  document.body.append(dialog);
  dialog.showModal();
}
