// Numbers as people read them. Three significant digits unless said otherwise.
export function digits(value: number, significant = 3) {
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude >= 6 || magnitude < -4) return value.toExponential(significant - 1);
  return value.toFixed(Math.max(0, significant - 1 - magnitude));
}
export function seconds(s: number, significant = 3) {
  if (s === 0) return '0 s';
  const size = Math.abs(s);
  if (size >= 0.9995) return digits(s, significant) + ' s';
  if (size >= 0.9995e-3) return digits(s * 1e3, significant) + ' ms';
  if (size >= 0.9995e-6) return digits(s * 1e6, significant) + ' µs';
  return digits(s * 1e9, significant) + ' ns';
}
// "85.9 – 91.2 ms": the unit once.
export function seconds_range(low: number, high: number, significant = 3) {
  const [from, unit] = seconds(low, significant).split(' '),
    to = seconds(high, significant);
  return to.endsWith(' ' + unit) ? `${from} \u2013 ${to}` : `${from} ${unit} \u2013 ${to}`;
}
export const nanoseconds = (ns: number) => seconds(ns * 1e-9);
export function with_prefix(value: number, unit: string, base = 1000) {
  const prefixes = base === 1024 ? ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'] : ['', 'k', 'M', 'G', 'T', 'P'];
  let step = 0;
  while (Math.abs(value) >= base - 0.5 && step + 1 < prefixes.length) {
    value /= base;
    ++step;
  }
  return (step === 0 ? String(value) : value >= 1000 ? value.toFixed(0) : digits(value)) + ' ' + prefixes[step] + unit;
}
// Sizes as the terminal shows them (KiB, MiB), rates in powers of ten (MB/s, Mb/s).
export const bytes_text = (n: number) => with_prefix(n, 'B', 1024);
export const byte_rate_text = (bytes_per_s: number) => with_prefix(bytes_per_s, 'B/s');
// Not by toLocaleString: its tables cost the page's first picture some 40 ms.
export const count_text = (n: number) => {
  const [whole = '', ...rest] = String(Number(n.toFixed(3))).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, '\u2009'), ...rest].join('.');
};
export const percent = (share: number, decimals = 1) => (share * 100).toFixed(decimals).replace(/^-(0[.]?0*)$/, '$1') + '%';
export const signed_percent = (share: number) => (share >= 0 ? '+' : '\u2212') + percent(Math.abs(share));
export const factor_text = (factor: number) => '×' + digits(factor);

// A time on an axis whose ticks are `step` apart, all in the same unit.
export function axis_time(s: number, step: number) {
  const [unit, scale] = step >= 0.1 ? ['s', 1] : step >= 1e-4 ? ['ms', 1e3] : ['µs', 1e6];
  const decimals = Math.max(0, -Math.floor(Math.log10(step * scale) + 1e-9));
  return (s * scale).toFixed(Math.min(decimals, 6)) + ' ' + unit;
}
export const launch_text = (launch: string | string[]) =>
  Array.isArray(launch) ? launch.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ') : launch;
