// The options of a display as fields of a form, kept where the pane keeps them (in the address).
import { el } from '../../base/dom.ts';
import type { View } from '../display.ts';

export type Choice = readonly [value: string, text: string];
export interface Control {
  option: string;
  label: string;
  about?: string;
  // The first stands where none was chosen. Absent: a text.
  choices?: (view: View) => readonly Choice[];
  placeholder?: string;
}

// What is chosen: the first where none is, or one that is no longer among them.
export function chosen(control: Control, view: View): string {
  const value = view.option(control.option);
  if (!control.choices) return value;
  const list = control.choices(view);
  return (list.find(([one]) => one === value) ?? list[0])?.[0] ?? '';
}

export interface ControlNode {
  node: HTMLElement;
  refresh(): void;
}
export function control_node(control: Control, view: View, changed: () => void): ControlNode {
  const set = (value: string) => {
    const first = control.choices?.(view)[0]?.[0] ?? '';
    view.set_option(control.option, value === first ? '' : value);
    changed();
  };
  const label = (field: HTMLElement) => el('label', { class: 'control', title: control.about }, control.label + ' ', field);
  if (!control.choices) {
    const field = el('input', {
      type: 'text',
      'data-option': control.option,
      placeholder: control.placeholder,
      spellcheck: 'false',
      onchange: () => set(field.value.trim()),
    });
    const refresh = () => {
      if (document.activeElement !== field) field.value = view.option(control.option);
    };
    refresh();
    return { node: label(field), refresh };
  }
  const choices = control.choices,
    field = el('select', { 'data-option': control.option, onchange: () => set(field.value) });
  let shown = '';
  const refresh = () => {
    const list = choices(view),
      key = JSON.stringify(list);
    if (key !== shown) field.replaceChildren(...list.map(([value, text]) => el('option', { value }, text)));
    shown = key;
    field.value = chosen(control, view);
  };
  refresh();
  return { node: label(field), refresh };
}
