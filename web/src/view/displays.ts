// Every display, one line each, in the order of the menus.
import type { Display } from './display.ts';
import { blocked } from './displays/blocked.ts';
import { clump } from './displays/clump.ts';
import { compare } from './displays/compare.ts';
import { critical_path } from './displays/critical_path.ts';
import { cube } from './displays/cube.ts';
import { curves } from './displays/curves.ts';
import { delays } from './displays/delays.ts';
import { details } from './displays/details.ts';
import { dilation } from './displays/dilation.ts';
import { files } from './displays/files.ts';
import { first } from './displays/first.ts';
import { kiviat } from './displays/kiviat.ts';
import { live } from './displays/live.ts';
import { machine } from './displays/machine.ts';
import { message } from './displays/message.ts';
import { one_sided } from './displays/one_sided.ts';
import { pop } from './displays/pop.ts';
import { query } from './displays/query.ts';
import { queues } from './displays/queues.ts';
import { ranks } from './displays/ranks.ts';
import { regions } from './displays/regions.ts';
import { run } from './displays/run.ts';
import { scenarios } from './displays/scenarios.ts';
import { sizes } from './displays/sizes.ts';
import { skew } from './displays/skew.ts';
import { surface } from './displays/surface.ts';
import { traffic } from './displays/traffic.ts';
import { utilisation } from './displays/utilisation.ts';
import { values } from './displays/values.ts';
import { wire } from './displays/wire.ts';
import { timeline } from './timeline/timeline.ts';

export const displays: Display[] = [
  first,
  live,
  run,
  timeline,
  utilisation,
  traffic,
  surface,
  ranks,
  kiviat,
  cube,
  clump,
  queues,
  sizes,
  message,
  one_sided,
  blocked,
  skew,
  files,
  critical_path,
  delays,
  pop,
  regions,
  values,
  compare,
  details,
  wire,
  curves,
  scenarios,
  dilation,
  machine,
  query,
];
