// Figures of a period beside those of the period before, each with the path of a list of its records.

const round = (value: number) => Math.round(value * 10_000) / 10_000 || 0;

/** Growth as a share of the previous value; undefined when that was 0. */
const growth = (value: number, previous: number) => (previous === 0 ? undefined : round((value - previous) / Math.abs(previous)));

export const moneyFigure = (value: bigint, previous: bigint, link: string) => ({ value, previous, change: growth(Number(value), Number(previous)), link });

export const countFigure = (value: number, previous: number, link: string) => ({ value, previous, change: growth(value, previous), link });

export type Share = { part: number; whole: number };

/** Undefined when the whole is 0; the change is a difference of rates. */
export function rateFigure(now: Share, before: Share, link: string) {
  const [value, previous] = [rate(now), rate(before)];
  return { value, previous, change: value === undefined || previous === undefined ? undefined : round(value - previous), link };
}

const rate = ({ part, whole }: Share) => (whole === 0 ? undefined : round(part / whole));

/** A path with the parameters that are defined. */
export function link(path: string, parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return `${path}?${query}`;
}
