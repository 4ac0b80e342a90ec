// Records of the clinic as resources of FHIR R4 (https://hl7.org/fhir/R4).
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { spanIn } from '@clinic/lib/formats/local-date.ts';
import type { Appointment } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { Doctor } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { Patient } from '@clinic/proto/scheduling/v1/patient_pb.js';

import type fhir4 from 'fhir/r4.d.ts';

const instant = (time: Timestamp | undefined) => (time ? timestampDate(time).toISOString() : undefined);
const meta = (updatedAt: Timestamp | undefined) => ({ lastUpdated: instant(updatedAt) ?? '' });

const GENDERS: Record<string, fhir4.Patient['gender']> = { female: 'female', male: 'male', other: 'other' };

/** Leaves out the DUI, which is not sent to other programs. */
export function toPatient({ id, fullName, phone, email, birthDate, gender, address, guardianId, mergedInto, archivedAt, updatedAt }: Patient): fhir4.Patient {
  const link: fhir4.PatientLink[] = [
    ...(mergedInto ? [{ other: { reference: `Patient/${mergedInto}` }, type: 'replaced-by' as const }] : []),
    ...(guardianId ? [{ other: { reference: `Patient/${guardianId}` }, type: 'seealso' as const }] : []),
  ];
  const telecom: fhir4.ContactPoint[] = [
    ...(phone ? [{ system: 'phone' as const, value: phone, use: 'mobile' as const }] : []),
    ...(email ? [{ system: 'email' as const, value: email }] : []),
  ];
  return {
    resourceType: 'Patient',
    id,
    meta: meta(updatedAt),
    active: archivedAt === undefined && mergedInto === undefined,
    name: [{ use: 'official', text: fullName }],
    ...(telecom.length > 0 && { telecom }),
    gender: GENDERS[gender ?? ''] ?? 'unknown',
    ...(birthDate && { birthDate }),
    ...(address && { address: [{ text: address }] }),
    ...(link.length > 0 && { link }),
  };
}

export const toPractitioner = ({ id, fullName, specialty, isActive, updatedAt }: Doctor): fhir4.Practitioner => ({
  resourceType: 'Practitioner',
  id,
  meta: meta(updatedAt),
  active: isActive,
  name: [{ use: 'official', text: fullName }],
  ...(specialty && { qualification: [{ code: { text: specialty } }] }),
});

/** A doctor has one schedule, with the same id. */
export const toSchedule = ({ id, fullName, specialty, isActive, updatedAt }: Doctor): fhir4.Schedule => ({
  resourceType: 'Schedule',
  id,
  meta: meta(updatedAt),
  active: isActive,
  ...(specialty && { specialty: [{ text: specialty }] }),
  actor: [{ reference: `Practitioner/${id}`, display: fullName }],
});

/** `day` is YYYY-MM-DD, and times are HH:MM, in the clinic's zone. The id is the doctor, the day and the time. */
export function toSlot(doctorId: string, day: string, times: { startTime: string; endTime: string }, zone: string): fhir4.Slot {
  const { start, end } = spanIn(zone, day, times);
  return {
    resourceType: 'Slot',
    id: `${doctorId}.${start.toFormat('yyyyMMddHHmm')}`,
    schedule: { reference: `Schedule/${doctorId}` },
    status: 'free',
    start: start.toUTC().toISO() ?? '',
    end: end.toUTC().toISO() ?? '',
  };
}

/** FHIR status → status of an appointment. */
export const STATUSES = { booked: 'confirmed', pending: 'pending', fulfilled: 'completed', cancelled: 'cancelled', noshow: 'no_show' } as const;
const CODES = Object.fromEntries(Object.entries(STATUSES).map(([code, status]) => [status, code])) as Record<string, keyof typeof STATUSES>;

export function toAppointment(one: Appointment): fhir4.Appointment {
  const { id, patientId, doctorId, patients, doctors, appointmentTypes, durationMinutes, cancellationReason } = one;
  const status = CODES[one.status] ?? 'booked';
  const start = instant(one.startsAt);
  const end = instant(one.endsAt);
  return {
    resourceType: 'Appointment',
    id,
    meta: meta(one.updatedAt),
    status,
    ...(status === 'cancelled' && cancellationReason && { cancelationReason: { text: cancellationReason } }),
    ...(appointmentTypes && { appointmentType: { text: appointmentTypes.name } }),
    ...(start && { start }),
    ...(end && { end }),
    ...(durationMinutes && { minutesDuration: durationMinutes }),
    ...(one.createdAt && { created: instant(one.createdAt) ?? '' }),
    participant: [
      { actor: { reference: `Patient/${patientId}`, ...(patients && { display: patients.fullName }) }, status: 'accepted' },
      {
        actor: { reference: `Practitioner/${doctorId}`, ...(doctors && { display: doctors.fullName }) },
        status: status === 'pending' ? 'needs-action' : 'accepted',
      },
    ],
  };
}

export type Resource = fhir4.Patient | fhir4.Practitioner | fhir4.Schedule | fhir4.Slot | fhir4.Appointment;

/** Searches for patients count no further (ListPatientsResponse.total). */
const MAX_TOTAL = 10_000;

/** `query` is the query string of the request; `total` counts the resources of all pages, and MAX_TOTAL means that many or more. */
export function toBundle(
  base: string,
  type: string,
  query: string,
  resources: Resource[],
  { page, limit, total }: { page: number; limit: number; total: number },
) {
  const link = (relation: string, number: number) => {
    const parameters = new URLSearchParams(query);
    if (number > 1 || parameters.has('_page')) parameters.set('_page', String(number));
    const text = parameters.toString();
    return { relation, url: `${base}/${type}${text && `?${text}`}` };
  };
  const hasNext = page * limit < total || (total === MAX_TOTAL && resources.length === limit);
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total,
    link: [link('self', page), ...(page > 1 ? [link('previous', page - 1)] : []), ...(hasNext ? [link('next', page + 1)] : [])],
    ...(resources.length > 0 && {
      entry: resources.map((resource) => ({ fullUrl: `${base}/${resource.resourceType}/${resource.id}`, resource, search: { mode: 'match' } })),
    }),
  } satisfies fhir4.Bundle;
}
