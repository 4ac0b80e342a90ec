// The use of a clinic by day, for operators.
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { GetClinicUsageRequest } from '@clinic/proto/identity/v1/operations_pb.js';
import type { App } from '../app.ts';
import { parseDays } from './period-rules.ts';
import { findStorage, listDays, toUse } from './usage.sql.ts';

const DEFAULT_DAYS = 30;

export async function getClinicUsage(app: App, request: GetClinicUsageRequest) {
  const { clinicId } = request;
  const { from, to } = parseDays(request, app.clock.now(), DEFAULT_DAYS);
  const storageBytes = found(isUuid(clinicId) ? await findStorage(app.db, clinicId) : undefined, 'Clinic');
  const days = await listDays(app.db, clinicId, from, to);
  const sum = (of: 'requests' | 'messages' | 'assistant_tokens') => days.reduce((all, day) => all + day[of], 0n);
  const total = toUse({ requests: sum('requests'), messages: sum('messages'), assistant_tokens: sum('assistant_tokens') });
  return { clinicId, from, to, days: days.map((one) => ({ day: one.day, ...toUse(one) })), total, storageBytes };
}
