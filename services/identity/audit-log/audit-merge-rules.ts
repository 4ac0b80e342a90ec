// Merges the audit logs of the services.

type Dated = { id: string; at: Date };

/**
 * Newest first; of entries with the same time, the higher id first. The order within each list is preserved, since it is finer than
 * milliseconds; so pages neither repeat nor skip an entry. `taken[i]` is the number of entries of `lists[i]` up to the end of the page.
 */
export function mergeNewest<E extends Dated>(lists: E[][], offset: number, limit: number): { page: E[]; taken: number[] } {
  const taken = lists.map(() => 0);
  const merged: E[] = [];
  while (merged.length < offset + limit) {
    const heads = lists.map((list, index) => list[taken[index] ?? 0]);
    const next = heads.reduce((best, head, index) => (head && (best < 0 || isNewer(head, heads[best] as E)) ? index : best), -1);
    if (next < 0) break;
    merged.push(heads[next] as E);
    taken[next] = (taken[next] ?? 0) + 1;
  }
  return { page: merged.slice(offset), taken };
}

const isNewer = (one: Dated, other: Dated) => (one.at.getTime() - other.at.getTime() || (one.id > other.id ? 1 : -1)) > 0;
