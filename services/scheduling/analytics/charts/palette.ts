// Colours of the dashboard page. Good and bad also differ by sign and text.

export const INK = '#1f2933';
export const FAINT = '#66727f';
export const RULE = '#e1e6eb';
export const TRACK = '#eef2f5';
export const ACCENT = '#0b6e6e';
export const SOFT = '#9fd0cd';
export const SECOND = '#d9822b';
export const GOOD = '#1b7f4b';
export const BAD = '#c0392b';

/** Receivables from not due to the oldest. */
export const AGES = ['#9fd0cd', '#f3d27a', '#eda849', '#dd7434', '#b93a2b'];

/** The accent colour mixed with near-white: 0 is near-white, 1 the accent. */
export function shade(share: number): string {
  const mix = (from: number, to: number) => Math.round(from + (to - from) * share);
  const [red, green, blue] = [mix(0xf1, 0x0b), mix(0xf6, 0x6e), mix(0xf7, 0x6e)];
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
