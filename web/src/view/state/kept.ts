// What a user wants in every trace: theme and colours, kept by the browser where it lets a page keep things.
import { look_of } from './address.ts';
import type { Look } from './look.ts';

const KEY = 'whatwire';
export function kept(): Partial<Pick<Look, 'theme' | 'colours'>> {
  try {
    const { theme, colours } = look_of(localStorage.getItem(KEY) ?? '');
    return { theme, colours };
  } catch {
    return {};
  }
}
// `text`: the address of a look that has nothing else.
export function keep(text: string) {
  try {
    if (text === '') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, text);
  } catch {
    // not allowed here: then it is for this page alone
  }
}
