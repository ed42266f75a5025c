// The source of a page that holds its trace and the engine (whatwire export --to html): asks the engine in a worker made of the page's
// own text, or, where the browser lets a file start none, on the page's thread.
import { type EngineAnswer, of_base64 } from './engine.ts';
import { EngineKeeper, type HeldZipped } from './engine_keeper.ts';
import type { FromWorker, ToWorker } from './engine_worker.ts';
import { error_of, type Query, query_text, type Source, SourceError } from './source.ts';

const text_of = (id: string) => document.getElementById(id)?.textContent ?? '';
const START_MS = 20000; // a worker that says nothing by then is none

export class Embedded implements Source {
  private keeper: EngineKeeper | undefined;
  private worker: Worker | undefined;
  private waiting = new Map<number, (answer: EngineAnswer) => void>();
  private started: Promise<void>;
  private next = 0;

  constructor() {
    const told: unknown = JSON.parse(text_of('held'));
    if (!told || typeof told !== 'object' || !('name' in told) || !('model' in told)) throw new Error('the page is damaged');
    const held = {
      name: String(told.name),
      model: String(told.model),
      packed: of_base64(text_of('packed')),
      module: of_base64(text_of('engine')),
    };
    this.started = this.start(held);
  }

  private async start(held: HeldZipped) {
    try {
      this.worker = await this.worker_of(held);
    } catch {
      this.keeper = new EngineKeeper(held);
    }
  }
  private worker_of(held: HeldZipped) {
    return new Promise<Worker>((resolve, reject) => {
      const at = URL.createObjectURL(new Blob([text_of('worker')], { type: 'text/javascript' }));
      const worker = new Worker(at);
      const late = setTimeout(() => reject(new Error('the worker says nothing')), START_MS);
      worker.addEventListener('error', () => reject(new Error('no worker')), { once: true });
      worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
        clearTimeout(late);
        resolve(worker);
        this.waiting.get(data.number)?.(data.answer);
        this.waiting.delete(data.number);
      });
      const first: ToWorker = { held, number: -1, path: 'data/traces', query: '' };
      worker.postMessage(first);
    });
  }

  private async ask(path: string, query: Query, signal: AbortSignal | undefined): Promise<EngineAnswer> {
    await this.started;
    signal?.throwIfAborted();
    const asked = query_text(query).slice(1);
    const { worker, keeper } = this;
    let answer: EngineAnswer;
    if (worker) {
      const number = this.next++;
      answer = await new Promise<EngineAnswer>((resolve) => {
        this.waiting.set(number, resolve);
        const message: ToWorker = { number, path, query: asked };
        worker.postMessage(message);
      });
    } else if (keeper) {
      answer = await keeper.ask(path, asked);
    } else {
      throw new SourceError(0, 'the analysis inside this page does not start', 'Use a newer browser, or "whatwire view".');
    }
    signal?.throwIfAborted();
    if (answer.status === 200) return answer;
    throw error_of(answer.status, new TextDecoder().decode(answer.body));
  }
  async json(path: string, query: Query, signal: AbortSignal | undefined): Promise<unknown> {
    return JSON.parse(new TextDecoder().decode((await this.ask(path, query, signal)).body));
  }
  async binary(path: string, query: Query, signal: AbortSignal | undefined) {
    return (await this.ask(path, query, signal)).body;
  }
}
