// Replay: how the instant moves while real time passes. Speeds are ns of the trace a second of the watch, negative backwards.
export const REAL_TIME = 1e9;

// The slider's 0 to 1 is 1 ns/s to 10 s/s on a logarithmic scale.
const LOW = 1,
  HIGH = 1e10;
export const speed_of = (position: number) => LOW * (HIGH / LOW) ** Math.min(1, Math.max(0, position));
export const position_of = (speed: number) => Math.log(Math.max(LOW, Math.min(HIGH, speed)) / LOW) / Math.log(HIGH / LOW);

// One that shows a span in about twenty seconds, rounded to 1, 2 or 5.
export function fitting_speed(span_ns: number) {
  const raw = Math.max(LOW, span_ns / 20),
    power = 10 ** Math.floor(Math.log10(raw));
  return power * (raw / power >= 5 ? 5 : raw / power >= 2 ? 2 : 1);
}
// Where the instant is after elapsed_ms of the watch, and whether it ran into an end.
export function moved(at_ns: number, speed: number, elapsed_ms: number, [low, high]: readonly [number, number]) {
  const to = at_ns + speed * elapsed_ms * 1e-3;
  return { at_ns: Math.min(high, Math.max(low, to)), ended: speed > 0 ? to >= high : to <= low };
}
// The window that keeps the instant in sight: turned over like a page once it leaves.
export function following(
  [from, to]: readonly [number, number],
  at_ns: number,
  [low, high]: readonly [number, number],
): readonly [number, number] {
  if (at_ns >= from && at_ns <= to) return [from, to];
  const width = to - from,
    start = at_ns > to ? at_ns - width * 0.1 : at_ns - width * 0.9,
    held = Math.min(Math.max(low, start), high - width);
  return [held, held + width];
}
