// The page of a report, which carries its data. All that is awaited is there, so it is complete before the next script.
import { Embedded } from './data/source.ts';
import { start } from './main.ts';

start(new Embedded(document.getElementById('data').textContent));
