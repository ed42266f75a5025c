// Tiles of one trace, asked for once, kept up to a bound of bytes; what was used last goes last. A picture takes what is here and
// asks for what is not: `get` never waits.
import { decode_tiles, type Tile } from './decode.ts';
import { aborted, type Source } from './source.ts';

export interface TilePlace {
  level: number;
  tile: number;
  group: number;
  block: number;
}
const key_of = ({ level, tile, group, block }: TilePlace) => `${level}/${tile}/${group}/${block}`;

const MOST_BYTES = 192 << 20,
  AT_ONCE = 3, // requests: of a browser's six connections to a server as many are left to others (source.ts)
  MOST_RUN = 2, // tiles of a request, neighbours in time
  MOST_MEASURED = 64,
  AGAIN_MS = 2000; // after an error nothing is asked for so long

// One request, of tiles that are neighbours.
interface Run {
  controller: AbortController;
  places: TilePlace[];
}
// Takes the most urgent out of those that are wanted, with its neighbours on both sides that are wanted as well, by their numbers.
export function take_run(wanted: TilePlace[], most: number): TilePlace[] {
  const [urgent] = wanted;
  if (!urgent) return [];
  const beside = wanted.filter(({ level, group, block }) => level === urgent.level && group === urgent.group && block === urgent.block),
    run = [urgent];
  for (let grown = true; grown && run.length < most; ) {
    grown = false;
    for (const number of [(run.at(-1)?.tile ?? 0) + 1, (run[0]?.tile ?? 0) - 1]) {
      const next = run.length < most && beside.find(({ tile }) => tile === number);
      if (!next) continue;
      if (number > urgent.tile) run.push(next);
      else run.unshift(next);
      grown = true;
    }
  }
  for (const place of run) wanted.splice(wanted.indexOf(place), 1);
  return run;
}

export class TileCache {
  private kept = new Map<string, Tile>();
  private asked = new Map<string, Run>();
  private wanted: TilePlace[] = [];
  private later: TilePlace[] = [];
  private bytes = 0;
  private listeners = new Set<() => void>();
  private source: Source;
  private path: string;
  private most_bytes: number;
  private again_ms = 0;
  failed: unknown = null; // the last request's error, until one succeeds
  answered_ms: number[] = []; // of the last requests, for who measures

  constructor(source: Source, path: string, most_bytes = MOST_BYTES) {
    this.source = source;
    this.path = path;
    this.most_bytes = most_bytes;
  }

  get(place: TilePlace): Tile | undefined {
    const key = key_of(place),
      tile = this.kept.get(key);
    if (tile) {
      this.kept.delete(key);
      this.kept.set(key, tile);
    }
    return tile;
  }
  has = (place: TilePlace) => this.kept.has(key_of(place));
  get pending() {
    return this.asked.size + this.wanted.length + this.later.length;
  }
  get kept_bytes() {
    return this.bytes;
  }

  // What the picture lacks now, the most urgent first, and what it will lack, which is asked for when nothing else is under way:
  // replaces what was wanted before; requests under way that are wanted no longer are aborted.
  want(now: TilePlace[], later: TilePlace[]) {
    const keys = new Set([...now, ...later].map(key_of));
    for (const { controller, places } of this.runs) if (!places.some((place) => keys.has(key_of(place)))) controller.abort();
    const taken = new Set<string>();
    const lacking = (places: TilePlace[]) =>
      places.filter((place) => {
        const key = key_of(place),
          lacks = !taken.has(key) && !this.kept.has(key) && !this.asked.has(key);
        taken.add(key);
        return lacks;
      });
    this.wanted = lacking(now);
    this.later = lacking(later);
    this.start();
  }
  private get runs() {
    return new Set(this.asked.values());
  }
  private start() {
    if (performance.now() < this.again_ms) return;
    while (this.runs.size < AT_ONCE) {
      const places = take_run(this.wanted.length > 0 || this.asked.size > 0 ? this.wanted : this.later, MOST_RUN);
      if (places.length === 0) return;
      void this.ask(places);
    }
  }
  private async ask(places: TilePlace[]) {
    const [first] = places;
    if (!first) return;
    const run = { controller: new AbortController(), places },
      begun = performance.now();
    for (const place of places) this.asked.set(key_of(place), run);
    try {
      const count = places.length > 1 ? places.length : undefined,
        tiles = decode_tiles(await this.source.binary(this.path, { ...first, count }, run.controller.signal));
      if (tiles.length !== places.length) throw new Error(`of ${places.length} tiles ${tiles.length} came`);
      this.answered_ms.push(performance.now() - begun);
      if (this.answered_ms.length > MOST_MEASURED) this.answered_ms.shift();
      places.forEach((place, i) => {
        const tile = tiles[i];
        if (tile) this.keep(key_of(place), tile);
      });
      this.failed = null;
    } catch (error) {
      if (!aborted(error)) {
        this.failed = error;
        this.again_ms = performance.now() + AGAIN_MS;
        setTimeout(() => this.tell(), AGAIN_MS + 1);
      }
    }
    for (const place of places) if (this.asked.get(key_of(place)) === run) this.asked.delete(key_of(place));
    this.tell();
    this.start();
  }
  private tell() {
    for (const listener of this.listeners) listener();
  }
  private keep(key: string, tile: Tile) {
    this.kept.set(key, tile);
    this.bytes += tile.bytes;
    for (const [oldest, { bytes }] of this.kept) {
      if (this.bytes <= this.most_bytes || oldest === key) break;
      this.kept.delete(oldest);
      this.bytes -= bytes;
    }
  }
  // Has what the pictures of the other needed last, so that it can take its place.
  async warm(other: TileCache, most = 24) {
    const places = [...other.kept.keys()].slice(-most).map((key): TilePlace => {
      const [level = 0, tile = 0, group = 0, block = 0] = key.split('/').map(Number);
      return { level, tile, group, block };
    });
    await Promise.all(places.map((place) => this.ask([place])));
  }
  // Called when a tile has come. Gives what ends it.
  listen(listener: () => void) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
