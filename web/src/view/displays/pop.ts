// The POP efficiencies as a tree of factors: each is the product of those below it.

import { type Row, svg, tip } from '../../base/dom.ts';
import { percent, seconds } from '../../base/format.ts';
import { strength_scale } from '../drawing/colours.ts';
import { nothing, of_selection, panel } from '../drawing/panel.ts';
import { sentence } from '../drawing/sentence.ts';

interface Pop {
  parallel_efficiency: number;
  load_balance: number;
  communication_efficiency: number;
  serialisation: number | null;
  transfer: number | null;
  elapsed_s: number;
  ideal_s: number | null;
  mean_compute_s: number;
  most_compute_s: number;
  ideal: string;
}
export interface Factor {
  key: keyof Pop;
  title: string;
  value: number | null;
  of: string; // what divided by what
  below: Factor[];
}
export const factors_of = (pop: Pop): Factor => ({
  key: 'parallel_efficiency',
  title: 'parallel efficiency',
  value: pop.parallel_efficiency,
  of: `mean computation ${seconds(pop.mean_compute_s)} / elapsed ${seconds(pop.elapsed_s)}`,
  below: [
    {
      key: 'load_balance',
      title: 'load balance',
      value: pop.load_balance,
      of: `mean computation ${seconds(pop.mean_compute_s)} / most ${seconds(pop.most_compute_s)}`,
      below: [],
    },
    {
      key: 'communication_efficiency',
      title: 'communication efficiency',
      value: pop.communication_efficiency,
      of: `most computation ${seconds(pop.most_compute_s)} / elapsed ${seconds(pop.elapsed_s)}`,
      below: [
        {
          key: 'serialisation',
          title: 'serialisation',
          value: pop.serialisation,
          of:
            pop.ideal_s === null
              ? 'needs the run on an ideal network'
              : `most computation / elapsed on an ideal network ${seconds(pop.ideal_s)}`,
          below: [],
        },
        {
          key: 'transfer',
          title: 'transfer',
          value: pop.transfer,
          of: pop.ideal_s === null ? 'needs the run on an ideal network' : `elapsed on an ideal network ${seconds(pop.ideal_s)} / elapsed`,
          below: [],
        },
      ],
    },
  ],
});
const listed = (factor: Factor): Factor[] => [factor, ...factor.below.flatMap(listed)];
const ROW = 66,
  STEP = 40,
  BOX = 56;

export const pop = panel<Pop>({
  name: 'pop',
  title: 'POP efficiencies',
  group: 'Program',
  about: 'Which factor takes the most of the parallel efficiency: balance, waiting in turn, or transfer?',
  depends: of_selection,
  ask: (view, signal) => view.trace.ask<Pop>('pop', view.selection, signal),
  draw(view, answer, { width }) {
    if (!(answer.elapsed_s > 0)) return nothing('The selected time has nothing of the program.');
    const root = factors_of(answer),
      strength = strength_scale(view.palette.dark),
      room = Math.min(width, 720),
      all = listed(root);
    // The factor furthest from 1 of those that have none below.
    const worst = all.filter(({ below, value }) => below.length === 0 && value !== null).sort((a, b) => (a.value ?? 1) - (b.value ?? 1))[0];
    let row = 0;
    const draw_factor = (factor: Factor, depth: number): SVGElement[] => {
      const y = row++ * ROW + 6,
        x = depth * STEP + 2,
        bar = room - x - 30,
        rows: Row[] = [
          ['value', factor.value === null ? 'unknown' : percent(factor.value, 2)],
          ['is', factor.of],
        ];
      const own = svg(
        'g',
        { 'data-factor': factor.key, 'data-value': factor.value },
        svg('rect', {
          x,
          y,
          width: room - x - 2,
          height: BOX,
          rx: 6,
          fill: 'var(--paper)',
          stroke: factor === worst ? 'var(--ink)' : 'var(--line)',
          'stroke-width': factor === worst ? 2 : 1,
        }),
        svg('text', { x: x + 12, y: y + 19, class: 'strong' }, factor.title),
        svg('text', { x: x + 12, y: y + 35 }, factor.of),
        factor.value !== null && [
          svg('rect', { x: x + 12, y: y + 42, width: bar, height: 6, rx: 3, fill: 'var(--grid)' }),
          svg('rect', { x: x + 12, y: y + 42, width: bar * Math.min(1, factor.value), height: 6, rx: 3, fill: strength(0.75) }),
        ],
        svg(
          'text',
          { x: room - 16, y: y + 22, 'text-anchor': 'end', class: 'strong' },
          factor.value === null ? '\u2013' : percent(factor.value),
        ),
      );
      const children = factor.below.map((below) => {
        const child_y = row * ROW + 6 + BOX / 2;
        return [
          svg('path', { d: `M${x + 14},${y + BOX}V${child_y}H${x + STEP}`, fill: 'none', stroke: 'var(--faint)' }),
          ...draw_factor(below, depth + 1),
        ];
      });
      return [tip(own, factor.title, rows), ...children.flat()];
    };
    const drawn = draw_factor(root, 0);
    const picture = svg(
      'svg',
      {
        class: 'pop',
        viewBox: `0 0 ${room} ${all.length * ROW + 6}`,
        width: room,
        height: all.length * ROW + 6,
        role: 'img',
        'aria-label': 'tree of efficiencies',
      },
      drawn,
    );
    return {
      note: `Each factor is the product of those below it${worst ? `; ${worst.title} takes the most` : ''}. ${sentence(answer.ideal)}`,
      body: picture,
      picture,
      table: () => ({ columns: ['factor', 'value', 'of'], rows: all.map(({ title, value, of }) => [title, value, of]) }),
    };
  },
});
