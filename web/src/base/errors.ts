// Imported first: an error of the page is shown in the page and in <html data-errors>, never swallowed.
import { element_with_id } from './dom.ts';

const { dataset } = document.documentElement;
dataset.errors ??= '0';

export function report_error(message: string) {
  dataset.errors = String(Number(dataset.errors) + 1);
  const box = element_with_id('errors');
  box.hidden = false;
  box.append('This page has a fault: ' + message + '\n');
}
addEventListener('error', (event) => report_error(event.message));
addEventListener('unhandledrejection', (event) => report_error(String(event.reason)));
addEventListener('securitypolicyviolation', (event) => report_error('refused ' + event.violatedDirective));
