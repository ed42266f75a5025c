// Colours of what a rank can be in. Okabe and Ito's set (jfly.uni-koeln.de/color, 2008), which stays apart for the common kinds of
// colour blindness, with greys for what is no communication; lighter for a dark ground. A class is what one colour stands for.
import type { Key } from '../source/answers.ts';
import type { Colouring, Look } from './look.ts';

export interface ColourClass {
  name: string; // also in the address, for a colour of the user's own
  title: string;
  about: string;
  colour: string; // #rrggbb
}
export interface Palette {
  dark: boolean;
  ink: string;
  soft: string;
  line: string;
  paper: string;
  // Classes of a trace's keys under the colouring that is looked at, from the bottom of a row upwards, and for each key its class.
  classes(names: string[], keys: Key[]): { classes: ColourClass[]; of_key: Uint8Array };
}

type Two = readonly [light: string, dark: string];
const grey: Two = ['#c9d1db', '#46515f'];
const states: [name: string, title: string, about: string, colours: Two][] = [
  ['computing', 'computing', "the program's own work", grey],
  ['sending', 'sending', 'inside a call that sends, not waiting', ['#0072b2', '#3f9be0']],
  ['receiving', 'receiving', 'inside a call that receives, or while the message is on its way', ['#56b4e9', '#8fd0f5']],
  ['routing', 'routing', 'forwarding what is meant for others', ['#009e73', '#35c89b']],
  ['idle', 'idle', 'waiting while nothing has been sent', ['#e69f00', '#f0b428']],
  ['outside', 'outside', 'before the program proper begins or after it ended', ['#eceff3', '#252b33']],
];
const parts: [name: string, title: string, about: string, colours: Two][] = [
  ['compute', 'compute', "the program's own work", grey],
  ['library', 'library', 'inside the call, not waiting', ['#4b5563', '#d8d3c4']],
  ['service', 'blocked, service', 'the message was on its way: a faster wire shortens it', ['#0072b2', '#3f9be0']],
  ['algorithmic', 'blocked, algorithmic', 'the other side had not begun: no wire shortens it', ['#e69f00', '#f0b428']],
  ['outside', 'outside', 'before the program proper begins or after it ended', ['#eceff3', '#252b33']],
];
const call_colours: Two[] = [
  ['#0072b2', '#3f9be0'],
  ['#e69f00', '#f0b428'],
  ['#009e73', '#35c89b'],
  ['#cc79a7', '#e39ac2'],
  ['#56b4e9', '#8fd0f5'],
  ['#d55e00', '#f2824a'],
  ['#9a8700', '#f0e442'],
  ['#6a4c93', '#b39ddb'],
];

const class_of = ([name, title, about, colours]: (typeof states)[number], dark: boolean, own: Record<string, string>): ColourClass => ({
  name,
  title,
  about,
  colour: own[name] ?? colours[dark ? 1 : 0],
});

function by_call(names: string[], keys: Key[], dark: boolean, own: Record<string, string>) {
  const used = [...new Set(keys.map((key) => key.name).filter((name) => name >= 0))];
  const classes: ColourClass[] = [
    class_of(['compute', 'compute', "the program's own work", grey], dark, own),
    ...used.map((name, i) =>
      class_of(
        [names[name] ?? '', names[name] ?? '', 'inside this call, waiting or not', call_colours[i % call_colours.length] ?? grey],
        dark,
        own,
      ),
    ),
    class_of(['outside', 'outside', 'before the program proper begins or after it ended', ['#eceff3', '#252b33']], dark, own),
  ].slice(0, 255);
  const of_key = Uint8Array.from(keys, (key) =>
    key.part === 'outside' ? classes.length - 1 : key.name < 0 ? 0 : Math.min(1 + used.indexOf(key.name), classes.length - 1),
  );
  return { classes, of_key };
}

// Of a call its parts: what is blocked is lighter, algorithmic darker than the call's own.
const mixed = (colour: string, into: number, share: number) =>
  '#' +
  [1, 3, 5]
    .map((at) =>
      Math.round(Number.parseInt(colour.slice(at, at + 2), 16) * (1 - share) + into * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('');
const part_words = { library: 'library', service: 'blocked, service', algorithmic: 'blocked, algorithmic' } as const;
function by_key(names: string[], keys: Key[], dark: boolean, own: Record<string, string>) {
  const of_call = by_call(names, keys, dark, own),
    classes: ColourClass[] = [...of_call.classes.slice(0, 1)],
    of_key = new Uint8Array(keys.length);
  keys.forEach((key, i) => {
    const { name, part } = key;
    if (name < 0 || part === 'compute' || part === 'outside' || classes.length >= 254) return;
    const call = of_call.classes[of_call.of_key[i] ?? 0]?.colour ?? '#888888',
      title = `${names[name] ?? ''}, ${part_words[part]}`;
    of_key[i] = classes.length;
    classes.push({
      name: `${names[name] ?? ''}/${part}`,
      title,
      about: `inside ${names[name] ?? ''}: ${part_words[part]}`,
      colour:
        own[`${names[name] ?? ''}/${part}`] ??
        (part === 'service' ? mixed(call, 255, 0.4) : part === 'algorithmic' ? mixed(call, 0, 0.3) : call),
    });
  });
  classes.push(...of_call.classes.slice(-1));
  keys.forEach((key, i) => {
    if (key.part === 'outside') of_key[i] = classes.length - 1;
  });
  return { classes, of_key };
}

export function palette_of(look: Pick<Look, 'colouring' | 'colours'>, dark: boolean): Palette {
  const colouring: Colouring = look.colouring;
  return {
    dark,
    ink: dark ? '#e8ebef' : '#1b2027',
    soft: dark ? '#a7b0bc' : '#5a6573',
    line: dark ? '#2f363f' : '#dfe3e9',
    paper: dark ? '#1a1e24' : '#ffffff',
    classes(names, keys) {
      if (colouring === 'key') return by_key(names, keys, dark, look.colours);
      if (colouring === 'call') return by_call(names, keys, dark, look.colours);
      const list = colouring === 'state' ? states : parts,
        classes = list.map((one) => class_of(one, dark, look.colours));
      const of_key = Uint8Array.from(keys, (key) => {
        const name = colouring === 'state' ? key.state : key.part;
        return Math.max(
          0,
          classes.findIndex((one) => one.name === name),
        );
      });
      return { classes, of_key };
    },
  };
}
