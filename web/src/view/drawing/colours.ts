// Colours of the parts of a rank's time, as the palette has them whatever the timeline is coloured by; of strengths; of one thing among others.
import { scaleLinear } from 'd3-scale';
import type { View } from '../display.ts';
import type { Part } from '../source/answers.ts';
import { palette_of } from '../state/colours.ts';

export interface PartColour {
  part: Part;
  title: string;
  about: string;
  colour: string;
}
// From the bottom of a stack upwards.
export function part_colours(view: View): PartColour[] {
  const { classes } = palette_of({ colouring: 'part', colours: view.look.colours }, view.palette.dark).classes([], []);
  return (['compute', 'library', 'service', 'algorithmic'] as const).map((part) => {
    const found = classes.find(({ name }) => name === part);
    return { part, title: found?.title ?? part, about: found?.about ?? '', colour: found?.colour ?? '#888888' };
  });
}
export const colour_of_part = (view: View, part: Part) => part_colours(view).find((one) => one.part === part)?.colour ?? '#888888';

// By the share of the strongest, 0 to 1: lightness alone tells, in every kind of colour vision.
const ramps = { light: ['#e8f1fa', '#6ba3d6', '#0b3d73'], dark: ['#1f2f40', '#3f7fbf', '#b9dcff'] };
export const strength_scale = (dark: boolean) => scaleLinear<string>([0, 0.5, 1], dark ? ramps.dark : ramps.light).clamp(true);
export const readable_on = (share: number, dark: boolean) => (share > 0.45 !== dark ? '#ffffff' : '#10151b');

// Okabe and Ito's, in the order in which neighbours differ most.
const series = {
  light: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#7a6a00', '#56b4e9', '#e69f00', '#4b5563'],
  dark: ['#3f9be0', '#f2824a', '#35c89b', '#e39ac2', '#f0e442', '#8fd0f5', '#f0b428', '#d8d3c4'],
};
export function series_colour(i: number, dark: boolean) {
  const list = dark ? series.dark : series.light;
  return list[i % list.length] ?? '#888888';
}
// Later (positive) or earlier than another: orange and blue around the ground's own grey; share -1 to 1.
export const difference_scale = (dark: boolean) =>
  scaleLinear<string>([-1, 0, 1], dark ? ['#3f9be0', '#2f363f', '#f0b428'] : ['#0072b2', '#eceff3', '#d98200']).clamp(true);
