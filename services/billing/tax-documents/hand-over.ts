// Hands a document to the authority: 8 seconds, then a query, then again, three times in all; then it is issued in
// contingency, and delivered when the authority is back. One at a time hands a document over, by a claim in its row.

import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import type { Verdict } from './authority/authority-client.ts';
import { MAIL_TAX_DOCUMENT } from './queues.ts';
import { type Ready, readyIssuer } from './get-issuer.ts';
import type { Content } from './rules/order.ts';
import { AUTHORITY_AWAY, inContingency } from './rules/identification.ts';
import { versionOf } from './rules/kinds.ts';
import { tell } from './to-tax-document.ts';
import { type DocumentRow, type Outcome, openContent, putContent, settleDocument } from './sql/documents.sql.ts';
import { claimDocument, countAttempt, releaseDocument } from './sql/unsettled-documents.sql.ts';

/** How often a document is handed over before it is issued in contingency. */
const MOST_ATTEMPTS = 3;
/** Longer than all attempts and queries together may take. */
const CLAIM_MS = 90_000;
/** With less than that left the first attempt of a call is not begun; a repeat has its whole time, or waits for the job. */
const LEAST_MS = 300;
/** The authority has it already (a code that others report). */
const EXISTS = '004';

/** settled: whatever came of it; open: time is up, or nothing can be said yet; busy: another does it, or it is settled already. */
export type Progress = 'settled' | 'open' | 'busy';

/** Works on a pending document, or one in contingency, for at most `forMs`. */
export async function handOver(app: App, clinicId: string, id: string, forMs: number): Promise<Progress> {
  const ends = performance.now() + forMs;
  const now = app.clock.now();
  const claimed = await inTenant(app.db, clinicId, (tx) => claimDocument(tx, id, now, new Date(now.getTime() + CLAIM_MS)));
  if (!claimed) return 'busy';
  try {
    const ready = await inTenant(app.db, clinicId, (tx) => readyIssuer(app, tx));
    const content = await signed(app, clinicId, ready, claimed);
    const outcome = await attempt(app, clinicId, ready, claimed, content, ends);
    if (outcome) {
      await settle(app, clinicId, ready, claimed, content, outcome);
      return 'settled';
    }
  } catch (error) {
    app.log.warn({ err: error, documentId: id }, 'a tax document could not be handed over');
  }
  await inTenant(app.db, clinicId, (tx) => releaseDocument(tx, id));
  return 'open';
}

async function signed(app: App, clinicId: string, { issuer, signing }: Ready, row: DocumentRow): Promise<Content & { jws: string }> {
  const content = openContent(app.keys, clinicId, row);
  if (content.jws !== null) return { ...content, jws: content.jws };
  const whole = { ...content, jws: await app.sign(signing, issuer.nit, content.document) };
  await inTenant(app.db, clinicId, (tx) => putContent(tx, app.keys, row.id, whole, app.clock.now()));
  return whole;
}

type End = { status: 'processed' | 'rejected'; verdict: Extract<Verdict, { kind: 'accepted' | 'rejected' }>; wasBefore: boolean } | { status: 'contingency' };

/** Undefined when it stays open. */
async function attempt(app: App, clinicId: string, ready: Ready, row: DocumentRow, content: Content & { jws: string }, ends: number): Promise<End | undefined> {
  const account = { ...ready.account, environment: row.environment };
  const inTime = () => ends - performance.now();
  const query = () => app.authority.query(account, { nit: row.nit, kind: row.kind, code: row.code }, inTime());
  const late = row.status === 'contingency';
  const enough = (attempts: number) => inTime() >= (attempts === row.attempts ? LEAST_MS : app.authority.timeoutMs);
  for (let attempts = row.attempts; enough(attempts); attempts += 1) {
    if (attempts > 0 || late) {
      const known = await query();
      if (known.kind === 'accepted') return { status: 'processed', verdict: known, wasBefore: late && attempts === 0 };
      if (known.kind === 'refused') return undefined;
      // Late, the document may wait as long as the authority is away.
      if (known.kind === 'unknown' && late) return undefined;
    }
    if (attempts >= MOST_ATTEMPTS && !late) return { status: 'contingency' };
    if (!enough(attempts)) return undefined;
    await inTenant(app.db, clinicId, (tx) => countAttempt(tx, row.id));
    const verdict = await app.authority.receive(
      account,
      { environment: row.environment, version: versionOf(row.kind, row.generation), kind: row.kind, jws: content.jws, code: row.code },
      inTime(),
    );
    if (verdict.kind === 'accepted') return { status: 'processed', verdict, wasBefore: false };
    if (verdict.kind === 'rejected' && verdict.code !== EXISTS) return { status: 'rejected', verdict, wasBefore: false };
    if (verdict.kind === 'refused' || (late && verdict.kind === 'unknown')) return undefined;
  }
  return undefined;
}

async function settle(app: App, clinicId: string, { issuer, signing }: Ready, row: DocumentRow, content: Content & { jws: string }, end: End): Promise<void> {
  const now = app.clock.now();
  const away = end.status === 'contingency' ? inContingency(content.document, AUTHORITY_AWAY) : undefined;
  // Signed before the transaction begins: a signer elsewhere may take its time.
  const late = away && { ...content, document: away, jws: await app.sign(signing, issuer.nit, away), before: { document: content.document, jws: content.jws } };
  const arrivedBefore = end.status !== 'contingency' && end.wasBefore && content.before ? { ...content, ...content.before, before: null } : undefined;
  const outcome: Outcome =
    end.status === 'contingency'
      ? { status: 'contingency', seal: null, code: null, observations: [] }
      : {
          status: end.status,
          seal: end.verdict.kind === 'accepted' ? end.verdict.seal : null,
          code: end.verdict.code,
          observations: end.verdict.observations,
        };
  await inTenant(app.db, clinicId, async (tx) => {
    const changed = late ?? arrivedBefore;
    if (changed) await putContent(tx, app.keys, row.id, changed, now);
    const settled = await settleDocument(tx, row.id, outcome, now);
    if (!settled) return;
    await tell(
      tx,
      serviceCaller('billing', randomUUID()),
      settled,
      outcome.status === 'contingency' ? 'tax_document.deferred' : `tax_document.${outcome.status}`,
    );
    if (outcome.status === 'processed' && content.order.receiver?.email) await enqueue(tx, MAIL_TAX_DOCUMENT, { clinicId, documentId: row.id });
  });
}
