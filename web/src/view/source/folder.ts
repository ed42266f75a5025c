// The source of a page that lies in an exported folder (whatwire export --to html-folder), on a server that only gives files: the
// timeline is made of pieces of the trace, each fetched when it is seen; all else is asked of the engine, which is fetched with the
// whole trace when it is first needed.
import { BLOCK_ROWS as BLOCK_RANKS } from '../timeline/geometry.ts';
import type { Marks, TraceFacts } from './answers.ts';
import { decode_messages } from './decode.ts';
import { unzipped } from './engine.ts';
import { EngineSource } from './engine_source.ts';
import { type CallsOfRank, decode_piece, tile_of_calls } from './occupancy.ts';
import { from_ns_of, node_at, nodes_over, type PieceNode, type TreeText, tree_of } from './piece_tree.ts';
import { aborted, type Query, type Source, SourceError, type Work } from './source.ts';
import { type AskedWindow, calls_of_window, marks_of_window, messages_of_window, type Read, window_of } from './windows.ts';

interface PiecesText {
  version: number;
  top_level: number;
  groups: TreeText[][]; // of each group its blocks
  messages: TreeText;
  marks: TreeText;
  name: string;
  model: string;
  packed_bytes: number | null; // null: there is no trace for the engine
  engine_bytes: number;
}
interface Pieces extends Pick<PiecesText, 'name' | 'model' | 'packed_bytes' | 'engine_bytes'> {
  facts: TraceFacts;
  groups: PieceNode[][];
  messages: PieceNode;
  marks: PieceNode;
}
const VERSION = 1,
  MOST_KEPT = 48, // pieces, each of at most some MB
  MOST_PIECES = 12, // that one window asks for, of all blocks
  CALLS = 65536,
  MESSAGES = 20000,
  MARKS = 2000;

export class Folder implements Source {
  private base: string;
  private pieces: Promise<Pieces> | undefined;
  private kept = new Map<string, Promise<unknown>>(); // the one used last stands last
  private engine: EngineSource;
  private told: (work: Work | null) => void = () => undefined;

  constructor(base = '') {
    this.base = base;
    this.engine = new EngineSource(
      () => this.held(),
      () => this.base + 'engine-worker.js',
    );
  }
  watch(told: (work: Work | null) => void) {
    this.told = told;
  }

