// Runs and their settings in words.
import type { Run, RunKey } from './session.ts';

// What most need; the rest is folded away.
const MAIN = ['calls', 'start', 'max-records', 'functions', 'count-functions', 'durable'];
export const is_main = ({ name }: RunKey) => MAIN.includes(name);

// An example of a file of settings as it is typed into a field: ["p2p", "collective"] is p2p,collective.
export const typed_example = (example: string) => example.replace(/[[\]"]/g, '').replaceAll(', ', ',');

export function state_text({ state, stopping, exit_code, trace }: Run) {
  const code = exit_code === null ? '' : ` with exit code ${exit_code}`;
  switch (state) {
    case 'starts':
      return stopping ? 'is being stopped' : 'starts';
    case 'records':
      return stopping ? 'is being stopped' : 'runs';
    case 'completes':
      return 'is being put together';
    case 'done':
      return 'done';
    case 'stopped':
      return 'stopped; what it did until then is kept';
    case 'failed':
      return trace === null ? `failed${code}: there is no trace` : `ended${code}; what it did until then is kept`;
  }
}
