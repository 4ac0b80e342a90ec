// Hands a document over to the tax authority and stores the outcome. Without an answer in time the document is issued in contingency, and handed
// over when the authority is available again. A claim in the document's row ensures that one process at a time does this.
import { randomUUID } from 'node:crypto';
import { startLoop } from '@clinic/lib/background/loop.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import { getReadyIssuer } from './get-issuer.ts';
import { MAIL_TAX_DOCUMENT } from './mail-tax-document.ts';
import { AUTHORITY_UNAVAILABLE, inContingency } from './rules/identification.ts';
import type { Content, SignedContent } from './rules/order.ts';
import { type DocumentRow, decryptContent, findDocument, lockDocument, putContent, settleDocument } from './sql/documents.sql.ts';
import { CLAIM_MS, claimDocument, releaseDocument, renewClaim, type Unsettled } from './sql/unsettled-documents.sql.ts';
import { publishChange } from './to-tax-document.ts';
import { MIN_ATTEMPT_MS, type Outcome, transmit } from './transmit.ts';

export const HAND_OVER_TAX_DOCUMENT = 'hand-over-tax-document';

const RENEW_MS = 4_000;
const JOB_MS = 60_000;
/** Observation of a document that waits for an admin to correct the issuer's user or password. */
export const REFUSED = 'El Ministerio de Hacienda no acepta el usuario o la contraseña del emisor';

/** Continues with a document whose checkout ran out of time or was killed. A document that stays open is left to the sweep. */
export const handOverTaxDocument = (app: App) =>
  job<{ clinicId: string; documentId: string }>(HAND_OVER_TAX_DOCUMENT, { retries: 0, limitSeconds: 120, concurrency: 2 }, async ({ clinicId, documentId }) => {
    if ((await handOver(app, clinicId, documentId, JOB_MS)) !== 'busy') return;
    await inTenant(app.db, clinicId, async (tx) => {
      if ((await findDocument(tx, documentId))?.status === 'pending') await continueAfterKill(tx, documentId);
    });
  });

/** Queues the job that hands the document over if the process that is about to do so is killed. */
export const continueAfterKill = (tx: TenantTx, documentId: string) =>
  enqueue(tx, HAND_OVER_TAX_DOCUMENT, { clinicId: tx.clinicId, documentId }, { startAfter: new Date(Date.now() + CLAIM_MS) });

/**
 * settled: it has a final status or is in contingency. open: there is no outcome yet, and it has to be handed over again. busy: another
 * process is handing it over, or it no longer has the expected status.
 */
type Progress = 'settled' | 'open' | 'busy';

/** Hands over a document that has the status `status`. Takes `limitMs` at most. */
export async function handOver(app: App, clinicId: string, id: string, limitMs: number, status: Unsettled = 'pending'): Promise<Progress> {
  const ends = performance.now() + limitMs;
  const claim = () => ({ now: app.clock.now(), until: new Date(app.clock.now().getTime() + CLAIM_MS) });
  const claimed = await inTenant(app.db, clinicId, (tx) => claimDocument(tx, id, status, claim()));
  if (!claimed) return 'busy';
  const failure = 'the claim for a tax document could not be renewed: another process may also hand it over';
  const renewal = startLoop({ log: app.log, failure, firstMs: RENEW_MS, everyMs: RENEW_MS }, () =>
    inTenant(app.db, clinicId, (tx) => renewClaim(tx, id, claim().until)),
  );
  let observations: string[] = [];
  try {
    const ready = await inTenant(app.db, clinicId, (tx) => getReadyIssuer(app, tx));
    const sign = (document: object) => app.sign(ready.signing, ready.issuer.nit, document, Math.max(ends - performance.now(), MIN_ATTEMPT_MS));
    const content = await signContent(app, clinicId, claimed, sign);
    const outcome = await transmit(app, clinicId, ready.account, claimed, content, ends);
    if (outcome === 'refused') observations = [REFUSED];
    else if (outcome) {
      await settle(app, clinicId, claimed, content, outcome, sign);
      return 'settled';
    }
  } catch (error) {
    app.log.warn({ err: error, documentId: id }, 'a tax document could not be handed over to the tax authority');
  } finally {
    await renewal.stop();
  }
  await inTenant(app.db, clinicId, (tx) => releaseDocument(tx, id, observations));
  return 'open';
}

type SignDocument = (document: object) => Promise<string>;

async function signContent(app: App, clinicId: string, row: DocumentRow, sign: SignDocument): Promise<SignedContent> {
  const content = decryptContent(app.keys, clinicId, row);
  if (content.jws !== null) return { ...content, jws: content.jws };
  const signed = { ...content, jws: await sign(content.document) };
  await inTenant(app.db, clinicId, (tx) => putContent(tx, app.keys, row.id, signed, app.clock.now()));
  return signed;
}

async function settle(app: App, clinicId: string, row: DocumentRow, content: SignedContent, outcome: Outcome, sign: SignDocument): Promise<void> {
  const now = app.clock.now();
  const { status } = outcome;
  const changed = await changedContent(content, outcome, sign);
  const verdict = outcome.status === 'contingency' ? undefined : outcome.verdict;
  const seal = verdict?.kind === 'accepted' ? verdict.seal : null;
  await inTenant(app.db, clinicId, async (tx) => {
    // Another process may have settled the document while this one was frozen.
    if ((await lockDocument(tx, row.id))?.status !== row.status) return;
    if (changed) await putContent(tx, app.keys, row.id, changed, now);
    const settled = await settleDocument(tx, row.id, { status, seal, code: verdict?.code ?? null, observations: verdict?.observations ?? [] }, now);
    await publishChange(tx, serviceCaller('billing', randomUUID()), settled, status === 'contingency' ? 'tax_document.deferred' : `tax_document.${status}`);
    if (status === 'processed' && content.order.receiver?.email) await enqueue(tx, MAIL_TAX_DOCUMENT, { clinicId, documentId: row.id });
  });
}

/**
 * The content to store with an outcome; undefined when it stays the same. A document in contingency is changed and signed again. When the
 * authority had received it before that, the earlier version is valid.
 */
async function changedContent(content: SignedContent, outcome: Outcome, sign: SignDocument): Promise<Content | undefined> {
  const { document: earlier, jws } = content;
  if (outcome.status !== 'contingency') return outcome.arrivedBeforeContingency && content.before ? { ...content, ...content.before, before: null } : undefined;
  const document = inContingency(earlier, AUTHORITY_UNAVAILABLE);
  return { ...content, document, jws: await sign(document), before: { document: earlier, jws } };
}
