// One trace as the page asks for it: every path of docs/design/viewing.md below data/N, with its type.
import type {
  CallDetails,
  FirstLook,
  Found,
  Jump,
  LiveState,
  Marks,
  Prediction,
  QueryAnswer,
  RankState,
  TraceEntry,
  TraceFacts,
  TraceList,
} from './answers.ts';
import { decode_calls, decode_messages, decode_series } from './decode.ts';
import { type Query, type Source, SourceError } from './source.ts';
import { TileCache } from './tile_cache.ts';

export const list_traces = async (source: Source, signal?: AbortSignal) => (await source.json('data/traces', {}, signal)) as TraceList;

const no_facts = ({ name, kind }: TraceEntry): TraceFacts => ({
  name,
  kind,
  ranks: [],
  span_ns: [0, 1],
  elapsed_s: 0,
  calls: 0,
  messages: 0,
  collectives: 0,
  names: [],
  keys: [],
  communicators: [],
  user_regions: [],
  values: [],
  markers: 0,
  topology: null,
  diagnostics: [],
  run: {},
  index: { top_level: 0, bytes: 0 },
});

export class Trace {
  readonly number: number;
  // Where it is asked: its own number, or that of the picture of what its spool holds.
  readonly asked: number;
  readonly entry: TraceEntry;
  readonly facts: TraceFacts;
  readonly source: Source;
  readonly tiles: TileCache;

  constructor(source: Source, entry: TraceEntry, facts: TraceFacts, asked = entry.number) {
    this.source = source;
    this.entry = entry;
    this.number = entry.number;
    this.asked = asked;
    this.facts = facts;
    this.tiles = new TileCache(source, `data/${asked}/tile`);
  }
  static async open(source: Source, entry: TraceEntry, signal?: AbortSignal, facts?: Promise<TraceFacts>) {
    return new Trace(source, entry, await (facts ?? Trace.facts_of(source, entry.number, signal)));
  }
  static facts_of = async (source: Source, number: number, signal?: AbortSignal) =>
    (await source.json(`data/${number}/trace`, {}, signal)) as TraceFacts;
  // What the spool of a run holds that was not closed: its calls. Null: nothing yet, or it was closed meanwhile.
  static async picture(source: Source, entry: TraceEntry, signal?: AbortSignal) {
    try {
      const { trace } = (await source.json(`data/${entry.number}/picture`, {}, signal)) as { trace: number };
      return new Trace(source, entry, (await source.json(`data/${trace}/trace`, {}, signal)) as TraceFacts, trace);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return null;
    }
  }
  // Of which nothing is known yet but what it is in now (data/N/live).
  static empty = (source: Source, entry: TraceEntry) => new Trace(source, entry, no_facts(entry));

  // Any of the paths that answer JSON, of whatever shape the caller knows them to have.
  async json<T>(what: string, query: Query = {}, signal?: AbortSignal) {
    return (await this.source.json(`data/${this.asked}/${what}`, query, signal)) as T;
  }
  private binary = (what: string, query: Query, signal?: AbortSignal) => this.source.binary(`data/${this.asked}/${what}`, query, signal);

  calls = async (query: Query, signal?: AbortSignal) => decode_calls(await this.binary('calls', query, signal));
  messages = async (query: Query, signal?: AbortSignal) => decode_messages(await this.binary('messages', query, signal));
  marks = (query: Query, signal?: AbortSignal) => this.json<Marks>('marks', query, signal);
  series = async (measure: string, bins: number, selection: Query, signal?: AbortSignal) =>
    decode_series(await this.binary('series', { ...selection, measure, bins }, signal));

  state = (at_ns: number, signal?: AbortSignal) => this.json<{ ranks: RankState[] }>('state', { at_ns: Math.round(at_ns) }, signal);
  call = (rank: number, call: number, signal?: AbortSignal) => this.json<CallDetails>('call', { rank, call }, signal);
  report = (selection: Query, signal?: AbortSignal) => this.json<Record<string, unknown>>('report', selection, signal);
  // The value of the report's key of that question.
  ask = <T>(question: string, selection: Query, signal?: AbortSignal) => this.json<T>('ask', { ...selection, question }, signal);
  first = (signal?: AbortSignal) => this.json<FirstLook>('first', {}, signal);
  jump = (what: string, query: Query, signal?: AbortSignal) => this.json<Jump | null>('jump', { ...query, what }, signal);
  find = (text: string, limit: number, signal?: AbortSignal) => this.json<{ found: Found[] }>('find', { text, limit }, signal);
  predict = (what_if: string, query: Query, signal?: AbortSignal) => this.json<Prediction>('predict', { ...query, what_if }, signal);
  query = (sql: string, signal?: AbortSignal) => this.json<QueryAnswer>('query', { sql }, signal);
  live = async (signal?: AbortSignal) => (await this.source.json(`data/${this.number}/live`, {}, signal)) as LiveState;

  get last_rank() {
    return Math.max(0, this.facts.ranks.length - 1);
  }
  name_of(index: number) {
    return this.facts.names[index] ?? '';
  }
}
