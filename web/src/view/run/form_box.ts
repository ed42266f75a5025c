// The form of a run: program and ranks make a launch line, which can be edited; settings of the recorder with what they mean; the
// command that all of it is. What is wrong stands below its field.
import { el } from '../../base/dom.ts';
import { SourceError } from '../source/source.ts';
import { is_main, typed_example } from './run_text.ts';
import { type Checked, type Fault, going, type RunChoices, type RunForm, type RunKey, type RunSession } from './session.ts';

const CHECK_AFTER_MS = 300;

export class FormBox {
  readonly node = el('div', { class: 'run-form' });
  private session: RunSession;
  private faults = new Map<string, HTMLElement>();
  private fields = new Map<string, HTMLInputElement | HTMLTextAreaElement>();
  private command = el('code', { class: 'run-command' });
  private start_button = el('button', { type: 'button', class: 'primary run-start', onclick: () => void this.start() }, 'Start');
  private copy = el(
    'button',
    {
      type: 'button',
      class: 'plain',
      title: 'To run it again in a terminal',
      hidden: true,
      onclick: () => void navigator.clipboard?.writeText(this.command.textContent ?? ''),
    },
    'Copy',
  );
  private said = el('p', { class: 'field-fault', role: 'alert', hidden: true });
  private more: HTMLDetailsElement | null = null;
  private touched = false; // of an empty form nobody says that it is empty
  private timer = 0;
  private asked = 0;
  private line_asked = 0;

  constructor(session: RunSession) {
    this.session = session;
    this.node.append(el('p', { class: 'soft' }, 'Looking for what can be run\u2026'));
    void this.open(false);
  }
  private async open(anew: boolean) {
    try {
      this.show(await this.session.choices(anew));
    } catch (error) {
      this.node.replaceChildren(el('p', { class: 'field-fault', role: 'alert' }, text_of(error)));
    }
  }
  // A run begins or ends.
  refresh() {
    const other = going(this.session.runs);
    this.start_button.disabled = other !== undefined;
    this.start_button.title = other ? `${other.name} is still run` : 'Record it (Enter)';
  }
  fill(form: RunForm) {
    this.session.form = form;
    this.touched = true;
    for (const [name, field] of this.fields) {
      const value = name === 'launch' ? form.launch : name === 'output' ? form.output : (form.settings[name] ?? '');
      if (field.type === 'checkbox' && field instanceof HTMLInputElement) field.checked = value === 'true';
      else field.value = value;
    }
    if (
      this.more &&
      [...this.more.querySelectorAll('input')].some(({ type, value, checked }) => (type === 'checkbox' ? checked : value !== ''))
    )
      this.more.open = true;
    this.check_soon();
  }

  private show({ folder, programs, files, left_out, keys, processors }: RunChoices) {
    const { session } = this;
    this.fields.clear();
    this.faults.clear();
    const options = (known: boolean) =>
      programs.filter((one) => one.known === known).map(({ path, kind }) => el('option', { value: path }, `${path}  (${kind})`));
    const program = el(
      'select',
      { id: 'run-program' },
      el('option', { value: '' }, programs.length > 0 ? 'choose\u2026' : 'none was found'),
      el('optgroup', { label: 'of a message library' }, options(true)),
      el('optgroup', { label: 'others' }, options(false)),
    );
    const ranks = el('input', { type: 'number', id: 'run-ranks', min: 1, max: 1048576, step: 1, size: 6 });
    program.value = session.program;
    ranks.value = String(session.ranks);
    const line = () => {
      session.program = program.value;
      session.ranks = Math.max(1, Math.round(Number(ranks.value)) || 1);
      if (program.value !== '') void this.ask_line(program.value, session.ranks);
    };
    program.addEventListener('change', line);
    ranks.addEventListener('change', line);
    const file = el('select', { id: 'run-file', onchange: () => void this.take_file(file.value) }, el('option', { value: '' }, 'none'));
    file.append(...files.map((name) => el('option', { value: name }, name)));

    const launch = el('textarea', { class: 'code', rows: 2, spellcheck: 'false', id: 'run-launch', placeholder: 'mpirun -n 4 ./app -x 3' }),
      output = el('input', { type: 'text', spellcheck: 'false', id: 'run-output' });
    this.connect('launch', launch);
    this.connect('output', output);
    const others = keys.filter((key) => !is_main(key));
    this.more = el(
      'details',
      {},
      el('summary', {}, 'More settings'),
      el(
        'div',
        { class: 'run-settings' },
        others.map((key) => this.setting(key)),
      ),
    );
    this.node.replaceChildren(
      el('h2', {}, 'Run a program'),
      el(
        'p',
        { class: 'soft' },
        'It is started in ',
        el('code', {}, folder),
        ', recorded, and shown while it goes. ',
        el('button', { type: 'button', class: 'plain', onclick: () => void this.open(true) }, 'Look again for programs'),
        left_out && ' Not all programs are listed: others can be written into the line.',
      ),
      el(
        'div',
        { class: 'run-row' },
        el('label', { class: 'run-label grow' }, 'Program', program),
        el('label', { class: 'run-label', title: `This machine has ${processors} processors` }, 'Ranks', ranks),
        el('label', { class: 'run-label' }, 'Settings from a file', file),
      ),
      this.fault_of('file'),
      el('label', { class: 'run-label' }, 'Launch line, parted as a shell does', launch),
      this.fault_of('launch'),
      el('h3', {}, 'What is recorded'),
      el(
        'div',
        { class: 'run-settings' },
        keys.filter(is_main).map((key) => this.setting(key)),
      ),
      this.more,
      el('label', { class: 'run-label' }, 'Directory of the trace', output),
      this.fault_of('output'),
      el('div', { class: 'run-row' }, this.start_button, this.command, this.copy),
      this.said,
    );
    this.touched = session.form.launch !== '';
    this.fill_quietly();
    this.refresh();
  }
  private fill_quietly() {
    const { touched } = this;
    this.fill(this.session.form);
    this.touched = touched;
  }
  private setting(key: RunKey) {
    const field = el('input', {
      type: key.flag ? 'checkbox' : 'text',
      spellcheck: 'false',
      id: `run-${key.name}`,
      placeholder: key.flag ? null : typed_example(key.example),
    });
    this.connect(key.name, field);
    return [
      el('label', { class: 'run-name', for: `run-${key.name}` }, key.name),
      el('div', {}, field, el('p', { class: 'note' }, key.about), this.fault_of(key.name)),
    ];
  }
  private fault_of(field: string) {
    const node = el('p', { class: 'field-fault', role: 'alert', 'data-field': field, hidden: true });
    this.faults.set(field, node);
    return node;
  }
  private connect(name: string, field: HTMLInputElement | HTMLTextAreaElement) {
    this.fields.set(name, field);
    field.addEventListener('input', () => {
      const { form } = this.session,
        value = field instanceof HTMLInputElement && field.type === 'checkbox' ? (field.checked ? 'true' : '') : field.value;
      if (name === 'launch') form.launch = value;
      else if (name === 'output') form.output = value;
      else form.settings[name] = value;
      this.touched = true;
      this.check_soon();
    });
    field.addEventListener('keydown', (event) => {
      if (!(event instanceof KeyboardEvent) || event.key !== 'Enter') return;
      event.preventDefault();
      void this.start();
    });
  }

