// Networks that a cube display draws: which nodes are joined, by which links a message goes, where the nodes stand in the plane.
export type TopologyKind = 'hypercube' | 'ring' | 'mesh' | 'torus' | 'tree' | 'full';
export interface Topology {
  kind: TopologyKind;
  nodes: number;
  dims: number[]; // of meshes and tori, the first coordinate changes fastest
}
export type Place = readonly [x: number, y: number];

export const is_power_of_two = (n: number) => n > 0 && Number.isInteger(Math.log2(n));
export const topology_kinds: TopologyKind[] = ['hypercube', 'ring', 'mesh', 'torus', 'tree', 'full'];

// As square as the number allows: [4, 3] of 12.
export function near_square(nodes: number): number[] {
  let side = Math.floor(Math.sqrt(nodes));
  while (side > 1 && nodes % side !== 0) --side;
  return [nodes / Math.max(1, side), Math.max(1, side)];
}
// "4x2" as sizes, the first changes fastest; null: no sizes of so many nodes.
export function dims_of(text: string, nodes: number): number[] | null {
  const dims = text
    .trim()
    .split(/[x\u00d7*, ]+/i)
    .map(Number);
  return dims.every((size) => Number.isInteger(size) && size > 0) && dims.reduce((a, b) => a * b, 1) === nodes ? dims : null;
}
// Sizes that were given, or what the trace says (its Cartesian communicator), else a hypercube for 2^n ranks, else a ring.
export function topology_of(
  kind: string,
  nodes: number,
  told: { dims: readonly number[]; periodic?: readonly boolean[] } | null,
  given: readonly number[] | null = null,
): Topology {
  const dims = given ?? told?.dims ?? null,
    known = dims && dims.length > 0 && dims.reduce((a, b) => a * b, 1) === nodes ? [...dims] : null,
    wanted = topology_kinds.find((one) => one === kind),
    open = !given && told?.periodic !== undefined && told.periodic.every((one) => !one);
  const auto: TopologyKind = known ? (open ? 'mesh' : 'torus') : is_power_of_two(nodes) ? 'hypercube' : 'ring';
  const used = wanted && (wanted !== 'hypercube' || is_power_of_two(nodes)) ? wanted : auto;
  return { kind: used, nodes, dims: known ?? near_square(nodes) };
}

export function coordinates({ dims }: Topology, node: number): number[] {
  return dims.map((size) => {
    const at = node % size;
    node = Math.floor(node / size);
    return at;
  });
}
function node_at({ dims }: Topology, place: readonly number[]): number {
  let node = 0;
  for (let i = dims.length - 1; i >= 0; --i) node = node * (dims[i] ?? 1) + (place[i] ?? 0);
  return node;
}
const parent = (node: number) => (node - 1) >> 1;

// The next node on the way. Hypercube: e-cube, the lowest dimension in which they differ first (as whatwire's machine of hypercubes has
// it). Meshes and tori: dimension by dimension, around a torus the shorter way, upwards where both are as long. Trees: up to the common
// ancestor, then down.
export function next_node(topology: Topology, at: number, to: number): number {
  switch (topology.kind) {
    case 'hypercube': {
      const differ = at ^ to;
      return at ^ (differ & -differ);
    }
    case 'ring': {
      const ahead = (to - at + topology.nodes) % topology.nodes;
      return (at + (2 * ahead <= topology.nodes ? 1 : topology.nodes - 1)) % topology.nodes;
    }
    case 'mesh':
    case 'torus': {
      const place = coordinates(topology, at),
        goal = coordinates(topology, to),
        d = place.findIndex((one, i) => one !== goal[i]),
        size = topology.dims[d] ?? 1,
        ahead = ((goal[d] ?? 0) - (place[d] ?? 0) + size) % size;
      const up = topology.kind === 'mesh' ? (goal[d] ?? 0) > (place[d] ?? 0) : 2 * ahead <= size;
      place[d] = ((place[d] ?? 0) + (up ? 1 : size - 1)) % size;
      return node_at(topology, place);
    }
    case 'tree': {
      let below = to;
      while (below > at && parent(below) !== at) below = parent(below);
      return below > at ? below : parent(at);
    }
    default:
      return to;
  }
}
// All nodes from source to destination, both included.
export function route(topology: Topology, source: number, destination: number): number[] {
  const nodes = [source];
  for (let at = source; at !== destination && nodes.length <= topology.nodes; ) {
    at = next_node(topology, at, destination);
    nodes.push(at);
  }
  return nodes;
}
// Pairs of nodes that are joined, the lower first. Of `full` those only that are used: it has none of its own.
export function links_of(topology: Topology): [number, number][] {
  const found = new Map<number, [number, number]>();
  const join = (a: number, b: number) => {
    const [low, high] = a < b ? [a, b] : [b, a];
    if (low !== high && high < topology.nodes) found.set(low * topology.nodes + high, [low, high]);
  };
  for (let node = 0; node < topology.nodes; ++node) {
    if (topology.kind === 'hypercube') for (let bit = 1; bit < topology.nodes; bit *= 2) join(node, node ^ bit);
    else if (topology.kind === 'ring') join(node, (node + 1) % topology.nodes);
    else if (topology.kind === 'tree' && node > 0) join(node, parent(node));
    else if (topology.kind === 'mesh' || topology.kind === 'torus')
      topology.dims.forEach((size, d) => {
        const place = coordinates(topology, node),
          next = (place[d] ?? 0) + 1;
        if (next === size && topology.kind === 'mesh') return;
        place[d] = next % size;
        join(node, node_at(topology, place));
      });
  }
  return [...found.values()];
}

