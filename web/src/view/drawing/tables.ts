// A table that is sorted by a click on a column's head, whose rows may lead somewhere, and whose numbers are saved as they are.
import { el } from '../../base/dom.ts';
import type { Table } from '../figure.ts';

export interface Column<R> {
  title: string;
  name: string; // in what is saved, with its unit: "blocked_s"
  value(row: R): string | number | null;
  text?: (value: number) => string; // of a number; else as it is
  about?: string;
}
export interface RowsTable<R> {
  columns: Column<R>[];
  rows: R[];
  choose?: (row: R) => void;
  chosen?: (row: R) => boolean;
  most?: number; // rows that are shown, of the order that is chosen
  name?: string; // for who reads the page
}
const MOST_ROWS = 400;

export const saved_table = <R>(columns: Column<R>[], rows: R[]): Table => ({
  columns: columns.map(({ name }) => name),
  rows: rows.map((row) => columns.map((column) => column.value(row))),
});

// By numbers the largest first, by texts in the alphabet's order; what has none last.
export function sorted_rows<R>(rows: readonly R[], { value }: Column<R>, turned: boolean): R[] {
  const sign = turned ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [p, q] = [value(a), value(b)];
    if (p === null || q === null) return Number(p === null) - Number(q === null);
    return sign * (typeof p === 'number' && typeof q === 'number' ? q - p : String(p).localeCompare(String(q), 'en', { numeric: true }));
  });
}

export function rows_table<R>({ columns, rows, choose, chosen, most = MOST_ROWS, name }: RowsTable<R>): HTMLElement {
  const body = el('tbody', {}),
    left_out = el('p', { class: 'display-note' });
  const numeric = new Set(columns.filter((column) => rows.some((row) => typeof column.value(row) === 'number')));
  const cell = (row: R, column: Column<R>) => {
    const value = column.value(row),
      number = typeof value === 'number';
    return el(
      'td',
      { class: numeric.has(column) ? 'number' : null },
      value === null ? '\u2013' : number ? (column.text ?? String)(value) : value,
    );
  };
  const line = (row: R) => {
    const act = choose && (() => choose(row));
    return el(
      'tr',
      {
        class: chosen?.(row) ? 'chosen' : null,
        tabindex: act ? 0 : null,
        onclick: act,
        onkeydown: act && ((event) => event instanceof KeyboardEvent && event.key === 'Enter' && act()),
      },
      ...columns.map((column) => cell(row, column)),
    );
  };
  const fill_body = (list: readonly R[]) => {
    body.replaceChildren(...list.slice(0, most).map(line));
    left_out.textContent = list.length > most ? `The first ${most} of ${list.length} rows in this order; saved as CSV all are there.` : '';
  };
  let by: Column<R> | null = null,
    turned = false;
  const heads = columns.map((column) => {
    const head = el(
      'th',
      { class: numeric.has(column) ? 'number' : '', scope: 'col', title: column.about },
      el(
        'button',
        {
          type: 'button',
          class: 'head',
          onclick: () => {
            turned = by === column && !turned;
            by = column;
            for (const other of heads) other.removeAttribute('aria-sort');
            head.setAttribute('aria-sort', numeric.has(column) !== turned ? 'descending' : 'ascending');
            fill_body(sorted_rows(rows, column, turned));
          },
        },
        column.title,
      ),
    );
    return head;
  });
  fill_body(rows);
  return el(
    'div',
    { class: 'display-table' },
    el('table', { class: choose ? 'compact choosable' : 'compact', 'data-table': name }, el('thead', {}, el('tr', {}, ...heads)), body),
    left_out,
  );
}
