// Messages that are composed for each attempt to send them, because their subject may change before they are sent.
import type { App } from '../app.ts';
import type { Clinic } from '../clinics/clinics.ts';
import type { DropReasonOf } from './message-kinds-rules.ts';
import type { OutboundRow } from './outbound.sql.ts';
import type { PreparedContent } from './outgoing-content-rules.ts';
import { decodeReference, type Reference, type ReferenceKind } from './reference-rules.ts';

/** What to send and to whom, or why the message is dropped, or when to prepare it again. */
type Prepared<K extends ReferenceKind = ReferenceKind> = PreparedContent | { drop: DropReasonOf<K> } | { notBefore: Date };

/** `clinic` was read for this attempt. Throws if the message cannot be prepared now, so that the attempt is repeated later. */
export type Prepare<K extends ReferenceKind> = (app: App, clinic: Clinic, reference: Reference<K>) => Promise<Prepared<K>>;

export type Prepares = { [K in ReferenceKind]: Prepare<K> };

/** Undefined for messages whose content was stored with them. */
export async function prepareMessage(app: App, prepares: Prepares, clinic: Clinic, { kind, reference }: OutboundRow): Promise<Prepared | undefined> {
  const decoded = decodeReference(kind, reference);
  return decoded && prepareFor(app, prepares, clinic, decoded);
}

const prepareFor = <K extends ReferenceKind>(app: App, prepares: Prepares, clinic: Clinic, reference: Reference<K>): Promise<Prepared> =>
  prepares[reference.kind](app, clinic, reference);
