// A running scheduling service, for the tests of its handlers.
import { randomUUID } from 'node:crypto';
import { asSystem, rows, sql } from '@clinic/lib/db/db.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import scheduling from '../service.ts';

/** A Monday, 08:00 in San Salvador. */
export const MONDAY = new Date('2026-06-01T14:00:00Z');
export const TUESDAY = '2026-06-02';

export const everyDay = (startTime: string, endTime: string) => Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, startTime, endTime }));

/** Dependencies without RPCs, for tests that do not call them. */
const unused = { identity: localTransport([]), messaging: localTransport([]), dental: localTransport([]) };

// biome-ignore lint/suspicious/noExplicitAny: events are what the tests examine
const listEvents = sql<{ payload: any }>('select payload from outbox where clinic_id = $1 and subject like $2 order by id');

export async function startScheduling(dependencies: Partial<typeof unused> = {}, settings: Record<string, string> = {}) {
  const clock = manualClock(MONDAY);
  const service = await testService(scheduling, { clock, dependencies: { ...unused, ...dependencies }, settings });
  const doctors = service.client(DoctorService);
  const patients = service.client(PatientService);
  const appointments = service.client(AppointmentService);
  let phones = 70_000_000;
  const phone = () => `+503${++phones}`;

  /** A new clinic with a doctor: half hours from 08:00 to 12:00, every day. */
  async function clinic() {
    const id = randomUUID();
    const doctor = await doctors.createDoctor({ fullName: 'Dra. Ana Rivas', workingHours: everyDay('08:00', '12:00') }, asAdmin(id));
    return { id, doctor };
  }
  const booking = (doctorId: string, startTime: string, appointmentDate = TUESDAY) => ({
    doctorId,
    appointmentDate,
    startTime,
    patientName: 'Luis Pérez',
    patientPhone: phone(),
  });
  /** The entries of an action in the audit log of a clinic, the oldest first. */
  async function audited(clinicId: string, action: string) {
    const { entries } = await service.client(AuditService).listAuditEntries({ action, limit: 50 }, asAdmin(clinicId));
    return entries.reverse().map(({ entityId, changes }) => ({ entityId, changes: JSON.parse(changes || '{}') }));
  }
  /** The contents of the events of a clinic by the name of their type, such as `appointment-booked`, the oldest first. */
  async function published(clinicId: string, event: string) {
    const events = await asSystem(service.db, (tx) => rows(tx, listEvents, [clinicId, `%.${event}`]));
    return events.map(({ payload }) => payload);
  }
  return { service, clock, doctors, patients, appointments, clinic, booking, phone, asUser, asAdmin, audited, published };
}

export type Scheduling = Awaited<ReturnType<typeof startScheduling>>;

/** The reasons of the calls that failed, and how many answered. */
export async function outcomes(calls: Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls);
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { reason?: string }).reason ?? String(one.reason)] : []));
  return { answered: settled.length - reasons.length, reasons: [...new Set(reasons)].sort(), refused: reasons.length };
}
