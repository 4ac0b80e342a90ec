// A payment belongs to the same doctor in the commission ledger (SQL) and in the income by doctor (TypeScript), for the same appointments.
import { randomUUID } from 'node:crypto';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { doctorOf } from '../analytics/plan-lines-rules.ts';
import { listPlans, upsertPaymentPlans, upsertTreatments } from '../analytics/sql/plans.sql.ts';
import { everyDay, MONDAY, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { findAppointmentNear } from './commissions.sql.ts';

let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling();
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl, options: '-c search_path=scheduling' });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});

const HALF_HOUR = 1_800_000;
const ACTIVE = ['confirmed', 'pending'];
// The offset is that from the payment, in half hours: equal distances before and after it, and equal instants, are frequent.
const appointment = fc.record({
  doctor: fc.nat(2),
  offset: fc.integer({ min: -4, max: 4 }),
  status: fc.constantFrom('confirmed', 'pending', 'completed', 'completed', 'cancelled', 'no_show'),
  id: fc.uuid({ version: 7 }),
});
// A doctor has only one active appointment at a time.
const appointments = fc.uniqueArray(appointment, {
  maxLength: 8,
  selector: ({ doctor, offset, status, id }) => (ACTIVE.includes(status) ? `${doctor} ${offset}` : id),
});

test('a payment is attributed to the same doctor for commissions and for income', async () => {
  const { id: clinicId, doctor } = await s.clinic();
  const others = await Promise.all(
    ['Dr. B', 'Dr. C'].map((fullName) => s.doctors.createDoctor({ fullName, workingHours: everyDay('08:00', '12:00') }, s.asAdmin(clinicId))),
  );
  const doctors = [doctor, ...others].map(({ id }) => id);
  const booked = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(clinicId));
  await owner.query('update appointments set status = $2 where id = $1', [booked.id, 'cancelled']);
  const insert = `insert into appointments
    select (jsonb_populate_record(a, jsonb_build_object('id', given.id, 'doctor_id', given.doctor_id, 'status', given.status, 'starts_at', given.starts_at,
      'busy', tstzrange(given.starts_at, given.starts_at + interval '30 minutes'), 'idempotency_key', given.id))).*
    from appointments a, jsonb_to_recordset($2::jsonb) as given (id uuid, doctor_id uuid, status text, starts_at timestamptz) where a.id = $1`;
  const plan = { clinic_id: clinicId, patient_id: booked.patientId, status: 'active', total_cents: 100n, opened_at: MONDAY, revision: 1 };

  /** The doctor by each of the two implementations, of a payment at that instant. */
  async function attribute(tx: SystemTx, ids: string[], paidAt: Date) {
    const [payment_plan_id, treatment_plan_id] = [randomUUID(), randomUUID()];
    const facts = { opened_on: '2026-06-01', accepted: true, unscheduled_steps: 0, unscheduled_cents: 0n, steps: [], appointments: ids };
    await upsertTreatments(tx, [{ ...plan, ...facts, treatment_plan_id }]);
    await upsertPaymentPlans(tx, [{ ...plan, payment_plan_id, treatment_plan_id, instalments: [], payments: [] }]);
    const [stored] = await listPlans(tx, { plans: [{ clinicId, id: payment_plan_id }] });
    const near = await findAppointmentNear(tx, clinicId, ids, paidAt);
    return { commission: near?.doctor_id ?? null, income: doctorOf(stored?.appointments ?? [], paidAt) };
  }

  let attributed = 0;
  await fc.assert(
    fc.asyncProperty(appointments, fc.constantFrom(0, 1, -1, HALF_HOUR / 2), async (given, shift) => {
      const paidAt = new Date(MONDAY.getTime() + shift);
      const rows = given.map(({ doctor: index, offset, ...one }) => ({
        ...one,
        doctor_id: doctors[index],
        starts_at: new Date(MONDAY.getTime() + offset * HALF_HOUR),
      }));
      await owner.query('delete from appointments where clinic_id = $1 and id <> $2', [clinicId, booked.id]);
      await owner.query(insert, [booked.id, JSON.stringify(rows)]);
      const { commission, income } = await asSystem(s.service.db, (tx) =>
        attribute(
          tx,
          given.map(({ id }) => id),
          paidAt,
        ),
      );
      expect(income).toBe(commission);
      if (commission !== null) attributed += 1;
    }),
    { numRuns: 150 },
  );
  expect(attributed).toBeGreaterThan(75);
});
