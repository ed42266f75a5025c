// The machine model: everything in it that can be drawn, and what was not measured.
import { type Child, el, nodes_of, table } from '../base/dom.ts';
import { digits, with_prefix } from '../base/format.ts';
import { card, pair } from '../charts/chart.ts';
import type { Machine } from '../data/types.ts';
import { facts } from '../program/tables.ts';
import { alpha_beta_card } from './alpha_beta.ts';
import { closed_loop_card, experiment_cards, interference_cards, timer_card } from './experiments.ts';
import { matrix_cards } from './heat.ts';
import { collective_cards, six_lines_card } from './lines.ts';
import { link_facts, link_name, pingpong } from './pingpong.ts';

const experiment_names = [
  ['matrix', 'every pair of ranks'],
  ['interference', 'interference of streaming neighbours'],
  ['message_rate', 'message rate'],
  ['overlap', 'overlap'],
  ['bidirectional', 'both directions at once'],
  ['congestion', 'congestion of many pairs'],
  ['relay', 'echo through relays'],
  ['after_computation', 'calls after a computation'],
  ['busy', 'echo beside computing processes'],
  ['loggp', 'LogGP parameters'],
  ['timer', 'timer'],
] as const;
const is_empty = (value: object | null | undefined) => !value || Object.keys(value).length === 0;

export function not_measured(machine: Machine) {
  const missing = [];
  for (const link of machine.links) if (is_empty(link.points)) missing.push(`ping-pong ${link_name(link.between)} (points)`);
  if (is_empty(machine.six_lines)) missing.push('the six terms (six_lines)');
  if (is_empty(machine.collectives)) missing.push('collectives (collectives)');
  for (const [key, name] of experiment_names) if (is_empty(machine.observations?.[key])) missing.push(`${name} (observations.${key})`);
  if (is_empty(machine.closed_loop)) missing.push('the closed loop (closed_loop)');
  return missing;
}

function machine_facts({ clock_hz, alpha_cycles, beta_cycles_per_byte, samples }: Machine) {
  const clock = clock_hz && clock_hz > 0;
  return facts([
    ['clock', clock ? with_prefix(+clock_hz.toPrecision(4), 'Hz') : null],
    ['alpha', clock && alpha_cycles ? `${digits(alpha_cycles)} cycles` : null],
    ['beta', clock && beta_cycles_per_byte ? `${digits(beta_cycles_per_byte)} cycles a byte` : null],
    ['samples', samples],
  ]);
}

// What the measurement noted of the hosts and the MPI, as it stands in the model.
function environment_card(environment: Machine['environment']) {
  const rows: [string, string][] = [];
  const walk = (value: unknown, path: string) => {
    if (value !== null && typeof value === 'object')
      for (const [key, inner] of Object.entries(value)) walk(inner, path ? `${path}.${key}` : key);
    else if (value !== null && value !== '') rows.push([path, String(value)]);
  };
  walk(environment ?? {}, '');
  if (rows.length === 0) return null;
  return card(
    'Measured on',
    null,
    table(
      'compact environment',
      [],
      rows.map(([key, value]) => el('tr', {}, el('td', {}, el('code', {}, key)), el('td', {}, value))),
    ),
  );
}

const pair_of = (...cards: Child[]) => nodes_of(cards).length > 0 && pair(cards);

export function machine_cards(machine: Machine): Child[] {
  const observations = machine.observations ?? {},
    missing = not_measured(machine);
  return [
    machine_facts(machine),
    machine.flags &&
      machine.flags.length > 0 &&
      card(
        'Notes and doubtful values of the model',
        null,
        el(
          'ul',
          { class: 'plain flags' },
          machine.flags.map((flag) => el('li', {}, el('span', { class: 'badge warn' }, 'note'), flag)),
        ),
      ),
    pair_of(machine.links.map((link) => card(`Messages ${link_name(link.between)}`, null, link_facts(link), pingpong(link)))),
    alpha_beta_card(machine),
    six_lines_card(machine),
    pair_of(matrix_cards(observations.matrix)),
    pair_of(interference_cards(observations.interference ?? [])),
    pair_of(experiment_cards(observations)),
    pair_of(collective_cards(machine)),
    closed_loop_card(machine.closed_loop ?? []),
    pair_of(timer_card(observations.timer ?? []), environment_card(machine.environment)),
    missing.length > 0 &&
      card(
        'Not measured',
        'The model holds nothing of these, so there is no picture of them.',
        el(
          'ul',
          { class: 'missing' },
          missing.map((text) => el('li', {}, text)),
        ),
      ),
  ];
}
