// The engine behind questions: in a worker, or, where the browser starts none, on the page's thread. Starts when it is first asked.
import type { EngineAnswer } from './engine.ts';
import { EngineKeeper, type HeldZipped } from './engine_keeper.ts';
import type { FromWorker, ToWorker } from './engine_worker.ts';
import { error_of, type Query, query_text, SourceError } from './source.ts';

const START_MS = 20000; // a worker that says nothing by then is none

export class EngineSource {
  private held: () => Promise<HeldZipped>;
  private worker_script: () => string; // its address
  private keeper: EngineKeeper | undefined;
  private worker: Worker | undefined;
  private waiting = new Map<number, (answer: EngineAnswer) => void>();
  private started: Promise<void> | undefined;
  private next = 0;

  constructor(held: () => Promise<HeldZipped>, worker_script: () => string) {
    this.held = held;
    this.worker_script = worker_script;
  }
  get is_started() {
    return this.worker !== undefined || this.keeper !== undefined;
  }

  private async start() {
    const held = await this.held();
    try {
      this.worker = await this.worker_of(held);
    } catch {
      this.keeper = new EngineKeeper(held);
    }
  }
  private worker_of(held: HeldZipped) {
    return new Promise<Worker>((resolve, reject) => {
      const worker = new Worker(this.worker_script());
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

  // Fails with a SourceError; what kept it from starting is tried again by the next question.
  async ask(path: string, query: Query, signal: AbortSignal | undefined): Promise<ArrayBuffer> {
    this.started ??= this.start().catch((error: unknown) => {
      this.started = undefined;
      throw error;
    });
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
    if (answer.status === 200) return answer.body;
    throw error_of(answer.status, new TextDecoder().decode(answer.body));
  }
  async json(path: string, query: Query, signal: AbortSignal | undefined): Promise<unknown> {
    return JSON.parse(new TextDecoder().decode(await this.ask(path, query, signal)));
  }
}
