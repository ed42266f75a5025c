// The source of a page that holds its trace and the engine (whatwire export --to html): asks the engine in a worker made of the page's
// own text, or, where the browser lets a file start none, on the page's thread.
import { of_base64 } from './engine.ts';
import { EngineSource } from './engine_source.ts';
import type { Query, Source } from './source.ts';

const text_of = (id: string) => document.getElementById(id)?.textContent ?? '';

export class Embedded implements Source {
  private engine: EngineSource;
  constructor() {
    const told: unknown = JSON.parse(text_of('held'));
    if (!told || typeof told !== 'object' || !('name' in told) || !('model' in told)) throw new Error('the page is damaged');
    const held = {
      name: String(told.name),
      model: String(told.model),
      packed: of_base64(text_of('packed')),
      module: of_base64(text_of('engine')),
    };
    this.engine = new EngineSource(
      () => Promise.resolve(held),
      () => URL.createObjectURL(new Blob([text_of('worker')], { type: 'text/javascript' })),
    );
  }
  json(path: string, query: Query, signal: AbortSignal | undefined) {
    return this.engine.json(path, query, signal);
  }
  binary(path: string, query: Query, signal: AbortSignal | undefined) {
    return this.engine.ask(path, query, signal);
  }
}
