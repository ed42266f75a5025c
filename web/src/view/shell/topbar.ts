// The bar above: which traces are shown, search, undo, theme, keys.
import { el } from '../../base/dom.ts';
import { is_selected } from '../state/look.ts';
import { free_id, leaf, leaves, with_leaf_beside } from '../state/panes.ts';
import { duration } from '../words.ts';
import type { App } from './app.ts';
import { button, open_menu } from './menu.ts';
import { display_sections } from './pane.ts';
import { search_box } from './search.ts';
import { show_sheet } from './sheet.ts';

export const themes = ['auto', 'light', 'dark'] as const;
export function next_theme(app: App) {
  const now = themes.indexOf(app.look.theme);
  app.change({ theme: themes[(now + 1) % themes.length] ?? 'auto' });
}

export function topbar(app: App) {
  const traces = el('div', { class: 'traces', role: 'group', 'aria-label': 'Traces shown' }),
    selected = el('div', { class: 'selected', role: 'status' });
  const undo = button('undo', 'Undo (Ctrl+Z)', () => app.store.undo()),
    redo = button('redo', 'Redo (Ctrl+Shift+Z)', () => app.store.redo());
  const add = button(
    'add',
    'Add a display',
    () =>
      open_menu(
        add,
        display_sections(app, null, (display) => {
          const { panes } = app.look,
            last = leaves(panes).at(-1);
          if (last) app.change({ panes: with_leaf_beside(panes, last.id, 'bottom', leaf(free_id(panes), display.name)) });
        }),
        'Displays',
      ),
    { 'aria-haspopup': 'menu' },
  );
  const theme = button('theme', 'Light, dark or as the system has it', () => next_theme(app));

  const show_traces = () => {
    traces.replaceChildren(
      ...app.listed.traces
        .filter(({ kind, number }) => kind !== 'predicted' || app.look.traces.includes(number))
        .map(({ number, name, kind, spec }) => {
          const shown = app.look.traces.includes(number);
          const toggle = () => {
            const { traces: now } = app.look,
              next = shown ? now.filter((one) => one !== number) : [...now, number];
            void app.show_traces(next);
          };
          return el(
            'button',
            {
              type: 'button',
              class: `trace ${kind}`,
              'aria-pressed': String(shown),
              title: spec ? `${name}: ${spec}` : name,
              onclick: toggle,
            },
            el('span', { class: 'kind' }, kind),
            el('span', { class: 'name' }, spec ? spec : name),
          );
        }),
    );
  };
  const show_selected = () => {
    const { selection } = app.look;
    if (!is_selected(selection)) {
      selected.replaceChildren();
      return;
    }
    const { from_ns, to_ns, ranks, calls, peers } = selection;
    const words = [
      from_ns !== null && to_ns !== null && duration(to_ns - from_ns),
      ranks && `ranks ${ranks}`,
      calls && `calls ${calls}`,
      peers && `peers ${peers}`,
    ].filter((word) => word);
    selected.replaceChildren(
      el('span', {}, 'Selected: ', words.join(', ')),
      button('close', 'Clear the selection (Escape)', () => app.clear_selection()),
    );
  };
  const refresh = () => {
    undo.disabled = !app.store.can_undo;
    redo.disabled = !app.store.can_redo;
    theme.dataset.theme = app.look.theme;
  };
  app.listen((changed) => {
    if (changed.has('traces')) show_traces();
    if (changed.has('selection')) show_selected();
    refresh();
  });
  show_traces();
  show_selected();
  refresh();
  return el(
    'header',
    { class: 'topbar' },
    el('h1', {}, 'whatwire'),
    traces,
    selected,
    el('span', { class: 'gap' }),
    search_box(app),
    el(
      'div',
      { class: 'tools' },
      app.session && button('run', 'Run a program (R)', () => app.open_display('run')),
      add,
      undo,
      redo,
      theme,
      button('help', 'Keys (?)', () => show_sheet()),
    ),
  );
}
