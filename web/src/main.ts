// Builds the page from its source of data.
import { agreement } from './answer/agreement.ts';
import { headline, is_disturbed } from './answer/headline.ts';
import { el, fill, repaint_now, report_error, root } from './base/dom.ts';
import { bytes_text, count_text, launch_text, seconds } from './base/format.ts';
import { machine_comparison } from './machine/compare.ts';
import { machine_cards } from './machine/machine.ts';
import { rank_bars } from './program/bars.ts';
import { peer_matrix } from './program/matrix.ts';
import { speedup_curve } from './program/speedup.ts';
import { calls_table, facts, merged_diagnostics, regions_table, reservations } from './program/tables.ts';
import { sweep_section } from './sweep/sweep.ts';
import { Timeline } from './timeline/timeline.ts';

function program_parts(study, timeline_data) {
  const report = study.report,
    peers = (study.peers ?? report?.peers)?.filter((peer) => peer.messages > 0 || peer.collective_bytes > 0);
  const sum = (key) => report.ranks.reduce((total, rank) => total + (rank[key] ?? 0), 0);
  const hosts = new Set((report?.ranks ?? []).map((rank) => rank.host).filter(Boolean));
  for (const row of timeline_data?.rows ?? []) if (row.host) hosts.add(row.host);
  const timeline = timeline_data && new Timeline(study.name, timeline_data);
  return [
    el('h2', {}, study.name, ' ', is_disturbed(study) && el('span', { class: 'badge warn' }, 'times disturbed')),
    study.launch && el('p', { class: 'soft' }, el('code', {}, launch_text(study.launch))),
    report &&
      facts([
        ['ranks', count_text(report.ranks.length)],
        ['hosts', hosts.size ? String(hosts.size) : null],
        ['recorded', seconds(study.recorded_s, 4)],
        ['calls', count_text(Object.values(report.calls ?? {}).reduce((total, call) => total + call.count, 0))],
        ['messages', count_text(sum('messages_sent'))],
        ['sent', bytes_text(sum('bytes_sent'))],
        [
          'unmatched',
          report.unmatched_sends + report.unmatched_receives > 0
            ? `${report.unmatched_sends} sends, ${report.unmatched_receives} receives`
            : null,
        ],
      ]),
    report?.causes?.length > 0 &&
      el(
        'ul',
        { class: 'causes', 'aria-label': 'what is waited for most' },
        report.causes.map((cause) => el('li', {}, cause.sentence + '.')),
      ),
    timeline?.node,
    el(
      'div',
      { class: 'pair' },
      report && report.ranks.length > 0 && rank_bars(study),
      peers && peers.length > 0 && peer_matrix(study, peers),
    ),
    el('div', { class: 'pair' }, study.dilation && speedup_curve(study), report && calls_table(study)),
    report?.regions?.length > 0 && regions_table(report.regions),
    reservations(study.assumptions ?? [], merged_diagnostics(study.diagnostics ?? [], report?.diagnostics ?? [])),
    study.machine && [el('h2', { style: 'margin-top: 26px' }, 'The machine of ', study.name), machine_cards(study.machine)],
  ];
}

export function machine_section(machine, id, title, name) {
  return el(
    'section',
    { id, class: 'machine' },
    el('h2', {}, title),
    name && el('p', { class: 'soft' }, name),
    el(
      'p',
      { class: 'note hint' },
      'Point at a mark for its values; a chart that has the focus (Tab) shows them one after the other by the arrow keys.',
    ),
    machine_cards(machine),
  );
}

async function build(source) {
  const data = await source.report();
  for (const [i, study] of data.studies.entries()) study.anchor = 'program-' + i;
  // A machine that all programs share is shown once.
  const shared = data.machine ?? (data.studies.length === 1 ? data.studies[0].machine : null);
  for (const study of data.studies) if (study.machine && JSON.stringify(study.machine) === JSON.stringify(shared)) study.machine = null;
  // Each section is filled when its timeline is there.
  const sections = data.studies.map((study) => el('section', { id: study.anchor, class: 'program' }));
  const title = data.title ?? 'What another network would do';
  document.title = title;
  const programs = data.studies.length,
    models = data.machines ?? [];
  document.getElementById('page').append(
    ...[
      el(
        'header',
        { class: 'top' },
        el('h1', {}, title),
        el(
          'p',
          { class: 'soft' },
          [data.made_by, shared?.name && `machine ${shared.name}`, programs > 0 && `${programs} program${programs === 1 ? '' : 's'}`]
            .filter(Boolean)
            .join(' \u00b7 '),
        ),
      ),
      programs > 0 &&
        el(
          'nav',
          { 'aria-label': 'in this report' },
          el('a', { href: '#answer' }, 'Answer'),
          data.studies.map((study) => el('a', { href: '#' + study.anchor }, study.name)),
          shared && el('a', { href: '#machine' }, 'Machine'),
        ),
      programs > 0 &&
        el(
          'section',
          { id: 'answer' },
          headline(data.studies),
          agreement(data.studies),
          reservations(data.assumptions ?? [], data.diagnostics ?? []),
        ),
      ...sections,
      ...(data.sweeps ?? []).map(sweep_section),
      programs === 0 && data.sweeps?.length > 0 && reservations(data.assumptions ?? [], data.diagnostics ?? []),
      models.length > 1 && machine_comparison(models),
      ...models.map((model, i) => machine_section(model, `machine-${i}`, model.name || `Machine ${i + 1}`)),
      shared && machine_section(shared, 'machine', 'The machine', shared.name),
    ].filter(Boolean),
  );
  await Promise.all(data.studies.map(async (study, i) => fill(sections[i], {}, program_parts(study, await source.timeline(i)))));
  repaint_now();
}

export function start(source) {
  build(source).then(
    () => (root.dataset.ready = 'yes'),
    (error) => report_error(error.stack ?? String(error)),
  );
}
