// File I/O through MPI, by file.
import { byte_rate_text, bytes_text, count_text, seconds } from '../../base/format.ts';
import { bytes_ticks } from '../drawing/axis.ts';
import { type Bar, bar_chart } from '../drawing/bars.ts';
import { series_colour } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { type Column, rows_table, saved_table } from '../drawing/tables.ts';
import { time_legend } from '../drawing/time_chart.ts';

interface FileRow {
  name: string;
  opens: number;
  reads: number;
  writes: number;
  bytes_read: number;
  bytes_written: number;
  short_operations: number;
  time_s: number;
  waited_s: number;
  open_s: number;
  active_s: number;
  bytes_per_s: number;
}
const time = (s: number) => seconds(s);
const columns: Column<FileRow>[] = [
  { title: 'file', name: 'file', value: ({ name }) => name },
  { title: 'opens', name: 'opens', value: ({ opens }) => opens, text: count_text },
  { title: 'reads', name: 'reads', value: ({ reads }) => reads, text: count_text },
  { title: 'writes', name: 'writes', value: ({ writes }) => writes, text: count_text },
  { title: 'read', name: 'bytes_read', value: (row) => row.bytes_read, text: bytes_text },
  { title: 'written', name: 'bytes_written', value: (row) => row.bytes_written, text: bytes_text },
  { title: 'in calls', name: 'time_s', value: ({ time_s }) => time_s, text: time, about: 'sum over the ranks' },
  { title: 'waited', name: 'waited_s', value: ({ waited_s }) => waited_s, text: time, about: 'of it for other ranks' },
  { title: 'active', name: 'active_s', value: ({ active_s }) => active_s, text: time, about: 'while any rank had an operation under way' },
  {
    title: 'rate',
    name: 'bytes_per_s',
    value: ({ bytes_per_s }) => bytes_per_s,
    text: byte_rate_text,
    about: 'bytes read and written by the active time',
  },
  {
    title: 'short',
    name: 'short_operations',
    value: (row) => row.short_operations,
    text: count_text,
    about: 'operations that moved less than they were asked to',
  },
];

export const files = panel<{ files: FileRow[] }>({
  name: 'files',
  title: 'File I/O',
  group: 'Calls',
  about: 'Which files are read and written, how much and how fast?',
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<{ files: FileRow[] }>('files', view.selection, signal),
  draw(view, { files: rows }, { width }) {
    if (rows.length === 0) return nothing('There is no file I/O through MPI here.');
    const dark = view.palette.dark,
      [read, written] = [series_colour(0, dark), series_colour(1, dark)],
      sorted = [...rows].sort((a, b) => b.bytes_read + b.bytes_written - a.bytes_read - a.bytes_written);
    const picture = bar_chart({
      label: 'bytes read and written by file',
      width,
      text: (value) => bytes_text(Math.round(value)),
      ticks: bytes_ticks,
      bars: sorted.slice(0, 64).map(
        (row): Bar => ({
          label: row.name.split('/').at(-1) || row.name,
          title: row.name,
          segments: [
            { name: 'read', colour: read, value: row.bytes_read },
            { name: 'written', colour: written, value: row.bytes_written },
          ],
          rows: [
            ['in calls', seconds(row.time_s)],
            ['rate', byte_rate_text(row.bytes_per_s)],
          ],
          data: { file: row.name, read: row.bytes_read, written: row.bytes_written },
          choose: () => view.change({ selection: { ...view.look.selection, calls: view.look.selection.calls === 'io' ? '' : 'io' } }),
        }),
      ),
    });
    return {
      body: [
        time_legend([
          { name: 'read', colour: read, values: [] },
          { name: 'written', colour: written, values: [] },
        ]),
        picture,
        rows_table({ columns, rows: sorted, name: 'files' }),
      ],
      picture,
      table: () => saved_table(columns, sorted),
    };
  },
});
