/** The items in every possible order. */
export const orders = <T>(items: T[]): T[][] =>
  items.length === 0 ? [[]] : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((others) => [item, ...others]));
