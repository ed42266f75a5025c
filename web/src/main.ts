// Builds the page from its source of data.

import { sum } from 'd3-array';
import { agreement } from './answer/agreement.ts';
import { headline, is_disturbed, type Program } from './answer/headline.ts';
import { type Child, el, element_with_id, fill, repaint_now, repaint_when_needed } from './base/dom.ts';
import { report_error } from './base/errors.ts';
import { bytes_text, count_text, launch_text, seconds } from './base/format.ts';
import { pair } from './charts/chart.ts';
import type { Source } from './data/source.ts';
import type { Machine, TimelineData, TraceReport } from './data/types.ts';
import { machine_comparison } from './machine/compare.ts';
import { machine_cards } from './machine/machine.ts';
import { rank_bars } from './program/bars.ts';
import { components_over_d } from './program/components.ts';
import { peer_matrix } from './program/matrix.ts';
import { speedup_curve } from './program/speedup.ts';
import { calls_table, facts, merged_diagnostics, regions_table, reservations } from './program/tables.ts';
import { sweep_section } from './sweep/sweep.ts';
import { Timeline } from './timeline/timeline.ts';

function report_facts(report: TraceReport, recorded_s: number, timeline: TimelineData | null) {
  const hosts = new Set([...report.ranks, ...(timeline?.rows ?? [])].flatMap(({ host }) => host || [])),
    { unmatched_sends: sends, unmatched_receives: receives } = report;
  return facts([
    ['ranks', count_text(report.ranks.length)],
    ['hosts', hosts.size > 0 && String(hosts.size)],
    ['recorded', seconds(recorded_s, 4)],
    ['calls', count_text(sum(Object.values(report.calls ?? {}), (call) => call.count))],
    ['messages', count_text(sum(report.ranks, (rank) => rank.messages_sent))],
    ['sent', bytes_text(sum(report.ranks, (rank) => rank.bytes_sent))],
    ['unmatched', ((sends ?? 0) > 0 || (receives ?? 0) > 0) && `${sends ?? 0} sends, ${receives ?? 0} receives`],
  ]);
}

function program_parts(study: Program, timeline: TimelineData | null): Child[] {
  const { report, launch, dilation, machine } = study,
    peers = (study.peers ?? report?.peers ?? []).filter((peer) => peer.messages > 0 || (peer.collective_bytes ?? 0) > 0);
  return [
    el('h2', {}, study.name, ' ', is_disturbed(study) && el('span', { class: 'badge warn' }, 'times disturbed')),
    launch && el('p', { class: 'soft' }, el('code', {}, launch_text(launch))),
    report && report_facts(report, study.recorded_s, timeline),
    report?.causes &&
      report.causes.length > 0 &&
      el(
        'ul',
        { class: 'causes', 'aria-label': 'what is waited for most' },
        report.causes.map((cause) => el('li', {}, cause.sentence + '.')),
      ),
    timeline && new Timeline(study.name, timeline).node,
    pair(report && report.ranks.length > 0 && rank_bars(report.ranks), peers.length > 0 && peer_matrix(study, peers)),
    dilation && pair(speedup_curve(dilation), components_over_d(dilation)),
    report && calls_table(report),
    report?.regions && report.regions.length > 0 && regions_table(report.regions),
    reservations(study.assumptions ?? [], merged_diagnostics(study.diagnostics, report?.diagnostics)),
    machine && [el('h2', { style: 'margin-top: 26px' }, 'The machine of ', study.name), machine_cards(machine)],
  ];
}

function machine_section(machine: Machine, id: string, title: string, name?: string | null) {
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

async function build(source: Source) {
  const data = await source.report();
  // A machine that all programs share is shown once.
  const shared = data.machine ?? (data.studies.length === 1 ? data.studies[0]?.machine : null);
  const studies = data.studies.map((study, i): Program => {
    const machine = JSON.stringify(study.machine) === JSON.stringify(shared) ? null : study.machine;
    return { ...study, machine, anchor: 'program-' + i };
  });
  // Each section is filled when its timeline is there.
  const sections = studies.map((study) => el('section', { id: study.anchor, class: 'program' }));
  const title = data.title ?? 'What another network would do';
  document.title = title;
  const programs = studies.length,
    sweeps = data.sweeps ?? [],
    models = data.machines ?? [],
    in_general = reservations(data.assumptions ?? [], data.diagnostics ?? []);
  fill(element_with_id('page'), {}, [
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
        studies.map((study) => el('a', { href: '#' + study.anchor }, study.name)),
        shared && el('a', { href: '#machine' }, 'Machine'),
      ),
    programs > 0 && el('section', { id: 'answer' }, headline(studies), agreement(studies), in_general),
    sections,
    sweeps.map(sweep_section),
    programs === 0 && sweeps.length > 0 && in_general,
    models.length > 1 && machine_comparison(models),
    models.map((model, i) => machine_section(model, `machine-${i}`, model.name || `Machine ${i + 1}`)),
    shared && machine_section(shared, 'machine', 'The machine', shared.name),
  ]);
  await Promise.all(
    studies.map(async (study, i) => fill(sections[i] ?? el('section', {}), {}, program_parts(study, await source.timeline(i)))),
  );
  repaint_now();
}

export function start(source: Source) {
  repaint_when_needed();
  build(source).then(
    () => {
      document.documentElement.dataset.ready = 'yes';
    },
    (error: unknown) => report_error(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
}
