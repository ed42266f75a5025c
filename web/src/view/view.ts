// A placeholder until the page is there: the traces that are open.
import { el } from '../base/dom.ts';

async function start() {
  const answer = await fetch('data/traces');
  document.body.append(el('pre', {}, await answer.text()));
}
void start();
