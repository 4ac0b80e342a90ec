// What the booking page of a clinic shows.
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetBookableClinicRequest } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import type { App } from '../app.ts';
import { findClinicPolicy } from '../clinics/clinics.sql.ts';
import { listBookableDoctors, listBookableTypes } from './bookable.sql.ts';
import { openClinic } from './open-clinic.ts';

export async function getBookableClinic(app: App, { slug }: GetBookableClinicRequest, call: Call) {
  const { clinic } = await openClinic(app, slug, call);
  const [all, policy] = await Promise.all([listBookableTypes(app.db, clinic.clinicId), findClinicPolicy(app.db, clinic.clinicId)]);
  // While the clinic is read-only nothing can be booked, and the page says so before the patient chooses.
  const types = clinic.readOnly ? [] : all.filter(({ doctor_ids }) => doctor_ids.length > 0);
  const doctors = await listBookableDoctors(app.db, clinic.clinicId, [...new Set(types.flatMap(({ doctor_ids }) => doctor_ids))]);
  const { name, phone, address, city, timezone, bookingOrigins } = clinic;
  return {
    ...{ slug, name, phone, address, city, timezone },
    cancellationNoticeHours: policy?.cancellation_notice_hours ?? 0,
    cancellationText: policy?.cancellation_text ?? undefined,
    types: types.map(toFields),
    doctors: doctors.map(toFields),
    embeddingOrigins: bookingOrigins,
  };
}
