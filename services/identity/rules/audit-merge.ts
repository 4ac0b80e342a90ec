// One audit log of many: each service's newest entries first, put in one order.

export type Dated = { id: string; at: Date };

/** Newest first; ids decide between entries of one instant, so that pages neither repeat nor skip any. */
export function mergeNewest<E extends Dated>(lists: E[][], offset: number, limit: number): E[] {
  const all = lists.flat().sort((one, other) => other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1));
  return all.slice(offset, offset + limit);
}
