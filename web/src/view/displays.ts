// Every display, one line each, in the order of the menus.
import type { Display } from './display.ts';
import { details } from './displays/details.ts';
import { first } from './displays/first.ts';
import { live } from './displays/live.ts';
import { query } from './displays/query.ts';
import { wire } from './displays/wire.ts';
import { timeline } from './timeline/timeline.ts';

export const displays: Display[] = [first, live, timeline, details, wire, query];
