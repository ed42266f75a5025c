// What stands below a prediction: its diagnostics, what was assumed; and which machine recorded, where predictions are of another one's.
import { type Child, el } from '../../base/dom.ts';
import type { Diagnostic } from '../source/answers.ts';
import { diagnostic_text } from '../words.ts';
import type { Control } from './controls.ts';

export interface Said {
  assumptions: string[];
  diagnostics: Diagnostic[];
}
export const said_of = ({ assumptions, diagnostics }: Said): Child[] => [
  ...diagnostics.map((one) => el('p', { class: 'warned' }, diagnostic_text(one))),
  assumptions.length > 0 &&
    el(
      'details',
      { class: 'assumed' },
      el('summary', {}, 'What was assumed'),
      el(
        'ul',
        {},
        assumptions.map((one) => el('li', {}, one)),
      ),
    ),
];
// Of several predictions each sentence once.
export const together = (all: readonly Said[]): Said => ({
  assumptions: [...new Set(all.flatMap(({ assumptions }) => assumptions))],
  diagnostics: [...new Map(all.flatMap(({ diagnostics }) => diagnostics.map((one) => [diagnostic_text(one), one]))).values()],
});

// As the self-check of every prediction has it: beyond this no speed-up is said.
export const MOST_OFF = 0.1;

export const recorded_on: Control = {
  option: 'machine',
  label: 'recorded on',
  about: 'The model of the machine that the trace was recorded on',
  choices: (view) => [
    ['', 'the machine that whatwire view was told'],
    ...view.machines.map(({ name }): readonly [string, string] => [name, `${name} (preset)`]),
  ],
};
