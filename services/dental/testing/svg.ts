// What tests ask of a picture.
import { expect } from '@jest/globals';

/** The teeth that have a title, in the order of the picture. */
export const teethIn = (svg: string) => [...svg.matchAll(/<title>(\d\d):/g)].map(([, tooth]) => Number(tooth));

/** Tags close in the order in which they opened, and no number is none. */
export function checkWellFormed(svg: string): void {
  const open: string[] = [];
  for (const [, closing, name = '', self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/gi)) {
    if (closing) expect(open.pop()).toBe(name);
    else if (!self) open.push(name);
  }
  expect(open).toEqual([]);
  expect(svg).not.toMatch(/NaN|undefined|null/);
}
