// How many appointments were booked through the chat channel since an instant, by default in the last 24 hours.
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CountChatBookingsRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { countChatBookings as count } from './appointments.sql.ts';

const DAY_MS = 24 * 3_600_000;

export async function countChatBookings(app: App, request: CountChatBookingsRequest, call: Call) {
  const since = request.since ? timestampDate(request.since) : new Date(app.clock.now().getTime() - DAY_MS);
  return { count: await count(app.db, clinicOf(call).id, since), since: timestampFromDate(since) };
}
