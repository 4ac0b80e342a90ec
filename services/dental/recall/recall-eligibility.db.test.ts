// Eligible patients of random clinics, against a model of the specification.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Recall, startRecall } from '../testing/recall-clinic.ts';

let r: Recall;
const NIGHT = new Date('2026-06-02T08:00:00Z');
beforeAll(async () => {
  r = await startRecall();
  r.clock.set(NIGHT);
});
afterAll(() => r.stop());

const PROCEDURES = ['Limpieza dental', 'Obturación de resina', null];
const rarely = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true));
const mostly = rarely.map((value) => !value);
const someAppointment = fc.record({
  days: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: -40, max: -1 }) }, fc.integer({ min: 1, max: 20 })),
  status: fc.constantFrom('completed', 'completed', 'completed', 'completed', 'confirmed', 'cancelled', 'no_show', 'pending'),
  procedure: fc.constantFrom(...PROCEDURES),
  skipped: rarely,
});
const somePatient = fc.record({
  optedOut: rarely,
  hasPhone: mostly,
  archived: rarely,
  appointments: fc.array(someAppointment, { maxLength: 4 }),
  /** Earlier contacts of the campaign, from the current absence or an earlier one, sent or withdrawn. */
  contacts: fc.array(fc.record({ current: fc.boolean(), withdrawn: fc.boolean() }), { maxLength: 3 }),
});
const someCampaign = fc.record({
  procedure: fc.constantFrom('limpieza', 'RESINA', null),
  interval: fc.integer({ min: 1, max: 15 }),
  attempts: fc.integer({ min: 1, max: 3 }),
});

type Patient = typeof somePatient extends fc.Arbitrary<infer T> ? T : never;
type Campaign = typeof someCampaign extends fc.Arbitrary<infer T> ? T : never;

const counts = (campaign: Campaign) => (appointment: Patient['appointments'][number]) => {
  if (appointment.status !== 'completed') return false;
  return (
    campaign.procedure === null ||
    (!appointment.skipped && appointment.procedure !== null && appointment.procedure.toLowerCase().includes(campaign.procedure.toLowerCase()))
  );
};

/** Days from today to the last appointment that counts, or undefined. */
function lastAppointment(patient: Patient, campaign: Campaign): number | undefined {
  const days = patient.appointments.filter(counts(campaign)).map(({ days }) => days);
  return days.length > 0 ? Math.max(...days) : undefined;
}

function isEligible(patient: Patient, campaign: Campaign): boolean {
  const last = lastAppointment(patient, campaign);
  const longAgo = last !== undefined && last <= -campaign.interval;
  const future = patient.appointments.some(({ days, status }) => days > 0 && (status === 'confirmed' || status === 'pending'));
  const attempts = patient.contacts.filter(({ current, withdrawn }) => current && !withdrawn).length;
  return longAgo && !future && !patient.optedOut && patient.hasPhone && !patient.archived && attempts < campaign.attempts;
}

async function make(clinicId: string, patient: Patient, campaign: Campaign, campaignId: string): Promise<string> {
  const id = await r.patient(clinicId, { recallOptedOut: patient.optedOut, hasPhone: patient.hasPhone, isArchived: patient.archived });
  for (const appointment of patient.appointments) await addAppointment(clinicId, id, appointment);
  const last = lastAppointment(patient, campaign);
  for (const [index, { current, withdrawn }] of patient.contacts.entries()) {
    await r.query(
      `insert into recall_contacts (clinic_id, id, campaign_id, patient_id, day, last_visit, attempt, due_at, status, withdrawn, created_at, updated_at)
       values ($1, $2, $3, $4, date '2026-05-01' + $5::int, date '2026-06-02' + $6::int, 1, now(), 'sent', $7, now(), now())`,
      [clinicId, randomUUID(), campaignId, id, index, current && last !== undefined ? last : -500, withdrawn],
    );
  }
  return id;
}

