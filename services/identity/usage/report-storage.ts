// Stores how many bytes of files another service has of each clinic.
import { asSystem } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { MAX_REPORTED } from '@clinic/lib/usage/storage.ts';
import type { ReportStorageRequest } from '@clinic/proto/common/v1/usage_pb.js';
import type { App } from '../app.ts';
import { setStorage } from './usage.sql.ts';

export async function reportStorage(app: App, { stored }: ReportStorageRequest, { caller }: Call) {
  parseInteger('stored', stored.length, 0, MAX_REPORTED);
  if (stored.some(({ clinicId }) => !isUuid(clinicId))) invalid('stored', 'must have clinics');
  // As the system: of several clinics.
  await asSystem(app.db, (tx) => setStorage(tx, caller.id, stored, app.clock.now()));
  return {};
}
