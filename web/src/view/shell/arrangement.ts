// Places the panes as the tree says. Panes are never taken out of the page while they stay open, only moved and sized: a canvas, a
// scroll position, a field that is being typed into stay as they are.
import { el } from '../../base/dom.ts';
import {
  leaf_with_id,
  leaves,
  type Side,
  type Pane as Tree,
  with_divider_moved,
  with_leaf_moved,
  with_leaves_swapped,
} from '../state/panes.ts';
import type { App } from './app.ts';
import { Pane } from './pane.ts';

interface Box {
  left: number; // of the whole, 0 to 1
  top: number;
  width: number;
  height: number;
}
interface Divider extends Box {
  path: number[];
  index: number;
  direction: 'row' | 'column';
  room: number; // of the split along its direction
}

export function boxes_of(tree: Tree) {
  const panes = new Map<number, Box>(),
    dividers: Divider[] = [];
  const place = (node: Tree, box: Box, path: number[]) => {
    if (node.kind === 'leaf') {
      panes.set(node.id, box);
      return;
    }
    const along = node.direction === 'row';
    let at = along ? box.left : box.top;
    node.children.forEach((child, i) => {
      const size = (node.shares[i] ?? 0) * (along ? box.width : box.height),
        inner = along ? { ...box, left: at, width: size } : { ...box, top: at, height: size };
      place(child, inner, [...path, i]);
      at += size;
      if (i + 1 < node.children.length)
        dividers.push({
          ...(along ? { ...box, left: at, width: 0 } : { ...box, top: at, height: 0 }),
          path,
          index: i,
          direction: node.direction,
          room: along ? box.width : box.height,
        });
    });
  };
  place(tree, { left: 0, top: 0, width: 1, height: 1 }, []);
  return { panes, dividers };
}
const percent = (share: number) => `${(share * 100).toFixed(4)}%`;
function put(node: HTMLElement, { left, top, width, height }: Box) {
  node.style.left = percent(left);
  node.style.top = percent(top);
  node.style.width = percent(width);
  node.style.height = percent(height);
}

export class Arrangement {
  readonly node = el('main', { class: 'panes' });
  private app: App;
  private panes = new Map<number, Pane>();
  private dividers = el('div', { class: 'dividers' });
  private drop = el('div', { class: 'drop', hidden: true });
  private whole: number | null = null;

  constructor(app: App) {
    this.app = app;
    this.node.append(this.dividers, this.drop);
    this.node.addEventListener('whole', (event) => {
      const id = (event as CustomEvent<number>).detail;
      this.whole = this.whole === id ? null : id;
      this.place();
    });
    app.listen((changed) => {
      if (changed.has('panes')) this.place();
      for (const pane of this.panes.values()) pane.update(changed);
    });
  }
  get focused(): Pane | undefined {
    const id = document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane;
    return id === undefined ? undefined : this.panes.get(Number(id));
  }
  focus_next(by: number) {
    const ids = leaves(this.app.look.panes).map(({ id }) => id),
      now = ids.indexOf(this.focused?.id ?? -1),
      next = ids[(now + by + ids.length) % ids.length];
    if (next !== undefined) this.panes.get(next)?.node.focus();
  }
  // By keys: the focused pane swaps places with the next, or the divider beside it moves.
  swap_focused(by: number) {
    const ids = leaves(this.app.look.panes).map(({ id }) => id),
      { focused } = this,
      other = focused && ids[(ids.indexOf(focused.id) + by + ids.length) % ids.length];
    if (focused && other !== undefined) this.app.change({ panes: with_leaves_swapped(this.app.look.panes, focused.id, other) });
  }
  resize_focused(direction: 'row' | 'column', by: number) {
    const id = this.focused?.id;
    const find = (tree: Tree, path: number[]): { path: number[]; index: number; sign: number } | null => {
      if (tree.kind === 'leaf') return null;
      const inside = tree.children.findIndex((child) => leaf_with_id(child, id ?? -1)),
        child = tree.children[inside];
      if (!child) return null;
      const deeper = find(child, [...path, inside]);
      if (deeper || tree.direction !== direction) return deeper;
      return inside + 1 < tree.children.length ? { path, index: inside, sign: 1 } : { path, index: inside - 1, sign: -1 };
    };
    const found = find(this.app.look.panes, []);
    if (found) this.app.change({ panes: with_divider_moved(this.app.look.panes, found.path, found.index, by * found.sign) }, 'divider');
  }

