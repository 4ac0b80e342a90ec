// How many appointments came through the chat channel since an instant.
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CountChatBookingsRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { countChatBookingsStatement } from './appointments.sql.ts';

const DAY_MS = 24 * 3_600_000;

export async function countChatBookings(app: App, request: CountChatBookingsRequest, call: Call) {
  const { id } = clinicOf(call);
  const since = request.since ? timestampDate(request.since) : new Date(app.clock.now().getTime() - DAY_MS);
  const [counted] = await readTenant(app.db, id, countChatBookingsStatement, [id, since]);
  return { count: counted?.count ?? 0, since: timestampFromDate(since) };
}
