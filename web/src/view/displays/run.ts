// Run a program of the folder in which whatwire view was started, and what became of it: of servers that may (--allow-run).
import { el } from '../../base/dom.ts';
import type { Display } from '../display.ts';
import { RunDesk } from '../run/desk.ts';

export const run: Display = {
  name: 'run',
  title: 'Run a program',
  group: 'Start',
  about: 'Choose a program and what is recorded, start it, look at it while it goes',
  runs: true,
  open(host, view) {
    const { session } = view;
    if (!session) {
      host.append(el('p', { class: 'pad' }, 'Nothing is run from this page: start "whatwire view --allow-run".'));
      return { update: () => undefined, close: () => undefined };
    }
    const desk = new RunDesk(session);
    host.append(desk.node);
    return { update: () => undefined, close: () => desk.close() };
  },
};
