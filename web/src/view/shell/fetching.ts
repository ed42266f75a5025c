// How much has come of what is fetched at once, over the bar below: of an exported folder the whole trace, when its analysis is needed.
import { el } from '../../base/dom.ts';
import { bytes_text } from '../../base/format.ts';
import type { Source } from '../source/source.ts';

export function fetching(source: Source) {
  const bar = el('progress', { max: 1, value: 0 }),
    text = el('span', {}),
    node = el('div', { class: 'fetching', role: 'status', hidden: true }, text, bar);
  source.watch?.((work) => {
    node.hidden = work === null;
    if (!work) return;
    const share = Math.min(1, work.got / Math.max(1, work.all));
    bar.value = share;
    bar.setAttribute('aria-label', work.what);
    text.textContent = `${work.what}: ${bytes_text(work.got)} of ${bytes_text(work.all)}`;
    node.dataset.most = String(Math.max(share, Number(node.dataset.most ?? 0)));
  });
  return node;
}
