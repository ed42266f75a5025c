// The page of a server: <html data-source="/data"> says where its data are. No report has this script.

import './base/errors.ts';
import { Asked } from './data/source.ts';
import { start } from './main.ts';

start(new Asked(document.documentElement.dataset.source ?? '/data'));
