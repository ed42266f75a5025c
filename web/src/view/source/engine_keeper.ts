// Starts the engine when it is first asked, and anew when it stopped in a question: its memory may then hold anything.
import { Engine, type EngineAnswer, type Held, unzipped } from './engine.ts';

// As they stand in the page: gzip.
export interface HeldZipped {
  name: string;
  model: string;
  packed: Uint8Array<ArrayBuffer>;
  module: Uint8Array<ArrayBuffer>;
}

export class EngineKeeper {
  private zipped: HeldZipped;
  private unpacked: Promise<{ module: WebAssembly.Module; held: Held }> | undefined;
  private engine: Promise<Engine> | undefined;
  constructor(zipped: HeldZipped) {
    this.zipped = zipped;
  }

  private async unpack() {
    const { name, model, packed, module } = this.zipped;
    const [compiled, bytes] = await Promise.all([unzipped(module).then((wasm) => WebAssembly.compile(wasm)), unzipped(packed)]);
    return { module: compiled, held: { name, model, packed: bytes } };
  }
  private async start() {
    this.unpacked ??= this.unpack();
    const { module, held } = await this.unpacked;
    return Engine.start(module, held);
  }
  async ask(path: string, query: string): Promise<EngineAnswer> {
    try {
      this.engine ??= this.start();
      return (await this.engine).ask(path, query);
    } catch (error) {
      this.engine = undefined;
      const what = error instanceof Error ? error.message : String(error);
      const said = { error: `the analysis inside this page stopped: ${what}`, remedy: 'Ask for a smaller part, or use "whatwire view".' };
      return { status: 503, type: 'application/json', body: new TextEncoder().encode(JSON.stringify(said)).buffer as ArrayBuffer };
    }
  }
}
