// The clinics with the highest use in a period, for operators and their dashboard.
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import type { GetTopUsageRequest } from '@clinic/proto/identity/v1/operations_pb.js';
import type { App } from '../app.ts';
import { parseDays } from './period-rules.ts';
import { listTop, toUse } from './usage.sql.ts';

const DEFAULT_DAYS = 7;
const DEFAULT_TOP = 10;
const ORDERS = ['requests', 'messages', 'assistant_tokens', 'storage_bytes'] as const;

export async function getTopUsage(app: App, request: GetTopUsageRequest) {
  const { from, to } = parseDays(request, app.clock.now(), DEFAULT_DAYS);
  const top = parseInteger('top', request.top || DEFAULT_TOP, 1, 100);
  const clinics = await listTop(app.db, from, to, top, parseOneOf('by', request.by ?? 'requests', ORDERS));
  return { from, to, clinics: clinics.map((one) => ({ clinicId: one.clinic_id, name: one.name, ...toUse(one), storageBytes: one.storage_bytes })) };
}
