// The provider's events for the operators, without the personal data in them.

import { readSystem } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { ListPaymentEventsRequest } from '@clinic/proto/billing/v1/payment_event_pb.js';
import type { App } from '../app.ts';
import { countPaymentEventsStatement, listPaymentEventsStatement, STATUSES, toProto } from './payment-events.sql.ts';

export async function listPaymentEvents(app: Pick<App, 'db'>, request: ListPaymentEventsRequest) {
  const wanted = parseOneOf('status', request.status ?? 'all', [...STATUSES, 'all']);
  const status = wanted === 'all' ? null : wanted;
  const { page, limit, offset } = parsePage(request, 50, 500);
  const [events, [counted]] = await Promise.all([
    readSystem(app.db, listPaymentEventsStatement, [status, limit, offset]),
    readSystem(app.db, countPaymentEventsStatement, [status]),
  ]);
  return { events: events.map(toProto), total: counted?.count ?? 0, page, limit };
}
