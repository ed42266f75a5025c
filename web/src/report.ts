// The page of a report, which carries its data. All that is awaited is there, so it is complete before the next script.

import './base/errors.ts';
import { element_with_id } from './base/dom.ts';
import { Embedded } from './data/source.ts';
import { start } from './main.ts';

start(new Embedded(element_with_id('data').textContent ?? ''));
