// Many patients at once, for lists of other services that show names and phones.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindPatientsRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { findByIds, toFound } from '../sql/lookup.sql.ts';

const MAX_IDS = 500;

export async function findPatients(app: App, request: FindPatientsRequest, call: Call) {
  if (request.ids.length > MAX_IDS) invalid('ids', `must be at most ${MAX_IDS}`);
  const ids = request.ids.map((id, index) => parseUuid(`ids.${index}`, id));
  return { patients: (await findByIds(app.db, clinicOf(call).id, ids)).map(toFound) };
}