// Where a hypercube's dimension moves a node: squares within squares, each three dimensions in the room of one node of the next ones.
function cube_step(dimension: number): Place {
  const scale = 2.7 ** Math.floor(dimension / 3);
  return (
    (
      [
        [1, 0.08],
        [0.08, 1],
        [0.42, 0.36],
      ] as const
    ).map(([x, y]): Place => [x * scale, y * scale])[dimension % 3] ?? [0, 0]
  );
}
// In the unit square, y downwards.
export function places_of(topology: Topology): Place[] {
  const { kind, nodes } = topology;
  const raw = Array.from({ length: nodes }, (_, node): Place => {
    if (kind === 'hypercube') {
      let [x, y] = [0, 0];
      for (let d = 0; 1 << d < nodes; ++d) {
        const [dx, dy] = node & (1 << d) ? cube_step(d) : [0, 0];
        x += dx;
        y += dy;
      }
      return [x, y];
    }
    if (kind === 'mesh' || kind === 'torus') {
      const [x = 0, y = 0, ...more] = coordinates(topology, node);
      return more.reduce<Place>(([px, py], z, i) => [px + z * 0.36 * (i + 1), py + z * 0.31 * (i + 1)], [x, y]);
    }
    if (kind === 'tree') {
      const level = Math.floor(Math.log2(node + 1)),
        deepest = Math.floor(Math.log2(nodes));
      return [(node + 1 - 2 ** level + 0.5) * 2 ** (deepest - level), level * Math.max(1, 2 ** deepest / (2 * deepest + 2))];
    }
    const angle = (2 * Math.PI * node) / nodes - Math.PI / 2;
    return [Math.cos(angle), Math.sin(angle)];
  });
  const xs = raw.map(([x]) => x),
    ys = raw.map(([, y]) => y);
  const fit = (values: number[]) => {
    const low = Math.min(...values),
      size = Math.max(...values) - low;
    return (value: number) => (size > 0 ? (value - low) / size : 0.5);
  };
  const [fx, fy] = [fit(xs), fit(ys)];
  return raw.map(([x, y]) => [fx(x), fy(y)]);
}

// What goes over each link, of amounts from node to node: forward from the lower node to the higher.
export interface LinkLoad {
  low: number;
  high: number;
  forward: number;
  backward: number;
  pairs: [source: number, destination: number, amount: number][];
}
export function link_loads(
  topology: Topology,
  amounts: Iterable<readonly [source: number, destination: number, amount: number]>,
): LinkLoad[] {
  const loads = new Map<number, LinkLoad>();
  const at = (low: number, high: number) => {
    const key = low * topology.nodes + high;
    const load = loads.get(key) ?? { low, high, forward: 0, backward: 0, pairs: [] };
    loads.set(key, load);
    return load;
  };
  for (const [low, high] of links_of(topology)) at(low, high);
  for (const [source, destination, amount] of amounts) {
    if (source === destination || amount <= 0 || source >= topology.nodes || destination >= topology.nodes) continue;
    const nodes = route(topology, source, destination);
    for (let hop = 1; hop < nodes.length; ++hop) {
      const [a = 0, b = 0] = [nodes[hop - 1], nodes[hop]],
        load = at(Math.min(a, b), Math.max(a, b));
      if (a < b) load.forward += amount;
      else load.backward += amount;
      load.pairs.push([source, destination, amount]);
    }
  }
  return [...loads.values()];
}
