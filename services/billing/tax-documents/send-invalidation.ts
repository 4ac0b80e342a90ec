// Sends a stored invalidation event to the tax authority and stores its answer.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import type { Verdict } from './authority/authority-client.ts';
import type { ReadyIssuer } from './get-issuer.ts';
import { versionOf } from './rules/kinds.ts';
import { decryptEvent, type EventRow, settleEvent } from './sql/authority-events.sql.ts';
import { invalidateDocument, observeDocument } from './sql/documents.sql.ts';
import { publishChange } from './to-tax-document.ts';

/** Undefined without a clear answer: the same event is sent again later. */
export async function sendInvalidation(
  app: App,
  clinicId: string,
  { issuer, signing, account }: ReadyIssuer,
  event: EventRow,
  caller: Caller,
  limitMs: number,
): Promise<Extract<Verdict, { kind: 'accepted' | 'rejected' }> | undefined> {
  const { environment, document_id: documentId } = event;
  const jws = await app.sign(signing, issuer.nit, decryptEvent(app.keys, clinicId, event));
  const version = versionOf('invalidation', event.generation);
  const verdict = await app.authority.invalidate({ ...account, environment }, { environment, version, jws }, limitMs);
  if (verdict.kind !== 'accepted' && verdict.kind !== 'rejected') return undefined;
  if (verdict.kind === 'rejected') app.log.warn({ clinicId, documentId, eventId: event.id }, 'the tax authority rejected an invalidation');
  const now = app.clock.now();
  await inTenant(app.db, clinicId, async (tx) => {
    const isFirst = await settleEvent(tx, event.id, verdict, now);
    if (!isFirst || !documentId) return;
    // The call that requested it may have ended by now, so the document also shows why it was rejected.
    if (verdict.kind === 'rejected') return observeDocument(tx, documentId, `Invalidación rechazada: ${verdict.observations.join('; ')}`);
    const changed = await invalidateDocument(tx, documentId, now);
    if (changed) await publishChange(tx, caller, changed, 'tax_document.invalidated');
  });
  return verdict;
}
