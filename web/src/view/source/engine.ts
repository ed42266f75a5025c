// whatwire's analysis and simulator as WebAssembly (wasm/CMakeLists.txt): opens one packed trace and answers what the server would
// (src/wasm/exported.cpp), on the thread that calls. It asks nothing of the system but the time.
interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  ww_allocate(bytes: number): number;
  ww_release(at: number): void;
  ww_open(packed: number, packed_bytes: number, model: number, model_bytes: number, name: number, name_bytes: number): number;
  ww_answer(path: number, path_bytes: number, query: number, query_bytes: number): number;
  ww_body(): number;
  ww_body_bytes(): number;
  ww_type(): number;
  ww_type_bytes(): number;
}

export interface EngineAnswer {
  status: number; // as of HTTP
  type: string;
  body: ArrayBuffer;
}

// What a page holds of a trace.
export interface Held {
  name: string;
  packed: Uint8Array;
  model: string; // the machine model's JSON, or ''
}

const NOT_THERE = 8; // WASI's EBADF

export class Engine {
  private exports: Exports;
  private constructor(exports: Exports) {
    this.exports = exports;
  }

  // Fails with what ww_open says.
  static async start(module: WebAssembly.Module, held: Held) {
    let said = '';
    const memory = () => (instance.exports as unknown as Exports).memory.buffer,
      view = () => new DataView(memory());
    const instance = await WebAssembly.instantiate(module, {
      wasi_snapshot_preview1: {
        environ_sizes_get(count: number, bytes: number) {
          view().setUint32(count, 0, true);
          view().setUint32(bytes, 0, true);
          return 0;
        },
        environ_get: () => 0,
        clock_time_get(_clock: number, _precision: bigint, at: number) {
          view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
          return 0;
        },
        fd_close: () => NOT_THERE,
        fd_seek: () => NOT_THERE,
        // What a broken invariant says before it stops.
        fd_write(_file: number, parts: number, count: number, written: number) {
          let bytes = 0;
          for (let i = 0; i < count; i++) {
            const at = view().getUint32(parts + 8 * i, true),
              size = view().getUint32(parts + 8 * i + 4, true);
            said += new TextDecoder().decode(new Uint8Array(memory(), at, size));
            bytes += size;
          }
          view().setUint32(written, bytes, true);
          return 0;
        },
        proc_exit(code: number) {
          throw new WebAssembly.RuntimeError(`ended with ${code}: ${said}`);
        },
      },
    });
    const engine = new Engine(instance.exports as unknown as Exports);
    engine.exports._initialize();
    const text = new TextEncoder();
    const number = engine.given([held.packed, text.encode(held.model), text.encode(held.name)], (a, b, c) =>
      engine.exports.ww_open(a.at, a.size, b.at, b.size, c.at, c.size),
    );
    if (number < 0) throw new Error(new TextDecoder().decode(engine.latest(0).body));
    return engine;
  }

  // `query` without the '?'.
  ask(path: string, query: string): EngineAnswer {
    const text = new TextEncoder();
    return this.latest(this.given([text.encode(path), text.encode(query)], (a, b) => this.exports.ww_answer(a.at, a.size, b.at, b.size)));
  }

  // Of its memory, which only grows.
  bytes() {
    return this.exports.memory.buffer.byteLength;
  }

  // Calls with copies of these in the module's memory.
  private given(all: Uint8Array[], call: (...places: [Place, Place, Place]) => number) {
    const places = all.map((bytes) => {
      const at = this.exports.ww_allocate(Math.max(1, bytes.length));
      new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
      return { at, size: bytes.length };
    });
    const none = { at: 0, size: 0 };
    const [a = none, b = none, c = none] = places;
    const result = call(a, b, c);
    for (const { at } of places) this.exports.ww_release(at);
    return result;
  }
  private latest(status: number): EngineAnswer {
    const { memory, ww_body, ww_body_bytes, ww_type, ww_type_bytes } = this.exports;
    const part = (at: number, size: number) => memory.buffer.slice(at, at + size);
    return { status, type: new TextDecoder().decode(part(ww_type(), ww_type_bytes())), body: part(ww_body(), ww_body_bytes()) };
  }
}

interface Place {
  at: number;
  size: number;
}

// Gzip, as bytes.
export async function unzipped(bytes: BlobPart) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
export function of_base64(text: string) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
