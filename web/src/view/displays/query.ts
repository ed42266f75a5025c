// A question in SQL: read only, limited in time and rows. Rows that have a rank and a time are ways into the picture.
import { el, table } from '../../base/dom.ts';
import { count_text } from '../../base/format.ts';
import type { Display, Opened, View } from '../display.ts';
import type { QueryAnswer } from '../source/answers.ts';

const MOST_SHOWN = 1000;
const examples: [title: string, sql: string][] = [
  ['longest calls', 'SELECT rank, name, enter_ns, time_ns, algorithmic_ns, service_ns\nFROM calls ORDER BY time_ns DESC LIMIT 20'],
  [
    'time by call',
    'SELECT name, count(*) AS calls, sum(time_ns) / 1e9 AS s,\n  sum(algorithmic_ns + service_ns) / 1e9 AS blocked_s\nFROM calls GROUP BY name ORDER BY s DESC',
  ],
  ['largest messages', 'SELECT source, destination, bytes, sent_ns, received_ns\nFROM messages ORDER BY bytes DESC LIMIT 20'],
  ['ranks', 'SELECT rank, host, calls, (end_ns - begin_ns) / 1e9 AS s FROM ranks ORDER BY s DESC LIMIT 50'],
];

class QueryBox implements Opened {
  private view: View;
  private text: HTMLTextAreaElement;
  private result = el('div', { class: 'result' });
  private answer: QueryAnswer | null = null;
  constructor(host: HTMLElement, view: View) {
    this.view = view;
    this.text = el('textarea', { class: 'code', rows: 4, spellcheck: 'false', 'aria-label': 'Query in SQL' });
    this.text.value = view.option('sql') || (examples[0]?.[1] ?? '');
    this.text.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.run();
      }
    });
    host.append(
      el(
        'div',
        { class: 'pad query' },
        this.text,
        el(
          'div',
          { class: 'tools-row' },
          el('button', { type: 'button', class: 'primary', onclick: () => this.run(), title: 'Ctrl+Enter' }, 'Run'),
          examples.map(([title, sql]) =>
            el(
              'button',
              {
                type: 'button',
                class: 'plain',
                onclick: () => {
                  this.text.value = sql;
                  this.run();
                },
              },
              title,
            ),
          ),
        ),
        this.result,
      ),
    );
    if (view.option('sql')) this.run();
  }
  update() {}
  close() {}
  figure() {
    const { answer } = this;
    return answer && { name: `${this.view.trace.facts.name}-query`, table: () => ({ columns: answer.columns, rows: answer.rows }) };
  }
  private run() {
    const sql = this.text.value.trim(),
      { trace } = this.view;
    if (sql === '') return;
    this.view.set_option('sql', sql);
    this.view.ask(
      'query',
      (signal) => trace.query(sql, signal),
      (answer) => this.show(answer),
      0,
    );
  }
  private show(answer: QueryAnswer) {
    this.answer = answer;
    const { columns, rows, left_out } = answer,
      at = (name: RegExp) => columns.findIndex((column) => name.test(column)),
      rank_at = at(/^(rank|destination|source)$/),
      from_at = at(/^(enter_ns|sent_ns|at_ns|ns|from_ns|time_of_ns)$/),
      time_at = at(/^time_ns$/),
      to_at = at(/^(leave_ns|received_ns|to_ns)$/),
      call_at = at(/^call$/);
    const number = (row: QueryAnswer['rows'][number], index: number) => (typeof row[index] === 'number' ? row[index] : null);
    const node_of = (row: QueryAnswer['rows'][number]) => {
      const from_ns = number(row, from_at),
        rank = number(row, rank_at),
        call = number(row, call_at),
        cells = row.map((value) =>
          el('td', { class: typeof value === 'number' ? 'number' : '' }, value === null ? '\u2013' : String(value)),
        );
      if (from_ns === null) return el('tr', {}, cells);
      const to_ns = number(row, to_at) ?? from_ns + (number(row, time_at) ?? 0),
        go = () => this.view.show({ from_ns, to_ns, ...(rank !== null && { rank }), ...(rank !== null && call !== null && { call }) });
      return el(
        'tr',
        {
          class: 'link',
          tabindex: 0,
          title: 'Show in the timeline',
          onclick: go,
          onkeydown: (event) => event instanceof KeyboardEvent && event.key === 'Enter' && go(),
        },
        cells,
      );
    };
    const more = rows.length > MOST_SHOWN ? ` The first ${count_text(MOST_SHOWN)} are shown, the CSV has all.` : '',
      left = left_out ? ` Left out: ${left_out}.` : '';
    this.result.replaceChildren(
      el('p', { class: 'note' }, `${count_text(rows.length)} row${rows.length === 1 ? '' : 's'}.${more}${left}`),
      table(
        'rows',
        columns.map((column, i) => [column, typeof rows[0]?.[i] === 'number' ? 'number' : '']),
        rows.slice(0, MOST_SHOWN).map(node_of),
        'scroll',
      ),
    );
  }
}

export const query: Display = {
  name: 'query',
  title: 'Query',
  group: 'Calls',
  about: 'Ask the trace in SQL: calls, messages, ranks, markers, values',
  open: (host, view) => new QueryBox(host, view),
};
