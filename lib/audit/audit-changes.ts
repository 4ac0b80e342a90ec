// The stored changes of an audit entry as clients see them.

type AuditChange = { field: string; from?: string; to?: string };

/** A stored change is `{from, to}`, or, for a new record, its plain value. */
export function toAuditChanges(changes: Record<string, unknown> | null): AuditChange[] {
  return Object.entries(changes ?? {}).map(([field, change]) => {
    const isPair = typeof change === 'object' && change !== null && ('from' in change || 'to' in change);
    const { from, to } = (isPair ? change : { to: change }) as { from?: unknown; to?: unknown };
    return { field, ...toText('from', from), ...toText('to', to) };
  });
}

function toText(name: 'from' | 'to', value: unknown): { from?: string; to?: string } {
  if (value === null || value === undefined) return {};
  return { [name]: typeof value === 'string' ? value : JSON.stringify(value) };
}
