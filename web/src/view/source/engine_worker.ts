// A worker of an exported page: one question after the other (embedded.ts).
import type { EngineAnswer } from './engine.ts';
import { EngineKeeper, type HeldZipped } from './engine_keeper.ts';

export interface ToWorker {
  held?: HeldZipped; // the first message
  number?: number;
  path?: string;
  query?: string;
}
export interface FromWorker {
  number: number;
  answer: EngineAnswer;
}

let keeper: EngineKeeper | undefined;
self.addEventListener('message', async ({ data }: MessageEvent<ToWorker>) => {
  if (data.held) keeper = new EngineKeeper(data.held);
  if (keeper === undefined || data.number === undefined) return;
  const answer = await keeper.ask(data.path ?? '', data.query ?? '');
  const message: FromWorker = { number: data.number, answer };
  self.postMessage(message, { transfer: [answer.body] });
});
