// The requests of a measurement, each one a function of its number: with a token for the product, with the ids from the token for the floor.
import type { RequestParts } from 'autocannon';
import { clinicId, type Dataset, doctorId, doctorsOf, freeCell, PATIENTS, patientName, patientPhone, sessionId, userId } from './dataset.ts';

export const OPERATIONS = ['list', 'slots', 'book'] as const;
export type Operation = (typeof OPERATIONS)[number];
export const TITLES: Record<Operation, string> = { list: 'appointments of a day', slots: 'slots of a day', book: 'booking' };

/** Number of clinics that send requests: few enough to sign tokens for, and enough to spread the load. */
export const callersOf = (data: Dataset) => Math.min(data.clinics, 300);

export type Target = {
  data: Dataset;
  operation: Operation;
  /** One per clinic; none for the floor. */
  tokens?: string[] | undefined;
  /** Only for Directus. */
  adminToken?: string | undefined;
};

/** The request with the number `n`, or undefined for a booking whose slot is not free. Different numbers book different slots. */
export function requestOf({ data, operation, tokens, adminToken }: Target, n: number): RequestParts | undefined {
  const callers = callersOf(data);
  const clinic = n % callers;
  const round = Math.floor(n / callers);
  const chance = scatter(n);
  const headers: Record<string, string> = tokens
    ? { authorization: `Bearer ${tokens[clinic]}` }
    : { 'x-clinic-id': clinicId(clinic), 'x-user-id': userId(clinic), 'x-session-id': sessionId(clinic) };
  switch (operation) {
    case 'list': {
      const date = data.days[chance % data.days.length] ?? '';
      return adminToken ? listOfDirectus(clinicId(clinic), date, adminToken) : { method: 'GET', path: `/api/appointments?date=${date}`, headers };
    }
    case 'slots': {
      const date = data.days[data.firstFuture + (chance % (data.days.length - data.firstFuture))];
      return { method: 'GET', path: `/api/doctors/${doctorId(clinic, chance % doctorsOf(clinic))}/slots?date=${date}`, headers };
    }
    case 'book': {
      const cell = freeCell(data, clinic, round);
      if (!cell) return undefined;
      const patient = round % PATIENTS;
      const body = {
        doctorId: doctorId(clinic, cell.doctor),
        appointmentDate: cell.date,
        startTime: cell.startTime,
        patientName: patientName(patient),
        patientPhone: patientPhone(clinic, patient),
      };
      return { method: 'POST', path: '/api/appointments', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    }
  }
}

/** The same list as that of the product: a page of the day with patient, doctor and total. */
function listOfDirectus(clinic: string, date: string, adminToken: string): RequestParts {
  const query = new URLSearchParams({
    filter: JSON.stringify({ clinic_id: { _eq: clinic }, appointment_date: { _eq: date } }),
    fields: '*,patient_id.id,patient_id.full_name,patient_id.phone,doctor_id.id,doctor_id.full_name,doctor_id.specialty',
    sort: 'appointment_date,start_time,id',
    limit: '50',
    meta: 'filter_count',
  });
  return { method: 'GET', path: `/items/appointments?${query}`, headers: { authorization: `Bearer ${adminToken}` } };
}

/** A pseudo-random number for `n`, the same on each run. */
function scatter(n: number): number {
  let mixed = Math.imul(n ^ (n >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
