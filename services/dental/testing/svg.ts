// Checks of SVG charts.
import { expect } from '@jest/globals';

/** The teeth with a title, in the order of the SVG. */
export const teethIn = (svg: string) => [...svg.matchAll(/<title>(\d\d):/g)].map(([, tooth]) => Number(tooth));

/** Tags are closed in the order they were opened, and no attribute is NaN, undefined or null. */
export function checkWellFormed(svg: string): void {
  const open: string[] = [];
  for (const [, closing, name = '', self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/gi)) {
    if (closing && open.at(-1) === name) open.pop();
    else if (closing || !self) open.push(closing + name);
  }
  expect(open).toEqual([]);
  expect(svg).not.toMatch(/NaN|undefined|null/);
}
