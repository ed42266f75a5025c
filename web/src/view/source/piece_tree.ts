// Which pieces of a trace there are in an exported folder (src/view/static_pieces.hpp), and which of them a question needs.
import { TILE_BINS } from '../timeline/geometry.ts';

export interface PieceNode {
  level: number;
  tile: number;
  count: number; // of what is in its time; 0: there is no piece
  leaf: boolean; // its piece has all of it
  halves: PieceNode[]; // of an inner node both
}
export interface TreeText {
  nodes: string; // in preorder: l leaf, i inner, . nothing
  counts: number[]; // of each that is not '.'
}

export function tree_of({ nodes, counts }: TreeText, top_level: number): PieceNode {
  let at = 0,
    counted = 0;
  const take = (level: number, tile: number): PieceNode => {
    const kind = nodes[at++];
    if (kind === undefined || level < 0) throw new Error('the list of pieces is damaged');
    const count = kind === '.' ? 0 : (counts[counted++] ?? 0);
    const halves = kind === 'i' ? [take(level - 1, 2 * tile), take(level - 1, 2 * tile + 1)] : [];
    return { level, tile, count, leaf: kind !== 'i', halves };
  };
  return take(top_level, 0);
}
export const from_ns_of = ({ level, tile }: Pick<PieceNode, 'level' | 'tile'>, begin_ns: number) =>
  begin_ns + tile * TILE_BINS * 2 ** level;
export const to_ns_of = ({ level, tile }: Pick<PieceNode, 'level' | 'tile'>, begin_ns: number) =>
  begin_ns + (tile + 1) * TILE_BINS * 2 ** level;

// The node of that tile, or the leaf whose time has it.
export function node_at(root: PieceNode, level: number, tile: number): PieceNode {
  let node = root;
  while (node.level > level && !node.leaf) {
    const half = node.halves[Math.floor(tile / 2 ** (node.level - 1 - level)) % 2];
    if (!half) break;
    node = half;
  }
  return node;
}
// Nodes that together have the window [from, to), in order of time: as far down as at most `most` are.
export function nodes_over(root: PieceNode, begin_ns: number, from_ns: number, to_ns: number, most: number): PieceNode[] {
  const reaches = (node: PieceNode) => node.count > 0 && from_ns_of(node, begin_ns) < to_ns && to_ns_of(node, begin_ns) > from_ns;
  let nodes = reaches(root) ? [root] : [];
  for (;;) {
    if (nodes.every(({ leaf }) => leaf)) return nodes;
    const finer = nodes.flatMap((node) => (node.leaf ? [node] : node.halves.filter(reaches)));
    if (finer.length > most) return nodes;
    nodes = finer;
  }
}
