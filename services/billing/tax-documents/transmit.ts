// Transmits a signed document to the tax authority, in up to three attempts. Before an attempt is repeated, the authority is asked whether it
// already has the document.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import type { Account, Decision, Rejected } from './authority/authority-client.ts';
import { versionOf } from './rules/kinds.ts';
import type { SignedContent } from './rules/order.ts';
import type { DocumentRow } from './sql/documents.sql.ts';
import { countAttempt } from './sql/unsettled-documents.sql.ts';

/** Attempts before a document is issued in contingency. */
const MAX_ATTEMPTS = 3;
/** An attempt starts only with this much time left. */
export const MIN_ATTEMPT_MS = 300;
/** The share of the time left that one call to the authority gets, so that an authority that does not answer leaves time for the next call. */
const CALL_SHARE = 2 / 3;
/** Code of the authority's answer for a document that it has already received. */
const ALREADY_RECEIVED = '004';

type Decided = { status: 'processed' | 'rejected'; verdict: Decision; arrivedBeforeContingency: boolean };
export type Outcome = Decided | { status: 'contingency' };

/** `refused`: the authority refused user or password. Undefined: no clear answer in time. Both leave the document open. */
export async function transmit(
  app: App,
  clinicId: string,
  issuerAccount: Account,
  row: DocumentRow,
  { jws }: SignedContent,
  ends: number,
): Promise<Outcome | 'refused' | undefined> {
  const { environment, kind, code, nit } = row;
  const account = { ...issuerAccount, environment };
  const timeLeft = () => ends - performance.now();
  const query = () => app.authority.query(account, { nit, kind, code }, timeLeft() * CALL_SHARE);
  const send = async () => {
    await inTenant(app.db, clinicId, (tx) => countAttempt(tx, row.id));
    const document = { environment, version: versionOf(kind, row.generation), kind, jws, code };
    return app.authority.receive(account, document, timeLeft() * CALL_SHARE);
  };
  // A document that is already in contingency may wait until the authority answers.
  const isDeferred = row.status === 'contingency';
  let duplicate: Rejected | undefined;
  for (let made = 0; ; made += 1) {
    const attempts = row.attempts + made;
    if (timeLeft() < MIN_ATTEMPT_MS) return made === 0 || isDeferred ? undefined : { status: 'contingency' };
    if (attempts > 0 || isDeferred) {
      const known = await query();
      // Not the attempts of this call: those that the authority may have received end it.
      if (known.kind === 'accepted') return { status: 'processed', verdict: known, arrivedBeforeContingency: isDeferred && row.attempts === 0 };
      if (known.kind === 'refused') return 'refused';
      if (known.kind === 'unknown' && isDeferred) return undefined;
      // The number belongs to another document, for example of a system that the clinic used before.
      if (known.kind === 'absent' && duplicate && made >= MAX_ATTEMPTS) return decided(duplicate);
    }
    if (attempts >= MAX_ATTEMPTS && !isDeferred) return { status: 'contingency' };
    const verdict = await send();
    if (verdict.kind === 'refused') return 'refused';
    if (verdict.kind === 'accepted' || (verdict.kind === 'rejected' && verdict.code !== ALREADY_RECEIVED)) return decided(verdict);
    if (verdict.kind === 'unknown' && isDeferred) return undefined;
    duplicate = verdict.kind === 'rejected' ? verdict : undefined;
  }
}

const decided = (verdict: Decision): Decided => ({
  status: verdict.kind === 'accepted' ? 'processed' : 'rejected',
  verdict,
  arrivedBeforeContingency: false,
});
