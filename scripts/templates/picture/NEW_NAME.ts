// What the picture shows, and what a reader takes from it.
//
// As it stands: how many messages each rank sent, the most first.
import { descending } from 'd3-array';
import { el } from '../base/dom.ts';
import { count_text } from '../base/format.ts';
import { card } from '../charts/chart.ts';
import type { RankTimes } from '../data/types.ts';

export type Sender = Pick<RankTimes, 'rank' | 'messages_sent'>;

export const NEW_NAME_rows = (ranks: Sender[], most: number) =>
  ranks
    .map(({ rank, messages_sent }) => ({ rank, messages: messages_sent ?? 0 }))
    .filter(({ messages }) => messages > 0)
    .sort((a, b) => descending(a.messages, b.messages))
    .slice(0, most);

export function NEW_NAME(ranks: Sender[]) {
  const rows = NEW_NAME_rows(ranks, 10);
  return card(
    'Who sends most',
    `The ${rows.length} ranks with the most messages.`,
    el(
      'ol',
      {},
      rows.map(({ rank, messages }) => el('li', {}, `rank ${rank}: ${count_text(messages)}`)),
    ),
  );
}
