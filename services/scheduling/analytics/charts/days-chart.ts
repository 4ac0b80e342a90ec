// Money over time: bars for collected, a line for invoiced amounts. Long periods are summed by week or month.

import { money, shortDay, shortMoney, shortMonth } from './format.ts';
import { ACCENT, FAINT, RULE, SECOND } from './palette.ts';
import type { Frame } from './panel.ts';
import { box, line, type Shape, segment, write } from './shapes.ts';

type DayMoney = { date: string; collected: bigint; invoiced: bigint };
type Span = { label: string; collected: bigint; invoiced: bigint };

const MAX_DAYS = 46;
const MAX_DAYS_BY_WEEK = 27 * 7;
const LEFT = 38;
const BELOW = 14;

export const stepOf = (days: unknown[]) => (days.length <= MAX_DAYS ? 'día' : days.length <= MAX_DAYS_BY_WEEK ? 'semana' : 'mes');

function spansOf(days: DayMoney[]): Span[] {
  const step = stepOf(days);
  const keys = {
    día: (_: DayMoney, index: number) => index,
    semana: (_: DayMoney, index: number) => Math.floor(index / 7),
    mes: ({ date }: DayMoney) => date.slice(0, 7),
  };
  const keyed = days.map((one, index) => ({ one, key: keys[step](one, index) }));
  const groups = [...Map.groupBy(keyed, ({ key }) => key).values()];
  return groups.map((group) => {
    const date = group[0]?.one.date ?? '';
    const sum = (key: 'collected' | 'invoiced') => group.reduce((all, { one }) => all + one[key], 0n);
    return { label: step === 'mes' ? shortMonth(date) : shortDay(date), collected: sum('collected'), invoiced: sum('invoiced') };
  });
}

export function daysChart({ x, y, width, height }: Frame, days: DayMoney[], currency: string): Shape[] {
  const spans = spansOf(days);
  const most = Math.max(...spans.flatMap(({ collected, invoiced }) => [Number(collected), Number(invoiced)]), 0);
  const top = roundUp(most);
  const [left, plotWidth, plotHeight] = [x + LEFT, width - LEFT, height - BELOW];
  const at = (cents: number) => y + plotHeight - (top === 0 ? 0 : (Math.max(cents, 0) / top) * plotHeight);
  const each = plotWidth / spans.length;
  const thick = Math.min(each * 0.68, 22);
  const middle = (index: number) => left + (index + 0.5) * each;
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    segment([left, at(top * share)], [x + width, at(top * share)], RULE, 0.5),
    ...(top > 0 || share === 0 ? [write(left - 6, at(top * share) + 2.5, shortMoney(top * share, currency), { size: 7, fill: FAINT, anchor: 'end' })] : []),
  ]);
  const columns = spans.flatMap(({ label, collected, invoiced }, index) => {
    const from = at(Number(collected));
    const hint = `${label}: cobrado ${money(collected, currency)}, facturado ${money(invoiced, currency)}`;
    return y + plotHeight - from > 0.2
      ? [box(middle(index) - thick / 2, from, thick, y + plotHeight - from, { fill: ACCENT, radius: Math.min(1.5, thick / 3), hint })]
      : [];
  });
  const points = spans.map((span, index): [number, number] => [middle(index), at(Number(span.invoiced))]);
  const invoiced = spans.some((span) => span.invoiced !== 0n) ? [line(points, SECOND, 1.5)] : [];
  const every = Math.ceil(spans.length / Math.floor(plotWidth / 44));
  const labels = spans.flatMap(({ label }, index) =>
    index % every === 0 ? [write(middle(index), y + height - 2, label, { size: 7, fill: FAINT, anchor: 'middle' as const })] : [],
  );
  return [...grid, ...columns, ...invoiced, ...labels];
}

/** The next round amount whose quarters are round too. */
function roundUp(cents: number): number {
  if (cents <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(cents));
  return ([1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((times) => times * unit >= cents) ?? 10) * unit;
}