async function addAppointment(clinicId: string, patientId: string, { days, status, procedure, skipped }: Patient['appointments'][number]): Promise<void> {
  const appointmentId = await r.appointment(clinicId, patientId, days, status);
  if (procedure !== null) await step(clinicId, patientId, appointmentId, procedure, skipped ? 'skipped' : 'completed');
}

async function step(clinicId: string, patientId: string, appointmentId: string, procedure: string, status: string): Promise<void> {
  const [plan, option] = [randomUUID(), randomUUID()];
  await r.query(`insert into treatment_plans (clinic_id, id, patient_id, title, created_at, updated_at) values ($1, $2, $3, 'Plan', now(), now())`, [
    clinicId,
    plan,
    patientId,
  ]);
  await r.query(`insert into treatment_options (clinic_id, treatment_plan_id, id, name, is_chosen, created_at) values ($1, $2, $3, 'A', true, now())`, [
    clinicId,
    plan,
    option,
  ]);
  await r.query(
    `insert into treatment_steps (clinic_id, id, treatment_plan_id, option_id, step_order, procedure, status, appointment_id, created_at, updated_at)
     values ($1, $2, $3, $4, 1, $5, $6, $7, now(), now())`,
    [clinicId, randomUUID(), plan, option, procedure, status, appointmentId],
  );
}

test('the list equals the model, and the run contacts the patients of the list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(somePatient, { minLength: 1, maxLength: 5 }), someCampaign, async (patients, campaign) => {
      const clinicId = randomUUID();
      const { id } = await r.campaign(clinicId, {
        recallIntervalDays: campaign.interval,
        maxAttempts: campaign.attempts,
        ...(campaign.procedure !== null && { procedureType: campaign.procedure }),
      });
      const expected: string[] = [];
      for (const patient of patients) {
        const patientId = await make(clinicId, patient, campaign, id);
        if (isEligible(patient, campaign)) expected.push(patientId);
      }
      expect(await r.eligible(clinicId, id)).toEqual(expected.sort());
      const before = await r.query('select id from recall_contacts where clinic_id = $1', [clinicId]);
      await r.run();
      const after = await r.query('select patient_id, id from recall_contacts where clinic_id = $1', [clinicId]);
      const queued = after.filter((contact) => !before.some((old) => old.id === contact.id)).map((contact) => contact.patient_id);
      expect(queued.sort()).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

describe('a message that was queued is sent, or withdrawn,', () => {
  const absent: Patient['appointments'][number] = { days: -200, status: 'completed', procedure: 'Limpieza dental', skipped: false };
  test.each<[string, Partial<Patient['appointments'][number]>, string | undefined, string | undefined]>([
    ['an appointment of the day before is completed', { days: -1 }, undefined, 'visited'],
    ['a past appointment is imported', { days: -30 }, undefined, 'visited'],
    ['an earlier appointment is imported', { days: -300 }, undefined, undefined],
    ['an appointment is missed', { days: -1, status: 'no_show' }, undefined, undefined],
    ['an appointment with the procedure is completed', { days: -1 }, 'limpieza', 'visited'],
    ['an appointment with another procedure is completed', { days: -1, procedure: 'Obturación' }, 'limpieza', undefined],
    ['the procedure is skipped', { days: -1, skipped: true }, 'limpieza', undefined],
  ])('when %s', async (_name, change, procedureType, reason) => {
    const clinicId = randomUUID();
    const { id } = await r.campaign(clinicId, { recallIntervalDays: 180, ...(procedureType && { procedureType }) });
    const patientId = await r.patient(clinicId);
    await addAppointment(clinicId, patientId, absent);
    await r.run();
    const [contact] = await r.contacts(clinicId, id);
    await addAppointment(clinicId, patientId, { ...absent, ...change });
    expect(await r.render(contact?.id ?? '')).toMatchObject(reason ? { send: false, reason } : { send: true });
    expect(await r.contacts(clinicId, id)).toMatchObject([reason ? { status: 'failed', failure: reason } : { status: 'queued' }]);
  });
});
