// What most displays are made of: something is asked that depends on what is looked at, and drawn anew when it has come or when what is
// looked at changes. A panel says what it asks and how it draws; this asks again only when what the answer depends on has changed.
import { type Child, el, nodes_of, tooltip } from '../../base/dom.ts';
import type { Display, Opened, View } from '../display.ts';
import type { Figure, Table } from '../figure.ts';
import type { Look } from '../state/look.ts';
import { type Control, control_node } from './controls.ts';

export interface Size {
  width: number; // pixels, of what is drawn
  height: number;
}
export interface Drawn {
  note?: Child; // above the picture
  body: Child;
  picture?: SVGSVGElement; // saved as SVG and PNG
  canvas?: HTMLCanvasElement; // where there is no such: as PNG
  table?: () => Table; // saved as CSV
}
export interface Panel<T> extends Omit<Display, 'open'> {
  controls?: Control[];
  // Of what the answer depends, as a value that JSON tells apart.
  depends(view: View): unknown;
  ask(view: View, signal: AbortSignal): Promise<T>;
  draw(view: View, answer: T, size: Size): Drawn;
  // The answer is of the instant, which moves by itself while replay runs: nothing that was asked is aborted then.
  instant?: boolean;
  // The instant stands in its picture, of which the answer does not depend.
  shows_instant?: boolean;
}

// There is nothing to draw, and why.
export const nothing = (why: string): Drawn => ({ body: el('p', { class: 'nothing' }, why) });
// Most answers depend on these: which trace, and what of it is selected.
export const of_selection = (view: View): unknown => [view.trace.number, view.selection];

const PADDING = 12,
  NOTE_HEIGHT = 26,
  LEAST_WIDTH = 220,
  LEAST_HEIGHT = 140;
// Of these a picture changes only where the answer does.
const ELSEWHERE = new Set<keyof Look>(['window', 'rows', 'order', 'picked', 'messages', 'speed']);

export function panel<T>(of: Panel<T>): Display {
  const { name, title, group, about } = of;
  return { name, title, group, about, open: (host, view) => opened(of, host, view) };
}

function opened<T>(of: Panel<T>, host: HTMLElement, view: View): Opened {
  const controls = (of.controls ?? []).map((control) => control_node(control, view, refresh)),
    tools = el('div', { class: 'display-tools' }, ...controls.map(({ node }) => node)),
    note = el('p', { class: 'display-note' }),
    body = el('div', { class: 'display-body' });
  host.classList.add('display');
  host.append(tools, note, body);
  tools.hidden = controls.length === 0;
  note.hidden = true;
  let answer: { is: T } | null = null,
    asked = '',
    drawn: Drawn | null = null,
    drawn_at = '',
    resize_asked = false,
    closed = false;

  function draw() {
    if (!answer || closed) return;
    for (const control of controls) control.refresh();
    const size = {
      width: Math.max(LEAST_WIDTH, host.clientWidth - 2 * PADDING),
      height: Math.max(LEAST_HEIGHT, host.clientHeight - (tools.hidden ? 0 : tools.offsetHeight) - 2 * PADDING - NOTE_HEIGHT),
    };
    drawn_at = `${host.clientWidth} ${host.clientHeight}`;
    tooltip.hide();
    drawn = of.draw(view, answer.is, size);
    note.replaceChildren(...nodes_of([drawn.note]));
    note.hidden = !drawn.note;
    body.replaceChildren(...nodes_of([drawn.body]));
    host.dataset.drawn = of.name;
  }
  const matters = (what: keyof Look) => (what === 'at_ns' ? Boolean(of.shows_instant || of.instant) : !ELSEWHERE.has(what));
  // Also where nothing is to be asked `redraw` says that the picture is another one.
  function ask(redraw = true) {
    const key = JSON.stringify([view.trace.asked, of.depends(view)]);
    if (key === asked) {
      if (redraw) draw();
      return;
    }
    asked = key;
    const task = async (signal: AbortSignal) => {
      try {
        return await of.ask(view, signal);
      } catch (error) {
        // Asked again when what is looked at changes, back to the same too.
        if (asked === key) asked = '';
        throw error;
      }
    };
    const then = (is: T) => {
      answer = { is };
      draw();
    };
    if (of.instant) {
      view.follow(of.name, task, then);
      draw();
    } else view.ask(of.name, task, then);
  }
  function refresh() {
    ask();
  }
  ask();
  return {
    update: (changed) => ask([...changed].some(matters)),
    close() {
      closed = true;
      tooltip.hide();
    },
    // Once a frame and only where it has another size: a picture that brings a scroll bar must not bring itself about again.
    resized() {
      const size = `${host.clientWidth} ${host.clientHeight}`;
      if (size === drawn_at || resize_asked) return;
      resize_asked = true;
      requestAnimationFrame(() => {
        resize_asked = false;
        draw();
      });
    },
    figure(): Figure | null {
      if (!drawn || !(drawn.picture || drawn.canvas || drawn.table)) return null;
      const { picture, canvas, table } = drawn;
      return {
        name: `${view.trace.facts.name.replaceAll(/[^\w.-]+/g, '_')}-${of.name}`,
        ...(picture && { svg: () => picture }),
        ...(canvas && { canvas: () => canvas }),
        ...(table && { table }),
      };
    },
  };
}
