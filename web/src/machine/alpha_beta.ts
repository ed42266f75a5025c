// The links as Ross tabulates them: T(n) = t_s + t_c n, in cycles of the clock and in operations (docs/machine-model.md).
import { el, number_heads, table } from '../base/dom.ts';
import { bytes_text, digits } from '../base/format.ts';
import { card } from '../charts/chart.ts';
import type { AlphaBeta, Machine } from '../data/types.ts';
import { link_name } from './pingpong.ts';

// A line's cells; what is not known is a dash. A source's own numbers keep their digits.
export function alpha_beta_cells(row: AlphaBeta, printed: boolean) {
  const text = (value: number | null | undefined, factor = 1) => {
    if (typeof value !== 'number' || value === 0) return '–';
    return printed ? String(+(value * factor).toPrecision(10)) : digits(value * factor, 4);
  };
  return [
    link_name(row.between ?? 'inter') + (printed ? ', as printed' : ''),
    text(row.t_s, 1e6),
    text(row.t_c_s_per_byte, 1e9),
    text(row.alpha_cycles),
    text(row.beta_cycles_per_byte),
    text(row.inverse_beta_bytes_per_cycle),
    text(row.alpha_operations),
    text(row.beta_operations_per_byte),
  ];
}

export function alpha_beta_card(machine: Machine) {
  const rows = machine.alpha_beta ?? [];
  if (rows.length === 0) return null;
  const lines = [
    ...rows.map((row) => alpha_beta_cells(row, false)),
    ...(machine.observations?.printed ?? []).map((row) => alpha_beta_cells(row, true)),
  ];
  const fit = rows[0]?.fit;
  return card(
    'Alpha and beta',
    'One way, as Ross tabulates links: t_s is the smallest message’s time, t_c the slope by least squares' +
      (fit?.from_bytes && fit.to_bytes ? ` from ${bytes_text(fit.from_bytes)} to ${bytes_text(fit.to_bytes)}.` : '.'),
    table(
      'compact alpha-beta',
      number_heads('link', 't_s µs', 't_c ns/B', 'α cycles', 'β cycles/B', '1/β B/cycle', 'α operations', 'β operations/B'),
      lines.map(([name, ...numbers]) =>
        el(
          'tr',
          {},
          el('td', {}, name),
          numbers.map((number) => el('td', { class: 'number' }, number)),
        ),
      ),
    ),
  );
}
