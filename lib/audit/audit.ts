// Audit log entries. They are written in the transaction of the change, so that neither exists without the other.
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { executeLast, type SystemTx, sql, type TenantTx } from '../db/db.ts';
import type { Caller } from '../rpc/caller.ts';
import { type AuditAction, entityOf } from './audit-actions.ts';

export type AuditEntry = {
  action: AuditAction;
  entityId: string;
  /** Never personal data: the result of maskChanges(), or ids and states. */
  changes?: Record<string, unknown>;
  /** Personal values, as {field: {from, to}}, which replace those in `changes` when the log is read. They are deleted when the person is erased. */
  personal?: Record<string, { from: string; to: string }>;
};

// The row in audit_pending makes audit-chain.ts link the entry.
const insertAudit = sql(`
  with entry as (
    insert into audit_log (clinic_id, id, actor_kind, actor_id, action, entity, entity_id, changes, ip, request_id)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)),
  personal as (
    insert into audit_personal (clinic_id, id, entity_id, changes) select $1, $2, $7, $11::jsonb where $11::jsonb is not null)
  insert into audit_pending (clinic_id, id) values ($1, $2)`);

/** Adds an entry to the audit log of the clinic; it is sent together with the commit. When it fails, so does the transaction. */
export async function audit(tx: TenantTx | SystemTx, clinicId: string, caller: Caller, entry: AuditEntry): Promise<void> {
  const toText = (values: object | undefined) => (values ? JSON.stringify(values) : null);
  tx.wrote.add('audit');
  executeLast(tx, insertAudit, [
    clinicId,
    uuidv7(),
    caller.kind,
    caller.id,
    entry.action,
    entityOf(entry.action),
    entry.entityId,
    toText(entry.changes),
    caller.ip,
    caller.requestId,
    toText(entry.personal),
  ]);
}

const MASK = '***';

/** Whether the fields of `changes` have the same values in `before`, in which the order of the keys of an object does not matter. */
export function isUnchanged(before: object, changes: object): boolean {
  const values = new Map(Object.entries(before));
  return Object.entries(changes).every(([field, value]) => isDeepStrictEqual(toJson(values.get(field)), toJson(value)));
}

/** The fields that differ, as `{field: {from, to}}`. Values of personal fields other than null are replaced by '***'. */
export function maskChanges(before: object, after: object, personalFields: readonly string[]): Record<string, { from: unknown; to: unknown }> {
  const oldValues = new Map(Object.entries(before));
  const newValues = new Map(Object.entries(after));
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  for (const field of new Set([...oldValues.keys(), ...newValues.keys()])) {
    const [from, to] = [toJson(oldValues.get(field)), toJson(newValues.get(field))];
    if (JSON.stringify(from) === JSON.stringify(to)) continue;
    const hide = (value: unknown) => (value === null ? null : MASK);
    changes[field] = personalFields.includes(field) ? { from: hide(from), to: hide(to) } : { from, to };
  }
  return changes;
}

// JSON has no bigint.
function toJson(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Date ? value.toISOString() : value;
}
