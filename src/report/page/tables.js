// Calls, diagnostics, assumptions: what is best read as text.
function calls_table(study) {
  const ranks = study.report.ranks, all_s = ranks.reduce((sum, rank) => sum + rank.elapsed_s, 0) || 1;
  const calls = Object.entries(study.report.calls ?? {}).sort((a, b) => b[1].time_s - a[1].time_s);
  const longest = Math.max(...calls.map(([, call]) => call.time_s), 1e-12);
  return card(
      'Calls', 'Time inside each call, summed over the ranks, and its share of all ranks\' time.',
      el('div', {class: 'scroll dense'},
         el('table', {class: 'compact calls'},
            el('thead', {},
               el('tr', {},
                  [
                    ['call'], ['count', 'number'], ['time', 'number'], ['share', 'number'],
                    ['blocked', 'number'], ['time (dark: blocked)', 'bar']
                  ].map(([text, kind]) => el('th', {class: kind, scope: 'col'}, text)))),
            el('tbody', {},
               calls.map(
                   ([name, call]) =>
                       el('tr', {'data-call': name}, el('td', {}, el('code', {}, name)),
                          el('td', {class: 'number'}, count_text(call.count)),
                          el('td', {class: 'number'}, seconds(call.time_s)),
                          el('td', {class: 'number'}, percent(call.time_s / all_s)),
                          el('td', {class: 'number'},
                             call.blocked_s === undefined ? '' : seconds(call.blocked_s)),
                          el('td', {style: 'width: 24%; vertical-align: middle; padding-right: 0'},
                             svg('svg', {
                               width: '100%',
                               height: 12,
                               preserveAspectRatio: 'none',
                               viewBox: '0 0 100 12',
                               'aria-hidden': 'true'
                             },
                                 svg('rect', {
                                   x: 0,
                                   y: 1,
                                   width: (call.time_s / longest) * 100,
                                   height: 10,
                                   fill: 'var(--compute)'
                                 }),
                                 svg('rect', {
                                   x: 0,
                                   y: 1,
                                   width: ((call.blocked_s ?? 0) / longest) * 100,
                                   height: 10,
                                   fill: 'var(--library)'
                                 })))))))));
}

// What the program marked (whatwire/marker.h).
function regions_table(regions) {
  const shares = (region) => ['compute_s', 'library_s', 'blocked_s'].map(
      (key) => el('td', {class: 'number'}, percent(region.time_s > 0 ? region[key] / region.time_s : 0)));
  return card(
      'Regions', 'Regions that the program marked, summed over the ranks; times include the regions within.',
      el('div', {class: 'scroll dense'},
         el('table', {class: 'compact regions'},
            el('thead', {},
               el('tr', {},
                  ['region', 'visits', 'time', 'compute', 'library', 'blocked'].map(
                      (text, i) => el('th', {class: i > 0 ? 'number' : '', scope: 'col'}, text)))),
            el('tbody', {},
               [...regions].sort((a, b) => b.time_s - a.time_s)
                   .map(
                       (region) => el('tr', {}, el('td', {}, el('code', {}, region.region)),
                                      el('td', {class: 'number'}, count_text(region.visits)),
                                      el('td', {class: 'number'}, seconds(region.time_s)), shares(region)))))));
}

const severity_style = {
  info: '',
  warning: 'warn',
  'data loss': 'bad',
  error: 'bad'
};
function diagnostics_list(diagnostics) {
  return el(
      'ul', {class: 'plain diagnostics'},
      diagnostics.map(
          (diagnostic) =>
              el('li', {'data-name': diagnostic.name},
                 el('span', {class: 'badge ' + (severity_style[diagnostic.severity] ?? '')},
                    diagnostic.severity),
                 el('span', {}, el('code', {}, diagnostic.name),
                    (diagnostic.count ?? 1) > 1 && ` (${count_text(diagnostic.count)} times)`,
                    diagnostic.remedy && el('span', {class: 'soft'}, ' ' + diagnostic.remedy)))));
}
function reservations(assumptions, diagnostics) {
  if (assumptions.length + diagnostics.length === 0) return null;
  return el(
      'div', {class: 'pair'},
      diagnostics.length > 0 &&
          card('Diagnostics', 'What was found wrong or doubtful in the data.', diagnostics_list(diagnostics)),
      assumptions.length > 0 &&
          card(
              'Assumptions', 'What the predictions take for granted.',
              el('ul', {class: 'plain assumptions'}, assumptions.map((text) => el('li', {}, text)))));
}
// The same diagnostic may come from the study and from its trace: it is shown once.
function merged_diagnostics(...lists) {
  const seen = new Map();
  for (const diagnostic of lists.flat())
    if (diagnostic) {
      const known = seen.get(diagnostic.name);
      if (!known || (diagnostic.count ?? 1) > (known.count ?? 1)) seen.set(diagnostic.name, diagnostic);
    }
  return [...seen.values()];
}

function facts(pairs) {
  return el(
      'dl', {class: 'facts'},
      pairs.filter(([, value]) => value !== undefined && value !== null)
          .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}
