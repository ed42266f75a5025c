// The viewer's page as a file that holds its trace (whatwire export --to html): see docs/design/viewing.md.
import { start } from './shell/start.ts';
import { Embedded } from './source/embedded.ts';

void start(new Embedded());
