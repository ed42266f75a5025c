// What the page is made of, whoever answers what it asks.
import '../../base/errors.ts';
import { el, element_with_id } from '../../base/dom.ts';
import { RunDesk } from '../run/desk.ts';
import { opener } from '../run/opening.ts';
import { type Source, SourceError } from '../source/source.ts';
import { leaf, leaf_showing, split } from '../state/panes.ts';
import { ask_ahead } from '../timeline/ahead.ts';
import { App } from './app.ts';
import { Arrangement, boxes_of } from './arrangement.ts';
import { fetching } from './fetching.ts';
import { listen_to_keys } from './keys.ts';
import { notices } from './notices.ts';
import { topbar } from './topbar.ts';
import { Transport } from './transport.ts';

const page = element_with_id('page'),
  BARS_PX = 78; // above and below the panes
// Instead of the page: why there is none, and what to do.
function say_instead(what: string, remedy: string, again: boolean) {
  page.replaceChildren(
    el(
      'div',
      { class: 'instead', role: 'alert' },
      el('h1', {}, 'whatwire'),
      el('p', {}, el('b', {}, what)),
      el('p', {}, remedy),
      again && el('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, 'Try again'),
    ),
  );
}

export async function start(source: Source) {
  const app = new App(source);
  try {
    await app.open();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    say_instead(error.message, error.remedy, true);
    return;
  }
  const [first] = app.listed.traces,
    { session } = app;
  let desk: RunDesk | null = null;
  const lay_out_at_last = () => {
    desk?.close();
    lay_out(app, source);
  };
  if (session) session.opener = opener(app, first ? null : lay_out_at_last);
  if (first) {
    // Of a run that goes on or hangs nothing else is known yet.
    if (app.trace.entry.kind === 'live' && location.hash === '')
      app.store.change({ panes: split('column', [0.5, 0.5], [leaf(1, 'timeline'), leaf(2, 'live')]) }, 'none');
    if (location.hash === '') app.begin_at_program();
    lay_out(app, source);
  } else if (session) {
    document.title = 'Run a program \u2013 whatwire';
    desk = new RunDesk(session);
    page.replaceChildren(el('main', { class: 'run-page' }, desk.node));
    document.documentElement.dataset.ready = 'yes';
  } else {
    say_instead('No trace is open.', 'Give one or more: whatwire view TRACE...', false);
  }
}

function lay_out(app: App, source: Source) {
  document.title = `${app.trace.facts.name} \u2013 whatwire`;
  const timeline = leaf_showing(app.look.panes, 'timeline'),
    box = timeline && boxes_of(app.look.panes).panes.get(timeline.id);
  if (box) ask_ahead(app, box.width * innerWidth, box.height * (innerHeight - BARS_PX));
  const arrangement = new Arrangement(app),
    transport = new Transport(app);
  page.replaceChildren(topbar(app), notices(app), arrangement.node, transport.node, fetching(source));
  arrangement.place();
  listen_to_keys({ app, arrangement, transport });
  document.documentElement.dataset.ready = 'yes';
}
