// The minimal server that the product is compared with: one Express process with pg and the same statements in the same order,
// without tokens, row-level security, checks or services. The caller names clinic, user and session in headers.

import { audit } from '@clinic/lib/audit/audit.ts';
import { commit, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { AppointmentBookedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import express, { type Request } from 'express';
import { v7 } from 'uuid';
import { toState } from '../../services/scheduling/appointments/appointment-row.ts';
import { insertAppointment } from '../../services/scheduling/appointments/appointments.sql.ts';
import { lockPatientByPhone } from '../../services/scheduling/patients/sql/patients.sql.ts';
import { ZONE } from './dataset.ts';
import { checkAccess, dayOf, listDay, listSlots, type Named, poolOf } from './floor-reads.ts';

const HALF_HOUR_MS = 30 * 60_000;

const [identity, scheduling] = [poolOf('identity'), poolOf('scheduling')];

const app = express().disable('x-powered-by').disable('etag');
app.use(express.json());

/** Checks access and returns the id of the clinic. */
async function enter({ headers }: Pick<Request, 'headers'>): Promise<string> {
  const named = headers as Named;
  await checkAccess(identity, named);
  return named['x-clinic-id'];
}

const lockDoctor = sql('select from doctors where clinic_id = $1 and id = $2 for no key update');

app.get('/api/appointments', async (request, response) => {
  const clinic = await enter(request);
  response.json(await listDay(scheduling, clinic, request.query.date as string));
});

app.get('/api/doctors/:id/slots', async (request, response) => {
  const clinic = await enter(request);
  response.json(await listSlots(scheduling, clinic, request.params.id, request.query.date as string));
});

app.post('/api/appointments', async (request, response) => {
  const clinic = await enter(request);
  const { doctorId, appointmentDate, startTime, patientPhone } = request.body;
  const client = await scheduling.connect();
  try {
    const now = new Date();
    const tx = { client, clinicId: clinic, last: [], wrote: new Set() } as unknown as TenantTx; // the same statements, executed as the owner
    const [, , , patient] = await Promise.all([
      client.query('begin'),
      client.query({ ...lockDoctor, values: [clinic, doctorId] }),
      client.query(dayOf(clinic, doctorId, appointmentDate)),
      lockPatientByPhone(tx, patientPhone),
    ]);
    const starts = new Date(`${appointmentDate}T${startTime}:00-06:00`);
    const booking = {
      id: v7(),
      doctor_id: doctorId,
      patient_id: patient?.id ?? '',
      appointment_date: appointmentDate,
      start_time: startTime,
      end_time: startTime,
      starts_at: starts,
      busy_until: new Date(starts.getTime() + HALF_HOUR_MS),
      source: 'manual' as const,
      notes: null,
      idempotency_key: `MANUAL_${v7()}`,
    };
    const [appointment] = await Promise.all([
      insertAppointment(tx, booking, now),
      emit(tx, clinic, AppointmentBookedSchema, { appointment: toState({ ...booking, status: 'confirmed', revision: 1, updated_at: now }, ZONE) }),
      audit(tx, clinic, { kind: 'user', id: clinic, requestId: '', ip: '', role: 'admin' }, { action: 'appointment.booked', entityId: booking.id }),
    ]);
    await commit(tx);
    response.status(appointment ? 201 : 409).json(appointment ?? {});
  } finally {
    client.release();
  }
});

const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
