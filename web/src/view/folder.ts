// The viewer's page as a folder on any web server, the trace in pieces beside it (whatwire export --to html-folder): see
// docs/design/viewing.md.
import { start } from './shell/start.ts';
import { Folder } from './source/folder.ts';

void start(new Folder());
