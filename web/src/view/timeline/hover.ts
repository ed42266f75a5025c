// What the pointer is on, and what the tooltip says of it: exact values with their units.

import type { Row } from '../../base/dom.ts';
import { bytes_text, percent } from '../../base/format.ts';
import { duration, exact, part_title } from '../words.ts';
import type { Lane, RowPlace } from './lane.ts';
import type { Line } from './marks.ts';
import { shares_in } from './mix.ts';

export interface Hover {
  lane: Lane;
  row: RowPlace;
  ns: number;
  call: number; // index in the lane's calls, or -1
  line: Line | null;
}
const NEAR_PX = 5;

function distance(x: number, y: number, { x1, y1, x2, y2 }: Line) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1,
    share = Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
  return Math.hypot(x - (x1 + share * (x2 - x1)), y - (y1 + share * (y2 - y1)));
}
export function hover_at(lane: Lane, lines: Line[], x: number, y: number): Hover | null {
  const row = lane.row_at(y);
  if (!row) return null;
  const ns = lane.ns_at(x);
  let line: Line | null = null,
    least = NEAR_PX;
  for (const one of lines) {
    const away = distance(x, y, one);
    if (away < least) [line, least] = [one, away];
  }
  let call = -1;
  const list = lane.calls?.list;
  if (list && row.ranks === 1)
    for (let i = 0; i < list.count; ++i) {
      const enter = list.enter_ns[i] ?? 0;
      // Calls within calls: the innermost began last.
      if (
        list.rank[i] === row.first_rank &&
        enter <= ns &&
        ns < enter + (list.time_ns[i] ?? 0) &&
        (call < 0 || enter >= (list.enter_ns[call] ?? 0))
      )
        call = i;
    }
  return { lane, row, ns, call, line };
}

// Regions around the instant, and a marker within three pixels of it.
function said_at(lane: Lane, row: RowPlace, ns: number): Row[] {
  const said = lane.marks?.list;
  if (!said || row.ranks !== 1) return [];
  const rank = row.first_rank,
    around = said.regions.filter((one) => one.rank === rank && one.from_ns <= ns && ns < one.to_ns).sort((a, b) => a.depth - b.depth),
    near_ns = (3 / lane.place.width) * (lane.window[1] - lane.window[0]),
    marker = said.markers.find((one) => one.rank === rank && Math.abs(one.at_ns - ns) <= near_ns);
  return [
    ...(around.length > 0 ? [['region', around.map(({ name }) => name).join(' \u203a ')] as Row] : []),
    ...(marker ? [['marker', `${marker.text}, ${exact(marker.at_ns)}`] as Row] : []),
  ];
}

export function words_of({ lane, row, ns, call, line }: Hover): [title: string, rows: Row[]] {
  const messages = lane.messages?.list;
  if (line && messages) {
    const i = line.index,
      sent = messages.sent_ns[i] ?? 0,
      received = messages.received_ns[i] ?? 0;
    return [
      `message ${messages.source[i]} \u2192 ${messages.destination[i]}`,
      [
        ['size', `${bytes_text(messages.bytes[i] ?? 0)}`],
        ['tag', String(messages.tag[i])],
        ['sent', exact(sent)],
        ['received', exact(received)],
        ['on its way', exact(received - sent)],
      ],
    ];
  }
  const program = said_at(lane, row, ns);
  const where = row.ranks === 1 ? `rank ${row.first_rank}` : `ranks ${row.first_rank}\u2013${row.first_rank + row.ranks - 1}`,
    list = lane.calls?.list;
  if (call >= 0 && list) {
    const time = list.time_ns[call] ?? 0,
      algorithmic = list.algorithmic_ns[call] ?? 0,
      service = list.service_ns[call] ?? 0;
    return [
      `${lane.trace.name_of(list.name[call] ?? 0)}, ${where}`,
      [
        ['begins', exact(list.enter_ns[call] ?? 0)],
        ['takes', exact(time)],
        ['blocked, algorithmic', exact(algorithmic)],
        ['blocked, service', exact(service)],
        ['library', exact(time - algorithmic - service)],
        ['instant', exact(Math.round(ns))],
        ...program,
      ],
    ];
  }
  const found = lane.tile_at(row, ns);
  if (!found) return [where, [['instant', exact(Math.round(ns))], ...program]];
  const { keys } = lane.trace.facts,
    shares = shares_in(found.tile, found.row, found.bin).sort((a, b) => b.share - a.share),
    rest = 1 - shares.reduce((sum, { share }) => sum + share, 0),
    cell_ns = found.bin_ns * (found.group === 0 ? 1 : row.ranks);
  const title = `${where}, ${duration(found.bin_ns)} from ${exact(found.from_ns)}`,
    line_of = (name: string, share: number): Row => [name, `${percent(share, 2)}  ${duration(share * cell_ns)}`];
  const rows = shares.slice(0, 7).map(({ key, share }) => {
    const one = keys[key],
      name =
        one && one.name >= 0
          ? `${lane.trace.name_of(one.name)}, ${part_title[one.part]}`
          : one?.part === 'outside'
            ? 'outside'
            : (one?.part ?? '');
    return line_of(name, share);
  });
  if (shares.length > 7)
    rows.push(
      line_of(
        `${shares.length - 7} more`,
        shares.slice(7).reduce((sum, { share }) => sum + share, 0),
      ),
    );
  if (rest > 1e-6) rows.push(line_of('compute', rest));
  return [title, [...rows, ...program]];
}