  private async ask_line(program: string, ranks: number) {
    const asked = ++this.line_asked;
    try {
      const launch = await this.session.line(program, ranks);
      if (asked === this.line_asked) this.fill({ ...this.session.form, launch });
    } catch (error) {
      if (asked === this.line_asked) this.say([fault_from('launch', error)]);
    }
  }
  private async take_file(file: string) {
    if (file === '') return;
    try {
      const form = await this.session.settings(file);
      // A file without a line of its own is for the program that is chosen.
      this.fill({ ...form, launch: form.launch || this.session.form.launch });
    } catch (error) {
      this.say([fault_from('file', error)]);
    }
  }

  private check_soon() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), CHECK_AFTER_MS);
  }
  private async check() {
    if (!this.touched) return;
    const asked = ++this.asked;
    try {
      const checked = await this.session.check(this.session.form);
      if (asked === this.asked) this.show_checked(checked);
    } catch (error) {
      if (asked === this.asked) this.say([fault_from('', error)]);
    }
  }
  private show_checked({ command, output, faults }: Checked) {
    this.say(faults);
    this.command.textContent = command ?? '';
    this.copy.hidden = command === null;
    const field = this.fields.get('output');
    if (field instanceof HTMLInputElement && output !== undefined) field.placeholder = output;
  }
  private say(faults: Fault[]) {
    for (const node of this.faults.values()) node.hidden = true;
    this.said.hidden = true;
    for (const { field, error, remedy } of faults) {
      const node = this.faults.get(field) ?? this.said;
      node.replaceChildren(el('b', {}, error), remedy && ` ${remedy}`);
      node.hidden = false;
      if (node.closest('details')) node.closest('details')?.setAttribute('open', '');
    }
    for (const [name, field] of this.fields) field.setAttribute('aria-invalid', String(faults.some((one) => one.field === name)));
  }
  private async start() {
    clearTimeout(this.timer);
    const asked = ++this.asked; // what is still being checked is checked again
    this.touched = true;
    try {
      // What is wrong is an answer here, and no error.
      const checked = await this.session.check(this.session.form);
      if (asked === this.asked) this.show_checked(checked);
      if (checked.faults.length > 0) return;
      await this.session.start(this.session.form);
      this.fill({ ...this.session.form, output: '' }); // the next one has another name
    } catch (error) {
      this.say([fault_from('', error)]);
    }
  }
}

export const text_of = (error: unknown) =>
  error instanceof SourceError ? `${error.message}. ${error.remedy}` : error instanceof Error ? error.message : String(error);
const fault_from = (field: string, error: unknown): Fault =>
  error instanceof SourceError ? { field, error: error.message, remedy: error.remedy } : { field, error: text_of(error), remedy: '' };
