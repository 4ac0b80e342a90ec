// Chairs, types of appointments with online booking, patients, and the appointments of the last sixty days. These are imported from files, like
// those of a practice that moves in, because past times cannot be booked.

import { EntitlementService } from '@clinic/proto/identity/v1/entitlement_pb.js';
import { AppointmentImportService } from '@clinic/proto/scheduling/v1/appointment_import_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { DateTime } from 'luxon';
import type { Demo } from '../demo.ts';
import { PHONES } from '../patients.ts';
import { people } from '../people.ts';

const DAYS = 60;
const SUNDAY = 7;
const SATURDAY = 6;
const CHAIRS = ['Sillón 1', 'Sillón 2', 'Sillón 3'];
const TYPES = [
  { name: 'Primera consulta', durationMinutes: 30, color: '#2E86C1', onlineBookable: true },
  { name: 'Limpieza', durationMinutes: 45, color: '#28B463', onlineBookable: true },
  { name: 'Relleno', durationMinutes: 60, color: '#D4AC0D', onlineBookable: false },
  { name: 'Endodoncia', durationMinutes: 60, color: '#B03A2E', onlineBookable: false },
];
const REASONS = ['Limpieza', 'Control', 'Primera consulta', 'Dolor en molar', 'Relleno de resina', 'Ajuste de brackets', 'Endodoncia', 'Retiro de puntos'];
/** Seven of ten appointments took place. */
const STATUSES = [...Array<string>(14).fill('completed'), ...Array<string>(3).fill('cancelled'), ...Array<string>(3).fill('no_show')];
const WAITING = [
  { timeFrom: '08:00', timeTo: '11:00', notes: 'Sólo por la mañana' },
  { notes: 'Cualquier hora, dolor leve' },
  { timeFrom: '14:00', timeTo: '17:00', notes: 'Sale del trabajo a las 13:30' },
];

export async function appointments(demo: Demo): Promise<void> {
  const resources = demo.client(ResourceService, 'scheduling');
  for (const [index, name] of CHAIRS.entries()) await resources.createResource({ name, kind: 'chair' }, demo.admin(`chair-${index}`));
  const { doctors } = await demo.client(DoctorService, 'scheduling').listDoctors({ page: 1, limit: 50 }, demo.admin());
  const types = demo.client(AppointmentTypeService, 'scheduling');
  const doctorIds = doctors.map(({ id }) => id);
  await demo.client(EntitlementService, 'identity').updateFeatures({ features: { online_booking: true } }, demo.admin());
  for (const [index, type] of TYPES.entries()) await types.createAppointmentType({ ...type, doctorIds }, demo.admin(`type-${index}`));

  const added = people(demo.random);
  await bring(demo, 'patients', ['nombre;telefono;genero;fecha_nacimiento', ...added.map((one) => [one.name, one.phone, one.gender, one.birthDate].join(';'))]);
  await bring(demo, 'appointments', [
    'telefono;fecha;hora;doctor;estado;motivo',
    ...pastDays(demo.today).flatMap((day) => doctors.flatMap((doctor) => dayOf(demo, day, doctor.id))),
  ]);

  const waitlist = demo.client(WaitlistService, 'scheduling');
  const range = { dateFrom: demo.today, dateTo: DateTime.fromISO(demo.today).plus({ days: 14 }).toISODate() ?? '' };
  for (const [index, wish] of WAITING.entries()) {
    const patient = added[index];
    if (patient) await waitlist.joinWaitlist({ patientName: patient.name, patientPhone: patient.phone, ...range, ...wish }, demo.admin(`waiting-${index}`));
  }
}

const pastDays = (today: string) =>
  Array.from({ length: DAYS }, (_, index) => DateTime.fromISO(today).minus({ days: DAYS - index })).filter(({ weekday }) => weekday !== SUNDAY);

/** The appointments of a doctor on a day, more of them in the morning. */
function dayOf({ random }: Demo, day: DateTime, doctorId: string): string[] {
  const hours = day.weekday === SATURDAY ? [8, 9, 10] : [8, 9, 10, 11, 14, 15, 16];
  return hours
    .filter((hour) => random.chance(hour < 12 ? 0.6 : 0.35))
    .map((hour) =>
      [random.pick(PHONES), day.toISODate(), `${String(hour).padStart(2, '0')}:00`, doctorId, random.pick(STATUSES), random.pick(REASONS)].join(';'),
    );
}

/** Imports a file. Rows that were imported before have no effect. */
async function bring(demo: Demo, kind: 'patients' | 'appointments', lines: string[]): Promise<void> {
  const bulk = demo.client(PatientBulkService, 'scheduling');
  const { id } = await bulk.beginPatientImport({}, demo.admin());
  await bulk.appendPatientImport({ id, seq: 0, content: Buffer.from(lines.join('\n')) }, demo.admin());
  const named = { id, chunks: 1 };
  const done =
    kind === 'patients'
      ? await bulk.finishPatientImport(named, demo.admin())
      : await demo.client(AppointmentImportService, 'scheduling').finishAppointmentImport(named, demo.admin());
  const [fault] = done.errors;
  if (fault) throw new Error(`row ${fault.row} of the ${kind} was refused: ${fault.column} ${fault.message}`);
}
