// Calls, diagnostics, assumptions: what is best read as text.
// The timed program lies between the return of MPI_Init and the entry of MPI_Finalize: what these two (and
// what else lies outside) take is no share of it. Reports of older versions do not say what a call took inside.
import { max, sum } from 'd3-array';
import { type Child, el, number_cell, number_heads, number_row, svg, table } from '../base/dom.ts';
import { count_text, percent, seconds } from '../base/format.ts';
import { card, pair } from '../charts/chart.ts';
import type { CallTimes, Diagnostic, RegionTimes, TraceReport } from '../data/types.ts';

const outside = /^MPI_(Init|Init_thread|Finalize|Session_init|Session_finalize)$/;
export const timed_of = (name: string, call: CallTimes) => call.program_s ?? (outside.test(name) ? 0 : call.time_s);

export function calls_table(report: TraceReport) {
  const all_s = sum(report.ranks, (rank) => rank.elapsed_s) || 1;
  const calls = Object.entries(report.calls ?? {})
    .map(([name, call]) => ({ name, ...call, timed_s: timed_of(name, call) }))
    .sort((a, b) => b.timed_s - a.timed_s || b.time_s - a.time_s);
  const longest = Math.max(max(calls, (call) => call.timed_s) ?? 0, 1e-12);
  const part = (s: number, fill: string) => svg('rect', { x: 0, y: 1, width: (s / longest) * 100, height: 10, fill: `var(--${fill})` });
  return card(
    'Calls',
    'Time inside each call, summed over the ranks, and its share of the timed program: from the return of MPI_Init to the entry of MPI_Finalize. What is outside has no share.',
    table(
      'compact calls',
      [...number_heads('call', 'count', 'time', 'share', 'blocked'), ['time (dark: blocked)', 'bar']],
      calls.map(({ name, count, time_s, timed_s, blocked_s }) =>
        el(
          'tr',
          { 'data-call': name },
          el('td', {}, el('code', {}, name)),
          number_cell(count_text(count)),
          number_cell(seconds(time_s)),
          number_cell(timed_s > 0 || time_s === 0 ? percent(timed_s / all_s) : 'outside'),
          number_cell(typeof blocked_s === 'number' ? seconds(blocked_s) : ''),
          el(
            'td',
            { style: 'width: 24%; vertical-align: middle; padding-right: 0' },
            timed_s > 0 &&
              svg(
                'svg',
                { width: '100%', height: 12, preserveAspectRatio: 'none', viewBox: '0 0 100 12', 'aria-hidden': 'true' },
                part(timed_s, 'compute'),
                part(Math.min(blocked_s ?? 0, timed_s), 'library'),
              ),
          ),
        ),
      ),
    ),
  );
}

// What the program marked (whatwire/marker.h).
export function regions_table(regions: RegionTimes[]) {
  return card(
    'Regions',
    'Regions that the program marked, summed over the ranks; times include the regions within.',
    table(
      'compact regions',
      number_heads('region', 'visits', 'time', 'compute', 'library', 'blocked'),
      [...regions]
        .sort((a, b) => b.time_s - a.time_s)
        .map(({ region, visits, time_s, compute_s, library_s, blocked_s }) =>
          number_row(
            {},
            el('code', {}, region),
            count_text(visits),
            seconds(time_s),
            ...[compute_s, library_s, blocked_s].map((s) => percent(time_s > 0 ? s / time_s : 0)),
          ),
        ),
    ),
  );
}

const severity_style: Record<string, string> = { info: '', warning: 'warn', 'data loss': 'bad', error: 'bad' };
function diagnostics_list(diagnostics: Diagnostic[]) {
  return el(
    'ul',
    { class: 'plain diagnostics' },
    diagnostics.map((diagnostic) =>
      el(
        'li',
        { 'data-name': diagnostic.name },
        el('span', { class: 'badge ' + (severity_style[diagnostic.severity] ?? '') }, diagnostic.severity),
        el(
          'span',
          {},
          el('code', {}, diagnostic.name),
          (diagnostic.count ?? 1) > 1 && ` (${count_text(diagnostic.count ?? 1)} times)`,
          diagnostic.remedy && el('span', { class: 'soft' }, ' ' + diagnostic.remedy),
        ),
      ),
    ),
  );
}
export function reservations(assumptions: string[], diagnostics: Diagnostic[]) {
  if (assumptions.length + diagnostics.length === 0) return null;
  return pair(
    diagnostics.length > 0 && card('Diagnostics', 'What was found wrong or doubtful in the data.', diagnostics_list(diagnostics)),
    assumptions.length > 0 &&
      card(
        'Assumptions',
        'What the predictions take for granted.',
        el(
          'ul',
          { class: 'plain assumptions' },
          assumptions.map((text) => el('li', {}, text)),
        ),
      ),
  );
}
// The same diagnostic may come from the study and from its trace: it is shown once.
export function merged_diagnostics(...lists: (Diagnostic[] | null | undefined)[]) {
  const seen = new Map<string, Diagnostic>();
  for (const diagnostic of lists.flatMap((list) => list ?? [])) {
    const known = seen.get(diagnostic.name);
    if (!known || (diagnostic.count ?? 1) > (known.count ?? 1)) seen.set(diagnostic.name, diagnostic);
  }
  return [...seen.values()];
}

// What is nothing is left out.
export const facts = (pairs: [name: string, value: Child][]) =>
  el(
    'dl',
    { class: 'facts' },
    pairs.map(([name, value]) => value && el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  );
