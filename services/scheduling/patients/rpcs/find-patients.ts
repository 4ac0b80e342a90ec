// Many patients at once, for lists of other services that show names and phones.

import { readTenant } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindPatientsRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { lookUpPatientsStatement, toFound } from '../sql/lookup.sql.ts';

export async function findPatients(app: App, request: FindPatientsRequest, call: Call) {
  const { id } = clinicOf(call);
  if (request.ids.length > 500) invalid('ids', 'must be at most 500');
  const ids = request.ids.map((one, index) => parseUuid(`ids.${index}`, one));
  return { patients: (await readTenant(app.db, id, lookUpPatientsStatement, [id, ids])).map(toFound) };
}
