// Messages that are written at the moment of sending, because their content may change after they were stored.
import type { App } from '../app.ts';
import type { OutboundRow } from './outbound.sql.ts';
import type { Outgoing } from './outgoing-content-rules.ts';
import { decodeReference, type Reference, type ReferenceKind } from './reference-rules.ts';

/** What to send and to whom, or the reason why nothing is sent any more. */
export type Prepared = { phone: string; content: Outgoing; outsideWindow?: Outgoing } | { drop: string };

/** Throws when the message is to be prepared again later. */
export type Prepare<K extends ReferenceKind> = (app: App, clinicId: string, reference: Reference<K>) => Promise<Prepared>;

export type Prepares = { [K in ReferenceKind]: Prepare<K> };

export async function prepareMessage(app: App, prepares: Prepares, { clinic_id, kind, reference }: OutboundRow): Promise<Prepared> {
  const decoded = decodeReference(kind, reference);
  return decoded ? prepareFor(app, prepares, clinic_id, decoded) : { drop: 'nothing_to_send' };
}

const prepareFor = <K extends ReferenceKind>(app: App, prepares: Prepares, clinicId: string, reference: Reference<K>): Promise<Prepared> =>
  prepares[reference.kind](app, clinicId, reference);
