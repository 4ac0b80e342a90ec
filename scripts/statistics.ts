// Medians and percentiles.

/** The value below which the fraction `share` (0 to 1) of the values lies. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (values: number[]) => percentile(values, 0.5);

export const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
