// Name, address and logo of the clinic for printed documents.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicProfileRequest } from '@clinic/proto/identity/v1/profile_pb.js';
import type { App } from '../app.ts';
import { getLetterhead } from './clinic-settings.sql.ts';

export async function getClinicProfile(app: App, _request: GetClinicProfileRequest, call: Call) {
  const { id } = clinicOf(call);
  const { name, phone, address, city, currency, logo } = await getLetterhead(app.db, id);
  return { clinicId: id, name, phone: phone ?? undefined, address: address ?? undefined, city: city ?? undefined, currency, ...(logo && { logo }) };
}
