// A change of a person's name as the audit log shows it until the person or the clinic is erased.
import type { AuditEntry } from './audit.ts';

export function renameOf(before: { full_name: string }, after: { full_name: string }): Pick<AuditEntry, 'personal'> {
  if (before.full_name === after.full_name) return {};
  return { personal: { full_name: { from: before.full_name, to: after.full_name } } };
}
