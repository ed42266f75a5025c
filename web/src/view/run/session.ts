// Runs that the page starts (whatwire view --allow-run): what may be chosen, what is asked for, what became of it. Paths below run/ of
// docs/design/viewing.md. One for the page, however many show it.
import { type Source, SourceError } from '../source/source.ts';

export interface RunKey {
  name: string; // as an option of `whatwire record`
  about: string;
  flag: boolean;
  example: string; // as it stands in a file of settings
}
export interface RunChoices {
  folder: string;
  programs: { path: string; kind: string; known: boolean }[]; // known: of a message library
  files: string[];
  left_out: boolean;
  keys: RunKey[];
  processors: number;
}
export interface RunForm {
  launch: string;
  output: string; // '': a free name
  settings: Record<string, string>;
}
export interface Fault {
  field: string;
  error: string;
  remedy: string;
}
export interface Checked {
  command: string | null; // null: there are faults
  output?: string;
  faults: Fault[];
}
export interface Run {
  run: number;
  state: 'starts' | 'records' | 'completes' | 'done' | 'stopped' | 'failed';
  goes: boolean;
  stopping: boolean;
  exit_code: number | null;
  trace: number | null; // once there is something to see
  name: string;
  command: string;
  form: RunForm;
  elapsed_s: number;
  said?: string; // by whatwire, at last
}
export interface Printed {
  text: string;
  dropped: number; // bytes before it
}
// Who shows traces.
export interface Opener {
  open(trace: number): Promise<void>;
  compare(a: number, b: number): Promise<void>;
  shown(): number[];
}

const LOOK_MS = 500;

export const empty_form = (): RunForm => ({ launch: '', output: '', settings: {} });
// The same once more: its name is taken.
export const again = ({ launch, settings }: RunForm): RunForm => ({ launch, output: '', settings: { ...settings } });
// What is not set is not sent.
export const sent = ({ launch, output, settings }: RunForm): RunForm => ({
  launch,
  output: output.trim(),
  settings: Object.fromEntries(Object.entries(settings).flatMap(([key, value]) => (value.trim() === '' ? [] : [[key, value.trim()]]))),
});
export const going = (runs: readonly Run[]) => runs.find(({ goes }) => goes);
// What to compare a result with: what is looked at, else the result before it, else the one after.
export function counterpart(runs: readonly Run[], trace: number, shown: readonly number[]) {
  const [first] = shown;
  if (first !== undefined && first !== trace) return first;
  const ended = runs.flatMap((run) => (run.trace === null || run.goes ? [] : [run.trace])),
    at = ended.indexOf(trace);
  return ended[at - 1] ?? ended[at + 1] ?? null;
}

export class RunSession {
  form = empty_form();
  program = '';
  ranks = 2;
  runs: Run[] = [];
  looked_at: number | null = null; // whose output is shown
  printed: Printed = { text: '', dropped: 0 };
  opener: Opener | null = null;
  private source: Source;
  private known: Promise<RunChoices> | null = null;
  private listeners = new Set<() => void>();
  private timer = 0;
  private to_open: number | null = null; // a run that was started here

  constructor(source: Source) {
    this.source = source;
  }
  listen(listener: () => void) {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
  private tell() {
    for (const listener of [...this.listeners]) listener();
  }

  choices(anew = false) {
    if (anew || !this.known) this.known = this.source.json('run/form', {}, undefined) as Promise<RunChoices>;
    return this.known;
  }
  line = async (program: string, ranks: number, signal?: AbortSignal) =>
    ((await this.source.json('run/line', { program, ranks }, signal)) as { launch: string }).launch;
  settings = async (file: string) => (await this.source.json('run/settings', { file }, undefined)) as RunForm;
  private async post(path: string, body: unknown) {
    if (!this.source.post) throw new SourceError(405, 'nothing can be run from here', 'Start whatwire view --allow-run.');
    return this.source.post(path, body);
  }
  check = async (form: RunForm) => (await this.post('run/check', sent(form))) as Checked;
  // Fails with the faults that were found (faults_of), or with what else is in the way.
  async start(form: RunForm) {
    const run = (await this.post('run/start', sent(form))) as Run;
    this.to_open = run.run;
    this.looked_at = run.run;
    this.printed = { text: '', dropped: 0 };
    await this.look();
  }
  async stop(run: number) {
    await this.post('run/stop', { run });
    await this.look();
  }
  async look_at(run: number) {
    this.looked_at = run;
    await this.look();
  }

  // What became of the runs, and of one what it prints; again and again while one goes.
  async look() {
    clearTimeout(this.timer);
    try {
      this.runs = ((await this.source.json('run/list', {}, undefined)) as { runs: Run[] }).runs;
      this.looked_at ??= this.runs.at(-1)?.run ?? null;
      if (this.looked_at !== null) this.printed = (await this.source.json('run/output', { run: this.looked_at }, undefined)) as Printed;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error; // the server is gone: what else is asked for says so
    }
    this.tell();
    const own = this.runs.find(({ run }) => run === this.to_open);
    if (own && own.trace !== null) {
      this.to_open = null;
      void this.opener?.open(own.trace);
    } else if (own && !own.goes) {
      this.to_open = null;
    }
    clearTimeout(this.timer);
    if (going(this.runs)) this.timer = window.setTimeout(() => void this.look(), LOOK_MS);
  }
}
