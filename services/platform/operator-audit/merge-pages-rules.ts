// One page out of several lists that are each newest first.

type Dated = { id?: string; at?: { seconds?: bigint; nanos?: number } | undefined };

/** `heads` are the first `offset + limit` lines of each list. */
export function mergePages<Line extends Dated>(heads: { actions: Line[]; total: number }[], offset: number, limit: number) {
  const lines = heads.flatMap(({ actions }) => actions).sort((a, b) => compare(b, a));
  return { actions: lines.slice(offset, offset + limit), total: heads.reduce((sum, { total }) => sum + total, 0) };
}

function compare(a: Dated, b: Dated): number {
  const seconds = Number((a.at?.seconds ?? 0n) - (b.at?.seconds ?? 0n));
  return seconds || (a.at?.nanos ?? 0) - (b.at?.nanos ?? 0) || ((a.id ?? '') < (b.id ?? '') ? -1 : 1);
}
