// Name, address and logo of the clinic for printed documents.
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicProfileRequest } from '@clinic/proto/identity/v1/profile_pb.js';
import type { App } from '../app.ts';
import { getLetterhead } from './clinic-settings.sql.ts';

export async function getClinicProfile(app: App, _request: GetClinicProfileRequest, call: Call) {
  const { id } = clinicOf(call);
  const { logo, ...clinic } = await getLetterhead(app.db, id);
  return { clinicId: id, ...toFields(clinic), ...(logo && { logo }) };
}
