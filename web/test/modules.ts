// What a test in the browser calls by itself (src/report/machine_page_test.py), as the global `modules`.
export { el } from '../src/base/dom.ts';
export { machine_cards } from '../src/machine/machine.ts';
