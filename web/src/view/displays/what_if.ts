// The moved wire as a SPEC of docs/what-ifs.md and back: factors of four parts, a network, what else stood in it.
export const knobs = [
  { name: 'latency', title: 'latency', about: 'one crossing of the network; left: shorter', better: 'low' },
  { name: 'bandwidth', title: 'bandwidth', about: 'what serialises a message; right: faster', better: 'high' },
  { name: 'software', title: 'software', about: "the processor's time for a message; left: less", better: 'low' },
  { name: 'compute', title: 'compute', about: 'speed of the program between its calls; right: faster', better: 'high' },
] as const;
export type Knob = (typeof knobs)[number]['name'];
export interface WhatIf {
  factors: Record<Knob, number>;
  network: string; // '' as recorded
  others: string[]; // parts that no slider has
}

// Sliders go from 1/100 to 100 in steps of a hundredth of a decade.
export const FACTOR_DECADES = 2;
export const factor_of = (position: number) => {
  const factor = 10 ** (Math.max(-1, Math.min(1, position)) * FACTOR_DECADES);
  return Number(factor.toPrecision(3));
};
export const position_of = (factor: number) => Math.log10(factor) / FACTOR_DECADES;

export const as_recorded = (): WhatIf => ({ factors: { latency: 1, bandwidth: 1, software: 1, compute: 1 }, network: '', others: [] });
export function spec_of({ factors, network, others }: WhatIf) {
  const parts = knobs.flatMap(({ name }) => (factors[name] === 1 ? [] : [`${name}=x${factors[name]}`]));
  return [...parts, ...(network ? [`network=${network}`] : []), ...others].join(',');
}
export function what_if_of(spec: string): WhatIf {
  const found = as_recorded();
  for (const part of spec.split(',').filter((one) => one.trim() !== '')) {
    const [name = '', ...rest] = part.split('='),
      value = rest.join('='),
      knob = knobs.find((one) => one.name === name),
      factor = /^x(\d*\.?\d+(?:e[+-]?\d+)?)$/.exec(value);
    if (knob && factor && Number(factor[1]) > 0) found.factors[knob.name] = Number(factor[1]);
    else if (name === 'network') found.network = value;
    else found.others.push(part.trim());
  }
  return found;
}
