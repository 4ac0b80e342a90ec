// Sends a stored invalidation event to the tax authority and stores its answer.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import { isDecision, type Verdict } from './authority/authority-client.ts';
import type { ReadyIssuer } from './get-issuer.ts';
import { REFUSED } from './hand-over.ts';
import { versionOf } from './rules/kinds.ts';
import { decryptEvent, type EventRow, findPendingInvalidation, rejectOtherInvalidations, settleEvent } from './sql/authority-events.sql.ts';
import { invalidateDocument, lockDocument, observeInvalidation } from './sql/documents.sql.ts';
import { publishChange } from './to-tax-document.ts';

/** Observation without an answer of the authority or its signer. */
const WITHOUT_ANSWER = 'sin respuesta todavía, se enviará de nuevo';

/** Without a clear answer, and when the authority refuses user or password, the same event is sent again later. */
export async function sendInvalidation(
  app: App,
  clinicId: string,
  { issuer, signing, account }: ReadyIssuer,
  event: EventRow,
  caller: Caller,
  limitMs: number,
): Promise<Verdict> {
  const { environment, document_id: documentId } = event;
  const ends = performance.now() + limitMs;
  const jws = await app.sign(signing, issuer.nit, decryptEvent(app.keys, clinicId, event), limitMs).catch((error: unknown) => {
    app.log.warn({ err: error, clinicId, documentId, eventId: event.id }, 'an invalidation could not be signed');
    return undefined;
  });
  const version = versionOf('invalidation', event.generation);
  const send = (signed: string) => app.authority.invalidate({ ...account, environment }, { environment, version, jws: signed }, ends - performance.now());
  const verdict = jws === undefined ? { kind: 'unknown' as const } : await send(jws);
  if (verdict.kind === 'rejected') app.log.warn({ clinicId, documentId, eventId: event.id }, 'the tax authority rejected an invalidation');
  if (documentId) await inTenant(app.db, clinicId, (tx) => settle(tx, event.id, documentId, verdict, caller, app.clock.now()));
  return verdict;
}

/** The call that requested the invalidation may have ended by now, so the document also shows why it is not yet invalid. */
async function settle(tx: TenantTx, eventId: string, documentId: string, verdict: Verdict, caller: Caller, now: Date): Promise<void> {
  await lockDocument(tx, documentId); // another process may be storing an answer
  if (!isDecision(verdict)) {
    if ((await findPendingInvalidation(tx, documentId))?.id !== eventId) return;
    return observeInvalidation(tx, documentId, `pendiente: ${verdict.kind === 'refused' ? REFUSED : WITHOUT_ANSWER}`);
  }
  if (verdict.kind === 'accepted') await rejectOtherInvalidations(tx, documentId, eventId, now);
  if (!(await settleEvent(tx, eventId, verdict, now))) return;
  if (verdict.kind === 'rejected') return observeInvalidation(tx, documentId, `rechazada: ${verdict.observations.join('; ')}`);
  await observeInvalidation(tx, documentId, undefined);
  const changed = await invalidateDocument(tx, documentId, now);
  if (changed) await publishChange(tx, caller, changed, 'tax_document.invalidated');
}
