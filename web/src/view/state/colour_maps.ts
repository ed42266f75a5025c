// Colours of the user's own under a name: kept by the browser, saved as a file and read again. What comes from a file or from the
// browser's storage may be anything: it is checked, and only ever shown as text.
export type OwnColours = Record<string, string>; // class to "#rrggbb"
export interface ColourMap {
  name: string;
  colours: OwnColours;
}

const KIND = 'whatwire colours',
  VERSION = 1,
  MOST_MAPS = 100,
  MOST_COLOURS = 2000,
  LONGEST_NAME = 60,
  LONGEST_CLASS = 200;
export const MOST_FILE_BYTES = 1 << 20;
const STORED = 'whatwire colour maps';

// Printable, on one line, and not too long; '' where nothing is left.
export const map_name = (text: string) =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .trim();

function colours_of(value: unknown): OwnColours | null {
  if (!value || typeof value !== 'object' || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  if (entries.length > MOST_COLOURS) return null;
  const good = entries.every(
    ([name, colour]) => name !== '' && name.length <= LONGEST_CLASS && typeof colour === 'string' && /^#[0-9a-f]{6}$/i.test(colour),
  );
  return good ? Object.fromEntries(entries.map(([name, colour]) => [name, String(colour).toLowerCase()])) : null;
}
function map_of(value: unknown): ColourMap | null {
  if (!value || typeof value !== 'object' || !('name' in value) || !('colours' in value) || typeof value.name !== 'string') return null;
  const name = map_name(value.name),
    colours = colours_of(value.colours);
  return name !== '' && colours ? { name, colours } : null;
}

export const file_text = (map: ColourMap) => JSON.stringify({ kind: KIND, version: VERSION, ...map }, null, 1) + '\n';
// Fails with what is wrong, in words.
export function map_of_file(text: string): ColourMap {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the file is no JSON');
  }
  if (!value || typeof value !== 'object' || !('kind' in value) || value.kind !== KIND)
    throw new Error('the file has no colours of whatwire');
  if (!('version' in value) || value.version !== VERSION) throw new Error('the file is of another version of whatwire');
  const map = map_of(value);
  if (!map) throw new Error('the file is damaged: a colour is written as #rrggbb, under the name of a state, a part or a call');
  return map;
}

// Where the browser lets a page keep nothing they are there until the page is closed.
let here: string | null = null;
function stored() {
  try {
    return localStorage.getItem(STORED) ?? here;
  } catch {
    return here;
  }
}
function store(maps: ColourMap[]) {
  here = JSON.stringify(maps);
  try {
    localStorage.setItem(STORED, here);
  } catch {
    // not allowed, or full: for this page alone
  }
}
export function saved_maps(): ColourMap[] {
  try {
    const list: unknown = JSON.parse(stored() ?? '[]');
    return Array.isArray(list) ? list.slice(0, MOST_MAPS).flatMap((one) => map_of(one) ?? []) : [];
  } catch {
    return [];
  }
}
export const saved_map = (name: string) => saved_maps().find((one) => one.name === name) ?? null;
// In place of one of the same name.
export function save_map(map: ColourMap) {
  const others = saved_maps().filter(({ name }) => name !== map.name);
  store([...others, map].sort((a, b) => a.name.localeCompare(b.name)).slice(-MOST_MAPS));
}
export const forget_map = (name: string) => store(saved_maps().filter((one) => one.name !== name));
