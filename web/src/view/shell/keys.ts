// What each key does, for the handler and for the sheet.
import type { Colouring } from '../state/look.ts';
import type { App } from './app.ts';
import type { Arrangement } from './arrangement.ts';
import { fit_selection, jump, pan, scroll_rows, whole, zoom, zoom_rows } from './commands.ts';
import { show_sheet } from './sheet.ts';
import { next_theme } from './topbar.ts';
import type { Transport } from './transport.ts';

export interface Parts {
  app: App;
  arrangement: Arrangement;
  transport: Transport;
}
export interface Binding {
  keys: string[]; // as `event.key`, with "Ctrl+", "Alt+" or "Shift+" before it where letters do not say so already
  title: string;
  group: string;
  run(parts: Parts): void;
}
const colouring = (app: App) => {
  const kinds: Colouring[] = ['state', 'part', 'call', 'key'];
  app.change({ colouring: kinds[(kinds.indexOf(app.look.colouring) + 1) % kinds.length] ?? 'state' });
};
const PAN = 0.2,
  CLOSER = 1 / 1.6;

export const bindings: Binding[] = [
  { keys: ['ArrowLeft', 'a'], title: 'earlier', group: 'Look', run: ({ app }) => pan(app, -PAN) },
  { keys: ['ArrowRight', 'd'], title: 'later', group: 'Look', run: ({ app }) => pan(app, PAN) },
  { keys: ['+', '=', 'w'], title: 'zoom in', group: 'Look', run: ({ app }) => zoom(app, CLOSER) },
  { keys: ['-', 's'], title: 'zoom out', group: 'Look', run: ({ app }) => zoom(app, 1 / CLOSER) },
  { keys: ['0', 'Home'], title: 'the whole trace', group: 'Look', run: ({ app }) => whole(app) },
  { keys: ['f'], title: 'what is selected, as wide as possible', group: 'Look', run: ({ app }) => fit_selection(app) },
  { keys: ['ArrowUp'], title: 'ranks above', group: 'Look', run: ({ app }) => scroll_rows(app, -PAN) },
  { keys: ['ArrowDown'], title: 'ranks below', group: 'Look', run: ({ app }) => scroll_rows(app, PAN) },
  { keys: [']'], title: 'fewer ranks, higher rows', group: 'Look', run: ({ app }) => zoom_rows(app, CLOSER) },
  { keys: ['['], title: 'more ranks, lower rows', group: 'Look', run: ({ app }) => zoom_rows(app, 1 / CLOSER) },
  { keys: ['c'], title: 'colours by state, part, call, call and part', group: 'Look', run: ({ app }) => colouring(app) },
  { keys: ['m'], title: 'lines of messages', group: 'Look', run: ({ app }) => app.change({ messages: !app.look.messages }) },
  { keys: ['t'], title: 'light, dark, as the system has it', group: 'Look', run: ({ app }) => next_theme(app) },
  { keys: [' ', 'k'], title: 'play, pause', group: 'Replay', run: ({ transport }) => transport.toggle() },
  { keys: ['.', 'l'], title: 'to the next event', group: 'Replay', run: ({ transport }) => transport.step(true) },
  { keys: [',', 'j'], title: 'to the event before', group: 'Replay', run: ({ transport }) => transport.step(false) },
  { keys: ['>'], title: 'twice as fast', group: 'Replay', run: ({ transport }) => transport.faster(2) },
  { keys: ['<'], title: 'half as fast', group: 'Replay', run: ({ transport }) => transport.faster(0.5) },
  { keys: ['r'], title: 'forwards, backwards', group: 'Replay', run: ({ transport }) => transport.turn() },
  { keys: ['n'], title: 'the longest wait (of what is selected)', group: 'Go to', run: ({ app }) => void jump(app, 'longest-wait', true) },
  { keys: ['v'], title: 'next violation', group: 'Go to', run: ({ app }) => void jump(app, 'violation', true) },
  { keys: ['V'], title: 'violation before', group: 'Go to', run: ({ app }) => void jump(app, 'violation', false) },
  { keys: ['e'], title: 'next marker', group: 'Go to', run: ({ app }) => void jump(app, 'marker', true) },
  { keys: ['E'], title: 'marker before', group: 'Go to', run: ({ app }) => void jump(app, 'marker', false) },
  { keys: ['g'], title: 'next message', group: 'Go to', run: ({ app }) => void jump(app, 'message', true, false) },
  { keys: ['G'], title: 'message before', group: 'Go to', run: ({ app }) => void jump(app, 'message', false, false) },
  { keys: ['/', 'Ctrl+f'], title: 'search', group: 'Go to', run: () => document.getElementById('search')?.focus() },
  { keys: ['u', 'Ctrl+z'], title: 'undo', group: 'Window', run: ({ app }) => app.store.undo() },
  { keys: ['U', 'Ctrl+y', 'Ctrl+Shift+Z'], title: 'redo', group: 'Window', run: ({ app }) => app.store.redo() },
  { keys: ['Escape'], title: 'clear the selection', group: 'Window', run: ({ app }) => app.clear_selection() },
  { keys: ['p'], title: 'next pane', group: 'Window', run: ({ arrangement }) => arrangement.focus_next(1) },
  { keys: ['P'], title: 'pane before', group: 'Window', run: ({ arrangement }) => arrangement.focus_next(-1) },
  { keys: ['z'], title: 'this pane alone, or all', group: 'Window', run: ({ arrangement }) => arrangement.focused?.toggle_whole() },
  { keys: ['x'], title: 'swap this pane with the next', group: 'Window', run: ({ arrangement }) => arrangement.swap_focused(1) },
  { keys: ['Alt+ArrowRight'], title: 'wider pane', group: 'Window', run: ({ arrangement }) => arrangement.resize_focused('row', 0.03) },
  { keys: ['Alt+ArrowLeft'], title: 'narrower pane', group: 'Window', run: ({ arrangement }) => arrangement.resize_focused('row', -0.03) },
  { keys: ['Alt+ArrowDown'], title: 'higher pane', group: 'Window', run: ({ arrangement }) => arrangement.resize_focused('column', 0.03) },
  { keys: ['Alt+ArrowUp'], title: 'lower pane', group: 'Window', run: ({ arrangement }) => arrangement.resize_focused('column', -0.03) },
  { keys: ['R'], title: 'run a program', group: 'Window', run: ({ app }) => app.session && app.open_display('run') },
  { keys: ['?'], title: 'this sheet', group: 'Window', run: () => show_sheet() },
];

const shown: Record<string, string> = {
  ' ': 'space',
  ArrowLeft: '\u2190',
  ArrowRight: '\u2192',
  ArrowUp: '\u2191',
  ArrowDown: '\u2193',
  Escape: 'Esc',
};
export const key_text = (key: string) => {
  const parts = key.length > 1 ? key.split('+').filter((part) => part !== '') : [key];
  return parts.map((part) => shown[part] ?? part).join(' + ');
};
// A letter says by itself whether shift was held.
export function pressed({
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>) {
  const control = ctrlKey || metaKey;
  return `${control ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shiftKey && (control || key.length > 1) ? 'Shift+' : ''}${key}`;
}
const by_key = new Map(bindings.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)));

const takes_text = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ['TEXTAREA', 'SELECT'].includes(target.tagName) ||
    (target instanceof HTMLInputElement && !['checkbox', 'button'].includes(target.type)));
export function listen_to_keys(parts: Parts) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || takes_text(event.target) || document.querySelector('dialog[open]')) return;
    if (event.target instanceof HTMLButtonElement && (event.key === ' ' || event.key === 'Enter')) return;
    const binding = by_key.get(pressed(event));
    if (!binding) return;
    event.preventDefault();
    binding.run(parts);
  });
}
