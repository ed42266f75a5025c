// The viewer's page as `whatwire view` serves it: see docs/design/viewing.md.
import { start } from './shell/start.ts';
import { Served } from './source/source.ts';

void start(new Served());
