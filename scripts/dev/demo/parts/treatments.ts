// Prices, and treatment plans in every state, with their quotes.
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { type TreatmentPlanDetail, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { Patient } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { CENTS, COURSES, TITLES, TREATMENTS } from '../data/money.ts';
import type { Demo } from '../demo.ts';
import { somePatients } from '../patients.ts';
import { drawnSignature } from '../pictures.ts';

export async function treatments(demo: Demo): Promise<void> {
  const prices = Object.entries(CENTS).map(([code, price]) => ({ code, price: BigInt(price) }));
  await demo.client(PriceService, 'dental').replacePrices({ prices }, demo.admin());
  for (const [index, patient] of (await somePatients(demo, TREATMENTS)).entries()) await treat(demo, patient, index);
}

/** Creates a plan from the patient's chart. A patient whose treatment has begun has accepted the quote. */
async function treat(demo: Demo, { id: patientId, fullName: name }: Patient, index: number): Promise<void> {
  const plans = demo.client(TreatmentPlanService, 'dental');
  const { done, status } = COURSES[index % COURSES.length] ?? {};
  const title = TITLES[index % TITLES.length] ?? '';
  const plan = await plans.generateTreatmentPlan({ patientId, title }, demo.admin(`plan-${index}`));
  await plans.createQuote({ id: plan.id }, demo.admin(`quote-${index}`));
  if (done) await plans.acceptQuote({ id: plan.id, name, signature: await drawnSignature() }, demo.admin(`acceptance-${index}`));
  if (done) await doSteps(demo, plan, done);
  if (status) await plans.updateTreatmentPlan({ id: plan.id, status }, demo.admin());
}

/** Completes the first step in the patient's last completed appointment. */
async function doSteps(demo: Demo, { patientId, steps }: TreatmentPlanDetail, done: 'first' | 'all'): Promise<void> {
  const plans = demo.client(TreatmentPlanService, 'dental');
  const filter = { patientId, status: 'completed', page: 1, limit: 1 };
  const [appointment] = (await demo.client(AppointmentService, 'scheduling').listAppointments(filter, demo.admin())).appointments;
  const [first, ...others] = steps;
  if (first) await plans.updateTreatmentStep({ id: first.id, ...(appointment ? { appointmentId: appointment.id } : { status: 'completed' }) }, demo.admin());
  if (done === 'all') for (const { id } of others) await plans.updateTreatmentStep({ id, status: 'completed' }, demo.admin());
}
