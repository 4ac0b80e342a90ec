// Merges lists, each of which is ordered newest first.

type Dated = { id?: string; at?: { seconds?: bigint; nanos?: number } | undefined };

/** The page at `offset`. Each list contains its first `offset + limit` entries. */
export function mergePages<Entry extends Dated>(lists: { actions: Entry[]; total: number }[], offset: number, limit: number) {
  const entries = lists.flatMap(({ actions }) => actions).sort((a, b) => compare(b, a));
  return { actions: entries.slice(offset, offset + limit), total: lists.reduce((sum, { total }) => sum + total, 0) };
}

function compare(a: Dated, b: Dated): number {
  const seconds = Number((a.at?.seconds ?? 0n) - (b.at?.seconds ?? 0n));
  return seconds || (a.at?.nanos ?? 0) - (b.at?.nanos ?? 0) || ((a.id ?? '') < (b.id ?? '') ? -1 : 1);
}
