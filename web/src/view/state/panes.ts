// How the displays are arranged: a tree of splits whose leaves show one display each. Plain values; every operation gives a new tree.
export interface Leaf {
  kind: 'leaf';
  id: number;
  display: string;
  options: Record<string, string>; // the display's own, kept in the address
}
export interface Split {
  kind: 'split';
  direction: 'row' | 'column'; // children side by side, or one below the other
  shares: number[]; // of the room, as many as children, sum 1
  children: Pane[];
}
export type Pane = Leaf | Split;
export type Side = 'left' | 'right' | 'top' | 'bottom';

export const leaf = (id: number, display: string, options: Record<string, string> = {}): Leaf => ({ kind: 'leaf', id, display, options });
export const split = (direction: 'row' | 'column', shares: number[], children: Pane[]): Split => ({
  kind: 'split',
  direction,
  shares,
  children,
});

export const default_panes = (): Pane =>
  split('row', [0.74, 0.26], [split('column', [0.64, 0.36], [leaf(1, 'timeline'), leaf(3, 'details')]), leaf(2, 'first')]);

export const leaves = (pane: Pane): Leaf[] => (pane.kind === 'leaf' ? [pane] : pane.children.flatMap(leaves));
export const leaf_with_id = (pane: Pane, id: number) => leaves(pane).find((one) => one.id === id);
export const leaf_showing = (pane: Pane, display: string) => leaves(pane).find((one) => one.display === display);
export const free_id = (pane: Pane) => 1 + Math.max(0, ...leaves(pane).map(({ id }) => id));

const map_leaf = (pane: Pane, id: number, change: (leaf: Leaf) => Pane): Pane =>
  pane.kind === 'leaf'
    ? pane.id === id
      ? change(pane)
      : pane
    : { ...pane, children: pane.children.map((child) => map_leaf(child, id, change)) };

export const with_display = (pane: Pane, id: number, display: string) =>
  map_leaf(pane, id, (one) => (one.display === display ? one : leaf(one.id, display)));
export const with_option = (pane: Pane, id: number, name: string, value: string) =>
  map_leaf(pane, id, (one) => {
    const { [name]: _, ...others } = one.options;
    return { ...one, options: value === '' ? others : { ...others, [name]: value } };
  });

// Splits of one child are that child; a split in a split of the same direction is one.
function tidy(pane: Pane): Pane {
  if (pane.kind === 'leaf') return pane;
  const children: Pane[] = [],
    shares: number[] = [];
  pane.children.forEach((raw, i) => {
    const child = tidy(raw),
      share = pane.shares[i] ?? 0;
    if (child.kind === 'split' && child.direction === pane.direction)
      child.children.forEach((inner, k) => {
        children.push(inner);
        shares.push(share * (child.shares[k] ?? 0));
      });
    else {
      children.push(child);
      shares.push(share);
    }
  });
  const only = children.length === 1 ? children[0] : undefined;
  if (only) return only;
  const sum = shares.reduce((a, b) => a + b, 0) || 1;
  return split(
    pane.direction,
    shares.map((share) => share / sum),
    children,
  );
}

// A new leaf at a side of the one with this id.
export function with_leaf_beside(pane: Pane, id: number, side: Side, added: Leaf): Pane {
  const direction = side === 'left' || side === 'right' ? 'row' : 'column',
    before = side === 'left' || side === 'top';
  return tidy(map_leaf(pane, id, (one) => split(direction, [0.5, 0.5], before ? [added, one] : [one, added])));
}
// Nothing is left of the last leaf: null.
function without(pane: Pane, id: number): Pane | null {
  if (pane.kind === 'leaf') return pane.id === id ? null : pane;
  const kept = pane.children.flatMap((child, i) => {
    const rest = without(child, id);
    return rest ? [{ rest, share: pane.shares[i] ?? 0 }] : [];
  });
  return kept.length === 0
    ? null
    : split(
        pane.direction,
        kept.map(({ share }) => share),
        kept.map(({ rest }) => rest),
      );
}
// The last leaf stays.
export function without_leaf(pane: Pane, id: number): Pane {
  const rest = without(pane, id);
  return rest ? tidy(rest) : pane;
}
export function with_leaf_moved(pane: Pane, id: number, target: number, side: Side): Pane {
  const moved = leaf_with_id(pane, id);
  if (!moved || id === target || !leaf_with_id(pane, target)) return pane;
  return with_leaf_beside(without_leaf(pane, id), target, side, moved);
}
export const with_leaves_swapped = (pane: Pane, a: number, b: number): Pane => {
  const first = leaf_with_id(pane, a),
    second = leaf_with_id(pane, b);
  const swap = (one: Pane): Pane =>
    one.kind === 'split'
      ? { ...one, children: one.children.map(swap) }
      : one === first && second
        ? second
        : one === second && first
          ? first
          : one;
  return swap(pane);
};

