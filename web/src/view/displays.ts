// Every display, one line each, in the order of the menus.
import type { Display } from './display.ts';

export const displays: Display[] = [];
