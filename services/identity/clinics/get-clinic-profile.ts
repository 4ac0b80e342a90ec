// The clinic's name and address for printed papers.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicProfileRequest } from '@clinic/proto/identity/v1/profile_pb.js';
import type { App } from '../app.ts';
import { findProfileStatement } from './profiles.sql.ts';

export async function getClinicProfile(app: App, _request: GetClinicProfileRequest, call: Call) {
  const { id } = clinicOf(call);
  const [row] = await readTenant(app.db, id, findProfileStatement, [id]);
  const { name, phone, address, city, currency, logo } = found(row, 'Clinic');
  return { clinicId: id, name, phone: phone ?? undefined, address: address ?? undefined, city: city ?? undefined, currency, ...(logo && { logo }) };
}
