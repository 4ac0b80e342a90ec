// Tells the authority of an invalidation that is stored, and writes down what comes of it.

import { inTenant } from '@clinic/lib/db/db.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import type { Verdict } from './authority/authority-client.ts';
import type { Ready } from './get-issuer.ts';
import { versionOf } from './rules/kinds.ts';
import { tell } from './to-tax-document.ts';
import { invalidateDocument } from './sql/documents.sql.ts';
import { type EventRow, openEvent, settleEvent } from './sql/authority-events.sql.ts';

/** Undefined when nothing can be said yet: the same event is sent again later. */
export async function tellInvalidation(
  app: App,
  clinicId: string,
  { issuer, signing, account }: Ready,
  event: EventRow,
  caller: Caller,
  forMs: number,
): Promise<Extract<Verdict, { kind: 'accepted' | 'rejected' }> | undefined> {
  const { environment, document_id: documentId } = event;
  const jws = await app.sign(signing, issuer.nit, openEvent(app.keys, clinicId, event).event);
  const verdict = await app.authority.invalidate(
    { ...account, environment },
    { environment, version: versionOf('invalidation', event.generation), jws },
    forMs,
  );
  if (verdict.kind !== 'accepted' && verdict.kind !== 'rejected') return undefined;
  const now = app.clock.now();
  await inTenant(app.db, clinicId, async (tx) => {
    const settled =
      verdict.kind === 'accepted'
        ? ({ status: 'accepted', seal: verdict.seal, observations: verdict.observations } as const)
        : ({ status: 'rejected', seal: null, observations: verdict.observations } as const);
    const first = await settleEvent(tx, event.id, settled, now);
    const changed = first && verdict.kind === 'accepted' && documentId ? await invalidateDocument(tx, documentId, now) : undefined;
    if (changed) await tell(tx, caller, changed, 'tax_document.invalidated');
  });
  return verdict;
}
