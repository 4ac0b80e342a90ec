// Adds what a gateway or another service has counted.
import { asSystem } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { AddUsageRequest } from '@clinic/proto/common/v1/usage_pb.js';
import type { App } from '../app.ts';
import { addReport } from './usage.sql.ts';

const MAX_COUNTED = 5_000;

export async function addUsage(app: App, { id, counted }: AddUsageRequest) {
  const report = parseUuid('id', id);
  parseInteger('counted', counted.length, 0, MAX_COUNTED);
  for (const { clinicId, day } of counted) if (!isUuid(clinicId) || !isLocalDate(day)) invalid('counted', 'must have clinics and days');
  // As the system: of several clinics.
  await asSystem(app.db, (tx) => addReport(tx, report, counted));
  return {};
}
