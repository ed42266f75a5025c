// Tiles of one trace, asked for once, kept up to a bound of bytes; what was used last goes last. A picture takes what is here and
// asks for what is not: `get` never waits.
import { decode_tile, type Tile } from './decode.ts';
import { aborted, type Source } from './source.ts';

export interface TilePlace {
  level: number;
  tile: number;
  group: number;
  block: number;
}
const key_of = ({ level, tile, group, block }: TilePlace) => `${level}/${tile}/${group}/${block}`;

const MOST_BYTES = 192 << 20,
  AT_ONCE = 4, // more wait in the browser's own queue anyway, where they cannot be reordered
  AGAIN_MS = 2000; // after an error nothing is asked for so long

export class TileCache {
  private kept = new Map<string, Tile>();
  private asked = new Map<string, AbortController>();
  private wanted: TilePlace[] = [];
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
    return this.asked.size + this.wanted.length;
  }
  get kept_bytes() {
    return this.bytes;
  }

  // What the picture lacks now, the most urgent first: replaces what was wanted before; requests under way that are wanted no
  // longer are aborted.
  want(places: TilePlace[]) {
    const keys = new Set(places.map(key_of));
    for (const [key, controller] of this.asked) if (!keys.has(key)) controller.abort();
    this.wanted = places.filter((place) => !this.kept.has(key_of(place)) && !this.asked.has(key_of(place)));
    this.start();
  }
  private start() {
    if (performance.now() < this.again_ms) return;
    while (this.asked.size < AT_ONCE) {
      const place = this.wanted.shift();
      if (!place) return;
      void this.ask(place);
    }
  }
  private async ask(place: TilePlace) {
    const key = key_of(place),
      controller = new AbortController(),
      begun = performance.now();
    this.asked.set(key, controller);
    try {
      const tile = decode_tile(await this.source.binary(this.path, { ...place }, controller.signal));
      this.answered_ms.push(performance.now() - begun);
      if (this.answered_ms.length > 1000) this.answered_ms.shift();
      this.keep(key, tile);
      this.failed = null;
    } catch (error) {
      if (!aborted(error)) {
        this.failed = error;
        this.again_ms = performance.now() + AGAIN_MS;
        setTimeout(() => this.tell(), AGAIN_MS + 1);
      }
    }
    this.asked.delete(key);
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
    await Promise.all(places.map((place) => this.ask(place)));
  }
  // Called when a tile has come. Gives what ends it.
  listen(listener: () => void) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