// path: indices of children down to a split; divider i stands between its children i and i + 1 and moves by `by` of its room.
export function with_divider_moved(pane: Pane, path: number[], divider: number, by: number): Pane {
  if (pane.kind === 'leaf') return pane;
  const [next, ...rest] = path;
  if (next !== undefined)
    return { ...pane, children: pane.children.map((child, i) => (i === next ? with_divider_moved(child, rest, divider, by) : child)) };
  const a = pane.shares[divider] ?? 0,
    b = pane.shares[divider + 1] ?? 0,
    least = Math.min(0.06, a, b),
    moved = Math.max(least - a, Math.min(b - least, by));
  return { ...pane, shares: pane.shares.map((share, i) => (i === divider ? share + moved : i === divider + 1 ? share - moved : share)) };
}

// "r(0.74:1.timeline,0.26:c(0.5:2.first,0.5:3.details))"; options follow the name as "~name=value", escaped.
const escape_text = (text: string) => encodeURIComponent(text).replace(/[.~()!'*]/g, (c) => '%' + c.charCodeAt(0).toString(16));
export function panes_text(pane: Pane): string {
  if (pane.kind === 'leaf')
    return (
      `${pane.id}.${escape_text(pane.display)}` +
      Object.entries(pane.options)
        .map(([name, value]) => `~${escape_text(name)}=${escape_text(value)}`)
        .join('')
    );
  const inside = pane.children.map((child, i) => `${+(pane.shares[i] ?? 0).toFixed(4)}:${panes_text(child)}`);
  return `${pane.direction === 'row' ? 'r' : 'c'}(${inside.join(',')})`;
}
// null: the text is none of these.
export function panes_of(text: string): Pane | null {
  let at = 0;
  const eat = (wanted: RegExp) => {
    wanted.lastIndex = at;
    const found = wanted.exec(text);
    if (!found) throw new Error(`at ${at} of the panes`);
    at += found[0].length;
    return found;
  };
  const read = (depth: number): Pane => {
    if (depth > 16) throw new Error('panes within panes');
    const open = /[rc]\(/y;
    open.lastIndex = at;
    if (!open.test(text)) {
      const [, id = '', display = '', options = ''] = eat(/(\d{1,4})\.([^.~(),:=]+)((?:~[^.~(),:=]+=[^.~(),:=]*)*)/y);
      const pairs = options
        .split('~')
        .slice(1)
        .map((pair) => pair.split('=').map(decodeURIComponent));
      return leaf(Number(id), decodeURIComponent(display), Object.fromEntries(pairs.map(([name, value]) => [name, value ?? ''])));
    }
    const direction = eat(/[rc]/y)[0] === 'r' ? 'row' : 'column',
      shares: number[] = [],
      children: Pane[] = [];
    do {
      eat(/[(,]/y);
      shares.push(Number(eat(/([\d.]+):/y)[1]));
      children.push(read(depth + 1));
    } while (text[at] === ',');
    eat(/\)/y);
    if (shares.some((share) => !(share > 0))) throw new Error('a share that is none');
    return split(direction, shares, children);
  };
  try {
    const pane = tidy(read(0)),
      ids = leaves(pane).map(({ id }) => id);
    return at === text.length && ids.length <= 64 && new Set(ids).size === ids.length ? pane : null;
  } catch {
    return null;
  }
}