  private async fetched(path: string, signal?: AbortSignal): Promise<Response> {
    let response: Response | null = null;
    try {
      response = await fetch(this.base + path, signal ? { signal } : {});
    } catch (error) {
      if (aborted(error)) throw error;
    }
    if (response?.ok) return response;
    if (typeof location !== 'undefined' && location.protocol === 'file:')
      throw new SourceError(
        0,
        'a browser reads this folder from a web server only',
        'In the folder: "python3 -m http.server", then open http://127.0.0.1:8000/. Of a short run "--to html" makes one file that opens without.',
      );
    const said = response ? `${path}: ${response.status}` : `${path} cannot be fetched`;
    throw new SourceError(response?.status ?? 0, said, 'Is the folder complete on its server? Reload the page.');
  }
  // As the folder has it; a server may have unzipped it on the way.
  private async bytes(path: string, signal?: AbortSignal) {
    const bytes = new Uint8Array(await (await this.fetched(path, signal)).arrayBuffer());
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? unzipped(bytes) : bytes;
  }
  private async list(): Promise<Pieces> {
    const [text, facts] = await Promise.all(['pieces', 'trace'].map(async (name) => (await this.fetched(`data/0/${name}.json`)).json())),
      { version, top_level, groups, messages, marks, name, model, packed_bytes, engine_bytes } = text as PiecesText;
    if (version !== VERSION) throw new SourceError(0, 'the folder is of another version of whatwire', 'Export it again.');
    return {
      name,
      model,
      packed_bytes,
      engine_bytes,
      facts: facts as TraceFacts,
      groups: groups.map((blocks) => blocks.map((block) => tree_of(block, top_level))),
      messages: tree_of(messages, top_level),
      marks: tree_of(marks, top_level),
    };
  }
  private listed() {
    this.pieces ??= this.list().catch((error: unknown) => {
      this.pieces = undefined;
      throw error;
    });
    return this.pieces;
  }
  private piece<T>(path: string, read: (bytes: Uint8Array<ArrayBuffer>) => T): Promise<T> {
    const kept = (this.kept.get(path) as Promise<T> | undefined) ?? this.bytes(path).then(read);
    kept.catch(() => this.kept.delete(path));
    this.kept.delete(path);
    this.kept.set(path, kept);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT) break;
      this.kept.delete(oldest);
    }
    return kept;
  }

  // The engine and the trace that it opens, with what has come so far told.
  private async held() {
    const { name, model, packed_bytes, engine_bytes } = await this.listed();
    if (packed_bytes === null)
      throw new SourceError(
        409,
        'this folder has the timeline only: the trace is more than a browser could analyse',
        'Show the trace itself with "whatwire view".',
      );
    const all = packed_bytes + engine_bytes;
    let got = 0;
    const come = async (path: string) => {
      const { body } = await this.fetched(path);
      if (!body) throw new SourceError(0, `${path} is empty`, 'Is the folder complete on its server?');
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          got += chunk.byteLength;
          this.told({ what: 'Fetching the trace for its analysis', got, all });
          controller.enqueue(chunk);
        },
      });
      return new Uint8Array(await new Response(body.pipeThrough(counted)).arrayBuffer());
    };
    try {
      const [packed, module] = await Promise.all([come('data/0/packed.bin'), come('engine.bin')]);
      return { name, model, packed, module };
    } finally {
      this.told(null);
    }
  }

  private async tile(query: Query, signal: AbortSignal | undefined): Promise<ArrayBuffer> {
    const { facts, groups } = await this.listed(),
      [level, tile, group, block] = ['level', 'tile', 'group', 'block'].map((name) => Number(query[name] ?? 0)) as [
        number,
        number,
        number,
        number,
      ],
      root = groups[group]?.[block];
    if (!root) throw new SourceError(400, 'the trace has no such tile', 'data/N/trace says which levels there are');
    const node = node_at(root, level, tile);
    if (!node.leaf && node.level === level) {
      const bytes = await this.bytes(`data/0/tile/${group}-${block}-${level}-${tile}.bin`, signal);
      return bytes.buffer;
    }
    // Out of the calls of the blocks of single ranks that it has.
    const begin_ns = facts.span_ns[0],
      single = groups[0] ?? [],
      of_block = new Map(
        await Promise.all(
          single.slice(block * 4 ** group, (block + 1) * 4 ** group).map(async (own, i) => {
            const number = block * 4 ** group + i;
            return [number, await this.calls_piece(number, node_at(own, level, tile), begin_ns)] as const;
          }),
        ),
      );
    signal?.throwIfAborted();
    return tile_of_calls(
      facts,
      { level, from_ns: from_ns_of({ level, tile }, begin_ns), group, block },
      (rank) => of_block.get(Math.floor(rank / BLOCK_RANKS))?.[rank % BLOCK_RANKS] ?? null,
    );
  }
  private async calls_piece(block: number, node: PieceNode, begin_ns: number): Promise<CallsOfRank[]> {
    if (node.count === 0) return [];
    const path = `data/0/calls/0-${block}-${node.level}-${node.tile}.bin`;
    return this.piece(path, (bytes) => decode_piece(bytes, from_ns_of(node, begin_ns)));
  }

  // What is in the window, and how many there are beside what the pieces have.
  private async read<T>(root: PieceNode, window: AskedWindow, most: number, begin_ns: number, piece: (node: PieceNode) => Promise<T>) {
    const nodes = nodes_over(root, begin_ns, window.from_ns, window.to_ns, most);
    return Promise.all(
      nodes.map(
        async (node, i): Promise<Read<T> & { node: PieceNode }> => ({
          node,
          from_ns: from_ns_of(node, begin_ns),
          is_first: i === 0,
          list: await piece(node),
        }),
      ),
    );
  }
  private async calls(query: Query): Promise<ArrayBuffer> {
    const { facts, groups } = await this.listed(),
      window = window_of(query, facts.span_ns, CALLS),
      wanted = (groups[0] ?? []).flatMap((root, block) => {
        const first = block * BLOCK_RANKS;
        for (let rank = first; rank < first + BLOCK_RANKS && rank < facts.ranks.length; ++rank)
          if (window.has_rank(rank)) return [{ root, block }];
        return [];
      }),
      most = Math.max(1, Math.floor(MOST_PIECES / Math.max(1, wanted.length)));
    // Of very many ranks no single call can be seen.
    const read = await Promise.all(
      wanted.length > MOST_PIECES
        ? []
        : wanted.map(({ root, block }) =>
            this.read(root, window, most, facts.span_ns[0], async (node) => ({
              first_rank: block * BLOCK_RANKS,
              ranks: await this.calls_piece(block, node, facts.span_ns[0]),
            })),
          ),
    );
    const pieces = read.flat(),
      left_out =
        wanted.length > MOST_PIECES
          ? facts.calls
          : pieces.reduce(
              (sum, { node, list }) => sum + Math.max(0, node.count - list.ranks.reduce((count, { call }) => count + call.length, 0)),
              0,
            );
    return calls_of_window(window, pieces, left_out);
  }
  private async messages(query: Query): Promise<ArrayBuffer> {
    const { facts, messages } = await this.listed(),
      window = window_of(query, facts.span_ns, MESSAGES),
      pieces = await this.read(messages, window, MOST_PIECES, facts.span_ns[0], ({ level, tile }) =>
        this.piece(`data/0/messages/${level}-${tile}.bin`, (bytes) => decode_messages(bytes.buffer)),
      );
    return messages_of_window(
      window,
      pieces,
      pieces.reduce((sum, { node, list }) => sum + Math.max(0, node.count - list.count), 0),
    );
  }
  private async marks(query: Query): Promise<Marks> {
    const { facts, marks } = await this.listed(),
      window = window_of(query, facts.span_ns, MARKS),
      pieces = await this.read(marks, window, MOST_PIECES, facts.span_ns[0], ({ level, tile }) =>
        this.piece(`data/0/marks/${level}-${tile}.bin`, (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Marks),
      );
    return marks_of_window(
      window,
      pieces,
      pieces.reduce((sum, { list }) => sum + list.left_out, 0),
    );
  }

  async json(path: string, query: Query, signal: AbortSignal | undefined): Promise<unknown> {
    const whole = Object.values(query).every((value) => value === undefined || value === null || value === '');
    if (path === 'data/traces' && !this.engine.is_started) return (await this.fetched('data/traces.json', signal)).json();
    if (path === 'data/0/trace') return (await this.listed()).facts;
    if (whole && (path === 'data/0/first' || path === 'data/0/report')) return (await this.fetched(path + '.json', signal)).json();
    if (path === 'data/0/marks') return this.marks(query);
    return this.engine.json(path, query, signal);
  }
  private async tiles({ count, ...first }: Query, signal: AbortSignal | undefined): Promise<ArrayBuffer> {
    const numbers = Array.from({ length: Number(count || 1) }, (_, i) => Number(first.tile ?? 0) + i),
      tiles = await Promise.all(numbers.map((tile) => this.tile({ ...first, tile }, signal)));
    return tiles.length === 1 && tiles[0] ? tiles[0] : new Blob(tiles).arrayBuffer();
  }
  async binary(path: string, query: Query, signal: AbortSignal | undefined) {
    if (path === 'data/0/tile') return this.tiles(query, signal);
    if (path === 'data/0/calls') return this.calls(query);
    if (path === 'data/0/messages') return this.messages(query);
    return this.engine.ask(path, query, signal);
  }
}
