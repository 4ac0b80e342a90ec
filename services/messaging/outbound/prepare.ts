// Messages that are written for each attempt to send them, because what they are about may change meanwhile.
import type { App } from '../app.ts';
import type { DropReasonOf } from './message-kinds-rules.ts';
import type { OutboundRow } from './outbound.sql.ts';
import type { PreparedContent } from './outgoing-content-rules.ts';
import { decodeReference, type Reference, type ReferenceKind } from './reference-rules.ts';

/** What to send and to whom, why nothing is sent any more, or when to ask again. */
export type Prepared<K extends ReferenceKind = ReferenceKind> = PreparedContent | { drop: DropReasonOf<K> } | { notBefore: Date };

/** Throws when the message is to be prepared again later. */
export type Prepare<K extends ReferenceKind> = (app: App, clinicId: string, reference: Reference<K>) => Promise<Prepared<K>>;

export type Prepares = { [K in ReferenceKind]: Prepare<K> };

/** Undefined for messages that were written when they were stored. */
export async function prepareMessage(app: App, prepares: Prepares, { clinic_id, kind, reference }: OutboundRow): Promise<Prepared | undefined> {
  const decoded = decodeReference(kind, reference);
  return decoded && prepareFor(app, prepares, clinic_id, decoded);
}

const prepareFor = <K extends ReferenceKind>(app: App, prepares: Prepares, clinicId: string, reference: Reference<K>): Promise<Prepared> =>
  prepares[reference.kind](app, clinicId, reference);
