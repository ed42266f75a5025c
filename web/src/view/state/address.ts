// What is looked at as the address's hash and back. What is as it was at first is left out; what cannot be read is as at first: an
// old or damaged link opens the rest.
import { map_name } from './colour_maps.ts';
import { type Colouring, first_look, type Look, no_selection, type Theme } from './look.ts';
import { panes_of, panes_text } from './panes.ts';

const numbers = (text: string) => text.split(',').map(Number);
const pair = (text: string): readonly [number, number] | null => {
  const [from = Number.NaN, to = Number.NaN, ...more] = text.split('..').map((part) => (part === '' ? Number.NaN : Number(part)));
  return more.length === 0 && Number.isFinite(from) && Number.isFinite(to) && from < to ? [from, to] : null;
};
const one_of = <T extends string>(kinds: readonly T[], text: string): T | null => kinds.find((kind) => kind === text) ?? null;
const finite = (text: string) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : null);
const round_ns = (ns: number) => +ns.toFixed(3);
const pair_text = ([from, to]: readonly [number, number]) => `${round_ns(from)}..${round_ns(to)}`;

const LONGEST_COLOURS = 1500;
const colours_text = (colours: Look['colours']) =>
  Object.entries(colours)
    .map(([name, colour]) => `${encodeURIComponent(name)}:${colour.replace('#', '')}`)
    .join(',');
const colours_of = (text: string): Look['colours'] => {
  const entries = text.split(',').map((part) => /^([^:]+):([0-9a-fA-F]{6})$/.exec(part));
  return Object.fromEntries(entries.flatMap((found) => (found?.[1] ? [[decodeURIComponent(found[1]), '#' + found[2]]] : [])));
};

// One line a field: its name in the address, its text ('' for what is as at first), and the look with it.
interface Field {
  name: string;
  text: (look: Look) => string;
  read: (text: string) => Partial<Look> | null;
}
const fields: Field[] = [
  {
    name: 'traces',
    text: ({ traces }) => (traces.length === 1 && traces[0] === 0 ? '' : traces.join(',')),
    read: (text) => (numbers(text).every((number) => Number.isInteger(number) && number >= 0) ? { traces: numbers(text) } : null),
  },
  { name: 'window', text: ({ window }) => (window ? pair_text(window) : ''), read: (text) => ({ window: pair(text) }) },
  { name: 'rows', text: ({ rows }) => (rows ? pair_text(rows) : ''), read: (text) => ({ rows: pair(text) }) },
  {
    name: 'order',
    text: ({ order }) => (order === 'rank' ? '' : order),
    read: (text) => ({ order: one_of<Look['order']>(['rank', 'blocked'], text) ?? 'rank' }),
  },
  {
    name: 'span',
    text: ({ selection: { from_ns, to_ns } }) => (from_ns !== null && to_ns !== null ? pair_text([from_ns, to_ns]) : ''),
    read: (text) => {
      const span = pair(text);
      return span && { selection: { ...no_selection, from_ns: span[0], to_ns: span[1] } };
    },
  },
  ...(['ranks', 'calls', 'peers'] as const).map(
    (name): Field => ({
      name,
      text: ({ selection }) => selection[name],
      read: (text) => ({ selection: { ...no_selection, [name]: text } }),
    }),
  ),
  { name: 'at', text: ({ at_ns }) => (at_ns === null ? '' : String(round_ns(at_ns))), read: (text) => ({ at_ns: finite(text) }) },
  {
    name: 'call',
    text: ({ picked }) => (picked ? `${picked.trace}.${picked.rank}.${picked.call}` : ''),
    read: (text) => {
      const found = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
      return found && { picked: { trace: Number(found[1]), rank: Number(found[2]), call: Number(found[3]) } };
    },
  },
  {
    name: 'by',
    text: ({ colouring }) => (colouring === 'state' ? '' : colouring),
    read: (text) => ({ colouring: one_of<Colouring>(['state', 'part', 'call', 'key'], text) ?? 'state' }),
  },
  {
    name: 'colours',
    // Too many for an address have their name there alone: then only this browser knows them.
    text: ({ colours, colour_map }) => {
      const text = colours_text(colours);
      return text.length > LONGEST_COLOURS && colour_map !== '' ? '' : text;
    },
    read: (text) => ({ colours: colours_of(text) }),
  },
  { name: 'map', text: ({ colour_map }) => colour_map, read: (text) => ({ colour_map: map_name(text) }) },
  { name: 'messages', text: ({ messages }) => (messages ? '' : 'no'), read: (text) => ({ messages: text !== 'no' }) },
  { name: 'speed', text: ({ speed }) => (speed > 0 ? String(speed) : ''), read: (text) => ({ speed: Math.max(0, finite(text) ?? 0) }) },
  { name: 'what_if', text: ({ what_if }) => what_if, read: (text) => ({ what_if: text }) },
  {
    name: 'panes',
    text: ({ panes }) => (panes_text(panes) === panes_text(first_look().panes) ? '' : panes_text(panes)),
    read: (text) => {
      const panes = panes_of(text);
      return panes && { panes };
    },
  },
  {
    name: 'theme',
    text: ({ theme }) => (theme === 'auto' ? '' : theme),
    read: (text) => ({ theme: one_of<Theme>(['auto', 'light', 'dark'], text) ?? 'auto' }),
  },
];

// "#window=0..1000&by=part", '' where all is as at first.
export function address_of(look: Look) {
  const set = fields.flatMap(({ name, text }) => (text(look) === '' ? [] : [`${name}=${encodeURIComponent(text(look))}`]));
  return set.length > 0 ? '#' + set.join('&') : '';
}
export function look_of(hash: string): Look {
  let look = first_look();
  const given = new Map<string, string>();
  for (const part of hash.replace(/^#/, '').split('&')) {
    const equals = part.indexOf('=');
    try {
      if (equals > 0) given.set(part.slice(0, equals), decodeURIComponent(part.slice(equals + 1)));
    } catch {
      // a damaged escape: as at first
    }
  }
  for (const { name, read } of fields) {
    const text = given.get(name);
    if (text === undefined) continue;
    let patch: Partial<Look> | null = null;
    try {
      patch = read(text);
    } catch {
      patch = null;
    }
    if (!patch) continue;
    // The fields of the selection come one by one.
    const selection = patch.selection && { ...look.selection, ...set_only(patch.selection) };
    look = { ...look, ...patch, ...(selection && { selection }) };
  }
  return look;
}
const set_only = (selection: Look['selection']) =>
  Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== null && value !== '')) as Partial<Look['selection']>;
