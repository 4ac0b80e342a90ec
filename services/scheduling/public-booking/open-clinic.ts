// The clinic of a booking page, as identity has it now.
import { fail, found, refuseReadOnly } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { ResolvedClinic } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { acceptsOnlineBookings } from '../clinics/online-booking-rules.ts';
import { type BookableTypeRow, findBookableType } from './bookable.sql.ts';

/** Separates the keys of anonymous callers from those of the clinic's own programs: the gateway accepts no key that begins with a space. */
const PUBLIC = ' public ';

/** The clinic, and the call on its behalf. Throws NOT_FOUND unless the clinic accepts online bookings. */
export async function openClinic(app: App, slug: string, call: Call): Promise<{ clinic: ResolvedClinic; call: Call }> {
  const clinic = slug ? await ifFound(app.access.resolveClinic({ slug }, callAs(serviceCaller('scheduling', call.caller.requestId)))) : undefined;
  if (!clinic || !acceptsOnlineBookings(clinic, app.clock.now())) fail('NOT_FOUND', 'Clinic not found');
  const { clinicId: id, plan, timezone, country } = clinic;
  const idempotencyKey = call.idempotencyKey && PUBLIC + call.idempotencyKey;
  return { clinic, call: { ...call, idempotencyKey, caller: { ...call.caller, clinic: { id, plan, timezone, country } } } };
}

/** openClinic() for changes. Throws READ_ONLY while the clinic is read-only. */
export async function openClinicToChange(app: App, slug: string, call: Call): Promise<{ clinic: ResolvedClinic; call: Call }> {
  const opened = await openClinic(app, slug, call);
  refuseReadOnly(opened.clinic);
  return opened;
}

/** The doctors of a type, or only the requested one. Throws NOT_FOUND for another type or doctor. */
export async function doctorsOf(app: App, clinicId: string, typeId: string, doctorId: string | undefined): Promise<string[]> {
  return chooseDoctors(found(isUuid(typeId) ? await findBookableType(app.db, clinicId, typeId) : undefined, 'Appointment type'), doctorId);
}

export function chooseDoctors({ doctor_ids }: BookableTypeRow, doctorId: string | undefined): string[] {
  if (doctorId === undefined) return doctor_ids;
  return doctor_ids.includes(doctorId) ? [doctorId] : fail('NOT_FOUND', 'Doctor not found');
}
