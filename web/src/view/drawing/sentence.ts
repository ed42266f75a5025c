// What an answer says of itself, which begins with a small letter and has no full stop, as a sentence of the page.
export const sentence = (text: string) =>
  text === '' ? '' : text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
