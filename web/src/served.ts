// The page of a server: <html data-source="/data"> says where its data are. No report has this script.

import { root } from './base/dom.ts';
import { Asked } from './data/source.ts';
import { start } from './main.ts';

start(new Asked(root.dataset.source ?? '/data'));
