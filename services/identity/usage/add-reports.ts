// Adds the usage that gateways and services report, and stores how many bytes of files a service stores for each clinic.
import { asSystem } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { MAX_REPORTED } from '@clinic/lib/usage/storage.ts';
import type { AddUsageRequest, ReportStorageRequest } from '@clinic/proto/common/v1/usage_pb.js';
import type { App } from '../app.ts';
import { addReport, setStorage } from './usage.sql.ts';

const MAX_COUNTED = 5_000;

export async function addUsage(app: App, { id, counted }: AddUsageRequest) {
  const report = parseUuid('id', id);
  parseInteger('counted', counted.length, 0, MAX_COUNTED);
  for (const { clinicId, day } of counted) if (!isUuid(clinicId) || !isLocalDate(day)) invalid('counted', 'must contain a clinicId and a day in each item');
  // As the system, because a report concerns several clinics.
  await asSystem(app.db, (tx) => addReport(tx, report, counted));
  return {};
}

export async function reportStorage(app: App, { stored }: ReportStorageRequest, { caller }: Call) {
  parseInteger('stored', stored.length, 0, MAX_REPORTED);
  if (stored.some(({ clinicId }) => !isUuid(clinicId))) invalid('stored', 'must contain a clinicId in each item');
  // As the system, because a report concerns several clinics.
  await asSystem(app.db, (tx) => setStorage(tx, caller.id, stored, app.clock.now()));
  return {};
}
