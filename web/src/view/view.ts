// The viewer's page: see docs/design/viewing.md.
import '../base/errors.ts';
import { el, element_with_id } from '../base/dom.ts';
import { App } from './shell/app.ts';
import { Arrangement } from './shell/arrangement.ts';
import { listen_to_keys } from './shell/keys.ts';
import { notices } from './shell/notices.ts';
import { topbar } from './shell/topbar.ts';
import { Transport } from './shell/transport.ts';
import { Served, SourceError } from './source/source.ts';

const page = element_with_id('page');
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

async function start() {
  const app = new App(new Served());
  try {
    await app.open();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    say_instead(error.message, error.remedy, true);
    return;
  }
  if (app.listed.traces.length === 0) {
    say_instead('No trace is open.', 'Give one or more: whatwire view TRACE...', false);
    return;
  }
  document.title = `${app.trace.facts.name} \u2013 whatwire`;
  const arrangement = new Arrangement(app),
    transport = new Transport(app);
  page.replaceChildren(topbar(app), notices(app), arrangement.node, transport.node);
  arrangement.place();
  listen_to_keys({ app, arrangement, transport });
  document.documentElement.dataset.ready = 'yes';
}
void start();
