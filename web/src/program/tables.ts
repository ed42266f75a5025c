// Calls, diagnostics, assumptions: what is best read as text.
// The timed program lies between the return of MPI_Init and the entry of MPI_Finalize: what these two (and
// what else lies outside) take is no share of it. Reports of older versions do not say what a call took inside.
import { el, svg } from '../base/dom.ts';
import { count_text, percent, seconds } from '../base/format.ts';
import { card } from '../charts/chart.ts';

export const outside = /^MPI_(Init|Init_thread|Finalize|Session_init|Session_finalize)$/;
export const timed_of = (name, call) => call.program_s ?? (outside.test(name) ? 0 : call.time_s);

export function calls_table(study) {
  const ranks = study.report.ranks,
    all_s = ranks.reduce((sum, rank) => sum + rank.elapsed_s, 0) || 1;
  const calls = Object.entries(study.report.calls ?? {})
    .map(([name, call]) => ({ name, ...call, timed_s: timed_of(name, call) }))
    .sort((a, b) => b.timed_s - a.timed_s || b.time_s - a.time_s);
  const longest = Math.max(...calls.map((call) => call.timed_s), 1e-12);
  const number = (text) => el('td', { class: 'number' }, text);
  const bar = (call) =>
    svg(
      'svg',
      { width: '100%', height: 12, preserveAspectRatio: 'none', viewBox: '0 0 100 12', 'aria-hidden': 'true' },
      [
        [call.timed_s, 'compute'],
        [Math.min(call.blocked_s ?? 0, call.timed_s), 'library'],
      ].map(([s, fill]) => svg('rect', { x: 0, y: 1, width: (s / longest) * 100, height: 10, fill: `var(--${fill})` })),
    );
  return card(
    'Calls',
    'Time inside each call, summed over the ranks, and its share of the timed program: from the return of MPI_Init to the entry of MPI_Finalize. What is outside has no share.',
    el(
      'div',
      { class: 'scroll dense' },
      el(
        'table',
        { class: 'compact calls' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            [
              ['call'],
              ['count', 'number'],
              ['time', 'number'],
              ['share', 'number'],
              ['blocked', 'number'],
              ['time (dark: blocked)', 'bar'],
            ].map(([text, kind]) => el('th', { class: kind, scope: 'col' }, text)),
          ),
        ),
        el(
          'tbody',
          {},
          calls.map((call) =>
            el(
              'tr',
              { 'data-call': call.name },
              el('td', {}, el('code', {}, call.name)),
              number(count_text(call.count)),
              number(seconds(call.time_s)),
              number(call.timed_s > 0 || call.time_s === 0 ? percent(call.timed_s / all_s) : 'outside'),
              number(call.blocked_s === undefined ? '' : seconds(call.blocked_s)),
              el('td', { style: 'width: 24%; vertical-align: middle; padding-right: 0' }, call.timed_s > 0 && bar(call)),
            ),
          ),
        ),
      ),
    ),
  );
}

// What the program marked (whatwire/marker.h).
export function regions_table(regions) {
  const shares = (region) =>
    ['compute_s', 'library_s', 'blocked_s'].map((key) =>
      el('td', { class: 'number' }, percent(region.time_s > 0 ? region[key] / region.time_s : 0)),
    );
  return card(
    'Regions',
    'Regions that the program marked, summed over the ranks; times include the regions within.',
    el(
      'div',
      { class: 'scroll dense' },
      el(
        'table',
        { class: 'compact regions' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['region', 'visits', 'time', 'compute', 'library', 'blocked'].map((text, i) =>
              el('th', { class: i > 0 ? 'number' : '', scope: 'col' }, text),
            ),
          ),
        ),
        el(
          'tbody',
          {},
          [...regions]
            .sort((a, b) => b.time_s - a.time_s)
            .map((region) =>
              el(
                'tr',
                {},
                el('td', {}, el('code', {}, region.region)),
                el('td', { class: 'number' }, count_text(region.visits)),
                el('td', { class: 'number' }, seconds(region.time_s)),
                shares(region),
              ),
            ),
        ),
      ),
    ),
  );
}

export const severity_style = { info: '', warning: 'warn', 'data loss': 'bad', error: 'bad' };
export function diagnostics_list(diagnostics) {
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
          (diagnostic.count ?? 1) > 1 && ` (${count_text(diagnostic.count)} times)`,
          diagnostic.remedy && el('span', { class: 'soft' }, ' ' + diagnostic.remedy),
        ),
      ),
    ),
  );
}
export function reservations(assumptions, diagnostics) {
  if (assumptions.length + diagnostics.length === 0) return null;
  return el(
    'div',
    { class: 'pair' },
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
export function merged_diagnostics(...lists) {
  const seen = new Map();
  for (const diagnostic of lists.flat())
    if (diagnostic) {
      const known = seen.get(diagnostic.name);
      if (!known || (diagnostic.count ?? 1) > (known.count ?? 1)) seen.set(diagnostic.name, diagnostic);
    }
  return [...seen.values()];
}

export function facts(pairs) {
  return el(
    'dl',
    { class: 'facts' },
    pairs
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  );
}