  place() {
    const { panes: tree } = this.app.look;
    if (this.whole !== null && !leaf_with_id(tree, this.whole)) this.whole = null;
    const { panes: boxes, dividers } = boxes_of(tree),
      all = { left: 0, top: 0, width: 1, height: 1 };
    for (const [id, pane] of this.panes)
      if (!boxes.has(id)) {
        pane.close();
        this.panes.delete(id);
      }
    for (const { id, display } of leaves(tree)) {
      let pane = this.panes.get(id);
      if (!pane) {
        pane = new Pane(this.app, id);
        this.panes.set(id, pane);
        this.node.append(pane.node);
        this.movable(pane);
      }
      put(pane.node, this.whole === id ? all : (boxes.get(id) ?? all));
      pane.node.classList.toggle('hidden', this.whole !== null && this.whole !== id);
      pane.node.classList.toggle('is-whole', this.whole === id);
      pane.show(display);
    }
    this.dividers.replaceChildren(...(this.whole === null ? dividers.map((divider) => this.divider_node(divider)) : []));
  }

  private divider_node({ path, index, direction, room, ...box }: Divider) {
    const node = el('div', {
      class: `divider ${direction}`,
      role: 'separator',
      'aria-orientation': direction === 'row' ? 'vertical' : 'horizontal',
      'aria-label': 'Border between panes: drag, or arrow keys',
      tabindex: 0,
    });
    put(node, box);
    const move = (by: number) => this.app.change({ panes: with_divider_moved(this.app.look.panes, path, index, by) }, 'divider');
    node.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -0.02, ArrowUp: -0.02, ArrowRight: 0.02, ArrowDown: 0.02 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      const nodes = () => [...this.dividers.children],
        at = nodes().indexOf(node);
      move(by);
      requestAnimationFrame(() => (nodes()[at] as HTMLElement | undefined)?.focus());
    });
    node.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      const start = this.app.look.panes,
        whole = this.node.getBoundingClientRect(),
        size = (direction === 'row' ? whole.width : whole.height) * room,
        from = direction === 'row' ? event.clientX : event.clientY;
      const drag = (at: PointerEvent) =>
        this.app.change(
          { panes: with_divider_moved(start, path, index, ((direction === 'row' ? at.clientX : at.clientY) - from) / Math.max(size, 1)) },
          'divider',
        );
      const end = () => {
        removeEventListener('pointermove', drag);
        removeEventListener('pointerup', end);
        removeEventListener('pointercancel', end);
        document.body.classList.remove('dragging-' + direction);
      };
      document.body.classList.add('dragging-' + direction);
      addEventListener('pointermove', drag);
      addEventListener('pointerup', end);
      addEventListener('pointercancel', end);
    });
    return node;
  }

  // A pane is dragged by its head onto a side of another one.
  private movable(pane: Pane) {
    pane.head.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return;
      const from = [event.clientX, event.clientY] as const;
      let target: { id: number; side: Side } | null = null;
      const drag = (at: PointerEvent) => {
        if (Math.hypot(at.clientX - from[0], at.clientY - from[1]) < 8) return;
        document.body.classList.add('moving-pane');
        target = this.side_at(at.clientX, at.clientY, pane.id);
      };
      const end = () => {
        removeEventListener('pointermove', drag);
        removeEventListener('pointerup', drop);
        removeEventListener('pointercancel', end);
        this.drop.hidden = true;
        document.body.classList.remove('moving-pane');
      };
      const drop = () => {
        end();
        if (target) this.app.change({ panes: with_leaf_moved(this.app.look.panes, pane.id, target.id, target.side) });
      };
      addEventListener('pointermove', drag);
      addEventListener('pointerup', drop);
      addEventListener('pointercancel', end);
    });
  }
  private side_at(x: number, y: number, moved: number) {
    const whole = this.node.getBoundingClientRect();
    this.drop.hidden = true;
    for (const [id, pane] of this.panes) {
      const box = pane.node.getBoundingClientRect();
      if (id === moved || x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      const near: [Side, number][] = [
        ['left', (x - box.left) / box.width],
        ['right', (box.right - x) / box.width],
        ['top', (y - box.top) / box.height],
        ['bottom', (box.bottom - y) / box.height],
      ];
      const [side] = near.reduce((a, b) => (b[1] < a[1] ? b : a)),
        half = { left: box.left - whole.left, top: box.top - whole.top, width: box.width, height: box.height };
      if (side === 'left' || side === 'right') half.width /= 2;
      else half.height /= 2;
      if (side === 'right') half.left += half.width;
      if (side === 'bottom') half.top += half.height;
      this.drop.hidden = false;
      put(this.drop, {
        left: half.left / whole.width,
        top: half.top / whole.height,
        width: half.width / whole.width,
        height: half.height / whole.height,
      });
      return { id, side };
    }
    return null;
  }
}
