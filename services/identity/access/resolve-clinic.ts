// The current state of a clinic, for services that act without a user.
import { found } from '@clinic/lib/errors/errors.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ResolveClinicRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { findClinicState } from '../clinics/clinics.sql.ts';
import { featuresOf, guardsOf, termsOf } from '../plans/plans-rules.ts';

export async function resolveClinic(app: App, request: ResolveClinicRequest) {
  const wanted = request.clinicId || !request.slug ? { clinicId: parseUuid('clinicId', request.clinicId) } : { slug: request.slug };
  const clinic = found(await findClinicState(app.db, wanted, app.clock.now()), 'Clinic');
  return {
    ...toFields(clinic),
    plan: clinic.subscription_plan,
    features: featuresOf(clinic.subscription_plan, clinic.switched_off),
    doctorLimit: termsOf(clinic.subscription_plan).doctors,
    guards: guardsOf(clinic.switched_off),
  };
}
