// Whoever answers what the page asks: the server that the page came from, or (in an exported file) the same answers made in the
// page. Paths are those of docs/design/viewing.md below the token, as "data/0/trace"; nothing else of the page knows where they go.
export type Query = Record<string, string | number | null | undefined>;

// What is waited for, in words, and how much of it has come, in bytes.
export interface Work {
  what: string;
  got: number;
  all: number;
}
export interface Source {
  // What JSON the path answers. Fails with a SourceError, or as the signal says when it was aborted.
  json(path: string, query: Query, signal: AbortSignal | undefined): Promise<unknown>;
  binary(path: string, query: Query, signal: AbortSignal | undefined): Promise<ArrayBuffer>;
  // Sends JSON, and gives what JSON is answered; of the server alone.
  post?(path: string, body: unknown): Promise<unknown>;
  // Of one that fetches much at once, for a question or several: `told` is called as it comes, and with null when it is there.
  watch?(told: (work: Work | null) => void): void;
}

// An answer that is none: the HTTP status, what was wrong and what to do about it.
export class SourceError extends Error {
  status: number;
  remedy: string;
  constructor(status: number, what: string, remedy: string) {
    super(what);
    this.status = status;
    this.remedy = remedy;
  }
}
export const aborted = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';

// "?a=1&b=2"; what is null, undefined or '' is left out.
export function query_text(query: Query) {
  const set = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return set.length > 0 ? '?' + set.join('&') : '';
}

const SILENT = 'whatwire does not answer',
  START_AGAIN = 'Is "whatwire view" still running? Start it again and reload the page.';
const BUSY = 503,
  TRIES = 6,
  AGAIN_MS = 400;

// What needs no more than the index, which is answered whatever the server is still working out (src/view/open_trace.hpp). All else may
// wait for the trace, and of the six connections that a browser has to a server only some may be held so.
const QUICK = /^(run\/|data\/(traces|\d+\/(tile|calls|trace|live|machine))$)/,
  MOST_WAITING = 3;
class Places {
  private free: number;
  private queue: (() => void)[] = [];
  constructor(places: number) {
    this.free = places;
  }
  async take(signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    if (this.free > 0) {
      --this.free;
      return;
    }
    await new Promise<void>((done, failed) => {
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        done();
      };
      const leave = () => {
        this.queue.splice(this.queue.indexOf(enter), 1);
        failed(signal?.reason);
      };
      this.queue.push(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
  give() {
    const next = this.queue.shift();
    if (next) next();
    else ++this.free;
  }
}

// The server below whose token this page lies: relative paths only, so that no token is handled here.
export class Served implements Source {
  private base: string;
  private places = new Places(MOST_WAITING);
  constructor(base = '') {
    this.base = base;
  }
  private async get<T>(path: string, query: Query, signal: AbortSignal | undefined, read: (response: Response) => Promise<T>): Promise<T> {
    if (QUICK.test(path)) return read(await this.answer(path, query, signal));
    await this.places.take(signal);
    try {
      return await read(await this.answer(path, query, signal));
    } finally {
      this.places.give();
    }
  }
  private async answer(path: string, query: Query, signal: AbortSignal | undefined, tries = TRIES): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.base + path + query_text(query), signal ? { signal } : {});
    } catch (error) {
      if (aborted(error)) throw error;
      throw new SourceError(0, SILENT, START_AGAIN);
    }
    if (response.ok) return response;
    // Too much is asked at once: it says so and does nothing of it, so that the same may be asked again.
    if (response.status === BUSY && tries > 1) {
      await new Promise((done) => setTimeout(done, AGAIN_MS));
      signal?.throwIfAborted();
      return this.answer(path, query, signal, tries - 1);
    }
    throw error_of(response.status, await response.text());
  }
  async json(path: string, query: Query, signal: AbortSignal | undefined): Promise<unknown> {
    return this.get<unknown>(path, query, signal, (response) => response.json());
  }
  async binary(path: string, query: Query, signal: AbortSignal | undefined) {
    return this.get(path, query, signal, (response) => response.arrayBuffer());
  }
  async post(path: string, body: unknown): Promise<unknown> {
    let response: Response;
    try {
      response = await fetch(this.base + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    } catch {
      throw new SourceError(0, SILENT, START_AGAIN);
    }
    if (response.ok) return response.json();
    throw error_of(response.status, await response.text());
  }
}

// {"error", "remedy"} as the protocol has it, or whatever else stood between (a proxy's page).
export function error_of(status: number, text: string) {
  try {
    const answer: unknown = JSON.parse(text);
    if (answer && typeof answer === 'object' && 'error' in answer) {
      const remedy = 'remedy' in answer ? String(answer.remedy) : '';
      return new SourceError(status, String(answer.error), remedy);
    }
  } catch {
    // not JSON: said below
  }
  return new SourceError(status, `the server answered ${status}`, 'Reload the page; start "whatwire view" again if that does not help.');
}
