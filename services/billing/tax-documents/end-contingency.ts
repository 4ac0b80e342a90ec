// When the authority is back: tells it which documents were issued meanwhile, and then hands them over one by one.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { handOver } from './hand-over.ts';
import { type Ready, readyIssuer } from './get-issuer.ts';
import { MOST_DOCUMENTS, writeContingencyEvent } from './rules/contingency-event.ts';
import { AUTHORITY_AWAY } from './rules/identification.ts';
import { generationOn, versionOf } from './rules/kinds.ts';
import { generationCode } from './rules/document-numbers.ts';
import { momentOf } from './rules/deadlines.ts';
import { type EventRow, hasRefusedContingency, insertEvent, listPendingContingencies, openEvent, settleEvent } from './sql/authority-events.sql.ts';
import { lockIssuer } from './sql/issuers.sql.ts';
import { assignEvent, freeFromEvent, listTold, listUntold } from './sql/unsettled-documents.sql.ts';

const WAIT_MS = 20_000;
const MOST_AT_ONCE = 200;
/** Documents without a clear answer. */
const MOST_OPEN = 3;
/** After a refusal. */
const PAUSE_MS = 3_600_000;

/** Delivers what waits, as far as the authority answers. */
export async function recover(app: App, clinicId: string): Promise<void> {
  const ready = await inTenant(app.db, clinicId, (tx) => readyIssuer(app, tx));
  const events = await inTenant(app.db, clinicId, async (tx) => {
    await lockIssuer(tx);
    const pending = await listPendingContingencies(tx);
    if (pending.length > 0) return pending;
    const waiting = await listUntold(tx, MOST_DOCUMENTS);
    const now = app.clock.now();
    const [first] = waiting;
    // One that is refused needs somebody who looks; each minute another one would only be noise.
    if (!first || (await hasRefusedContingency(tx, new Date(now.getTime() - PAUSE_MS)))) return [];
    const { environment } = first;
    const untold = waiting.filter((one) => one.environment === environment);
    const sent = momentOf(now);
    const generation = generationOn(sent.day, app.cutover);
    const code = generationCode(randomUUID());
    const event = writeContingencyEvent({
      generation,
      code,
      sent,
      issuer: { ...ready.issuer, environment },
      at: { establishment: first.establishment, code: first.point_of_sale },
      from: momentOf(first.issued_at),
      to: sent,
      documents: untold,
      contingency: AUTHORITY_AWAY,
    });
    const made = await insertEvent(tx, app.keys, {
      id: v7(),
      kind: 'contingency',
      code,
      environment,
      generation,
      document_id: null,
      content: { event },
      at: now,
    });
    await assignEvent(
      tx,
      made.id,
      untold.map(({ id }) => id),
    );
    return [made];
  });
  for (const event of events) if (!(await tellOf(app, clinicId, ready, event))) return;
  const told = await inTenant(app.db, clinicId, (tx) => listTold(tx, MOST_AT_ONCE));
  // One that gets no clear answer does not hold up the others; some of them say that the authority is away.
  let open = 0;
  for (const { id } of told) {
    if ((await handOver(app, clinicId, id, WAIT_MS)) === 'open') open += 1;
    if (open >= MOST_OPEN) return;
  }
}

/** False when the authority is still away. */
async function tellOf(app: App, clinicId: string, { issuer, signing, account }: Ready, row: EventRow): Promise<boolean> {
  const { event } = openEvent(app.keys, clinicId, row);
  const verdict = await app.authority.tellContingency(
    { ...account, environment: row.environment },
    { nit: issuer.nit, jws: await app.sign(signing, issuer.nit, event) },
    WAIT_MS,
  );
  if (verdict.kind !== 'accepted' && verdict.kind !== 'rejected') return false;
  const accepted = verdict.kind === 'accepted';
  if (!accepted) app.log.error({ clinicId, eventId: row.id, version: versionOf('contingency', row.generation) }, 'the tax authority refused a contingency');
  await inTenant(app.db, clinicId, async (tx) => {
    const seal = verdict.kind === 'accepted' ? verdict.seal : null;
    await settleEvent(tx, row.id, { status: accepted ? 'accepted' : 'rejected', seal, observations: verdict.observations }, app.clock.now());
    if (!accepted) await freeFromEvent(tx, row.id);
  });
  return true;
}
