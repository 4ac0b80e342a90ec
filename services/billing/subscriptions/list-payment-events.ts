// Events of the payment provider for operators, without their personal data.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { ListPaymentEventsRequest } from '@clinic/proto/billing/v1/payment_event_pb.js';
import type { App } from '../app.ts';
import { listEvents, STATUSES } from './payment-events.sql.ts';

export async function listPaymentEvents(app: Pick<App, 'db'>, request: ListPaymentEventsRequest) {
  const filter = parseOneOf('status', request.status ?? 'all', [...STATUSES, 'all']);
  const status = filter === 'all' ? null : filter;
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { events, total } = await listEvents(app.db, status, limit, offset);
  return { events: events.map(toFields), total, page, limit };
}
