// For operators: the usage of a clinic by day, and the clinics with the highest usage in a period.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { GetClinicUsageRequest, GetTopUsageRequest } from '@clinic/proto/identity/v1/operations_pb.js';
import type { App } from '../app.ts';
import { parseDays } from './period-rules.ts';
import { findStorage, listDays, listTop } from './usage.sql.ts';

export async function getClinicUsage(app: App, request: GetClinicUsageRequest) {
  const { clinicId } = request;
  const { from, to } = parseDays(request, app.clock.now(), 30);
  const storageBytes = found(isUuid(clinicId) ? await findStorage(app.db, clinicId) : undefined, 'Clinic');
  const days = await listDays(app.db, clinicId, from, to);
  const sum = (field: 'requests' | 'messages' | 'assistant_tokens') => days.reduce((total, day) => total + day[field], 0n);
  const total = toFields({ requests: sum('requests'), messages: sum('messages'), assistant_tokens: sum('assistant_tokens') });
  return { clinicId, from, to, days: days.map(toFields), total, storageBytes };
}

const ORDERS = ['requests', 'messages', 'assistant_tokens', 'storage_bytes'] as const;

export async function getTopUsage(app: App, request: GetTopUsageRequest) {
  const { from, to } = parseDays(request, app.clock.now(), 7);
  const top = parseInteger('top', request.top || 10, 1, 100);
  const clinics = await listTop(app.db, from, to, top, parseOneOf('by', request.by ?? 'requests', ORDERS));
  return { from, to, clinics: clinics.map(toFields) };
}
