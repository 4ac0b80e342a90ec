// Ends a contingency: reports the documents that were issued in it to the authority, and then hands them over one by one.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { isDecision } from './authority/authority-client.ts';
import { getReadyIssuer, type ReadyIssuer } from './get-issuer.ts';
import { handOver, REFUSED } from './hand-over.ts';
import { buildContingencyEvent, MAX_DOCUMENTS } from './rules/contingency-event.ts';
import { localMoment } from './rules/deadlines.ts';
import { generationCode } from './rules/document-numbers.ts';
import { AUTHORITY_UNAVAILABLE } from './rules/identification.ts';
import { ENVIRONMENTS, type Environment, generationOn, versionOf } from './rules/kinds.ts';
import { decryptEvent, type EventRow, hasRejectedContingency, insertEvent, listPendingContingencies, settleEvent } from './sql/authority-events.sql.ts';
import { lockIssuer } from './sql/issuers.sql.ts';
import { assignEvent, listReported, listUnreported, observeContingency } from './sql/unsettled-documents.sql.ts';

const TIMEOUT_MS = 20_000;
const MAX_HANDOVERS = 200;
/** Stops after this many documents without an outcome: the authority is probably unavailable again. */
const MAX_OPEN = 3;
/** A person has to correct the cause of a rejection, so the next event is sent only after this time. */
const PAUSE_AFTER_REJECTION_MS = 3_600_000;

/** Each environment separately, since one may be unavailable while the other is not. The issuer's present one is first. */
export async function endContingency(app: App, clinicId: string): Promise<void> {
  const ready = await inTenant(app.db, clinicId, (tx) => getReadyIssuer(app, tx));
  for (const environment of new Set([ready.account.environment, ...Object.values(ENVIRONMENTS)])) await endContingencyIn(app, clinicId, ready, environment);
}

/** Returns early when the authority is still unavailable. */
async function endContingencyIn(app: App, clinicId: string, ready: ReadyIssuer, environment: Environment): Promise<void> {
  const events = await inTenant(app.db, clinicId, (tx) => findOrCreateEvents(app, tx, ready, environment));
  for (const event of events) if (!(await sendEvent(app, clinicId, ready, event))) return;
  const reported = await inTenant(app.db, clinicId, (tx) => listReported(tx, environment, MAX_HANDOVERS));
  let open = 0;
  for (const { id } of reported) {
    if ((await handOver(app, clinicId, id, TIMEOUT_MS, 'contingency')) === 'open') open += 1;
    if (open >= MAX_OPEN) return;
  }
}

/** The events that have no answer yet; when there are none, a new event for the documents that no event reports, if there are any. */
async function findOrCreateEvents(app: App, tx: TenantTx, { issuer }: ReadyIssuer, environment: Environment): Promise<EventRow[]> {
  await lockIssuer(tx);
  const pending = await listPendingContingencies(tx, environment);
  if (pending.length > 0) return pending;
  const now = app.clock.now();
  const documents = await listUnreported(tx, issuer.nit, environment, MAX_DOCUMENTS);
  const [first] = documents;
  if (!first || (await hasRejectedContingency(tx, environment, new Date(now.getTime() - PAUSE_AFTER_REJECTION_MS)))) return [];
  const sent = localMoment(now);
  const generation = generationOn(sent.day, app.cutover);
  const code = generationCode();
  const content = buildContingencyEvent({
    generation,
    code,
    sent,
    issuer: { ...issuer, environment },
    pointOfSale: { establishment: first.establishment, code: first.point_of_sale },
    from: localMoment(first.issued_at),
    to: sent,
    documents,
    contingency: AUTHORITY_UNAVAILABLE,
  });
  const event = await insertEvent(tx, app.keys, { id: v7(), kind: 'contingency', code, environment, generation, document_id: null, content, at: now });
  const ids = documents.map(({ id }) => id);
  await assignEvent(tx, event.id, ids);
  return [event];
}

/** False when the authority is still unavailable, or refuses user or password. */
async function sendEvent(app: App, clinicId: string, { issuer, signing, account }: ReadyIssuer, row: EventRow): Promise<boolean> {
  const jws = await app.sign(signing, issuer.nit, decryptEvent(app.keys, clinicId, row), TIMEOUT_MS);
  const verdict = await app.authority.reportContingency({ ...account, environment: row.environment }, { nit: issuer.nit, jws }, TIMEOUT_MS);
  if (verdict.kind === 'refused') {
    await inTenant(app.db, clinicId, (tx) => observeContingency(tx, row.id, [REFUSED]));
    return false;
  }
  if (!isDecision(verdict)) return false;
  const isRejected = verdict.kind === 'rejected';
  if (isRejected)
    app.log.error({ clinicId, eventId: row.id, version: versionOf('contingency', row.generation) }, 'the tax authority rejected a contingency event');
  await inTenant(app.db, clinicId, async (tx) => {
    if (!(await settleEvent(tx, row.id, verdict, app.clock.now()))) return;
    await observeContingency(tx, row.id, isRejected ? [`Evento de contingencia rechazado: ${verdict.observations.join('; ')}`] : []);
  });
  return true;
}
