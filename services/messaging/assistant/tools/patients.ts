// Patients: who is called so, and what is known of one of them.
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { createClient } from '@connectrpc/connect';
import { z } from 'zod';
import { DENTAL } from '../permissions.ts';
import { person, phone, reference } from '../rules/tool-output.ts';
import { text } from './argument-schemas.ts';
import { patientNamed, patientReference } from './find-people.ts';
import { sayDebt, sayTreatment, tellDebt, tellTreatment } from './plans.ts';
import { in2, tool } from './tool.ts';
import { sayVisit, shownOf, tellVisit } from './appointments.ts';

const FOUND = 10;
const PLANS = 20;

export const findPatients = tool({
  name: 'find_patients',
  about: 'Patients by a name, the beginning of one, or digits of a phone.',
  needs: {},
  args: z.object({ search: text(200) }),
  async read(asking, { search }) {
    const client = createClient(PatientService, asking.app.neighbour('scheduling'));
    return client.listPatients({ search, page: 1, limit: FOUND }, asking.as);
  },
  tell: ({ patients, total }) => ({
    total,
    patients: patients.map((one) => ({
      ref: reference(patientReference(one)),
      name: person(one.fullName),
      phone: phone(one.phone),
      missed_visits: one.noShowCount,
    })),
  }),
  summary: ({ total }, language) => in2(language, `Pacientes encontrados: ${total}`, `Patients found: ${total}`),
  say({ patients, total }, language, cite) {
    if (total === 0) return in2(language, 'No hay ningún paciente con ese nombre.', 'There is no patient of that name.');
    const lines = patients.map((one) => `- ${one.fullName}${one.phone ? `, ${one.phone}` : ''} ${cite(patientReference(one))}`);
    return [in2(language, `Pacientes encontrados: ${total}`, `Patients found: ${total}`), ...lines].join('\n');
  },
});

export const patient = tool({
  name: 'patient',
  about: 'One patient: phone, visits to come, and, in dental clinics, treatment and payment plans.',
  needs: {},
  args: z.object({ patient: text(200).describe('Name or reference of a patient') }),
  async read(asking, { patient: named }) {
    const [scheduling, dental] = [asking.app.neighbour('scheduling'), asking.app.neighbour('dental')];
    const found = await patientNamed(asking, named);
    const of = { patientId: found.id, page: 1, limit: PLANS };
    const isDental = asking.may(DENTAL);
    const [upcoming, treatments, payments] = await Promise.all([
      found.reachablePhone
        ? createClient(LookupService, scheduling).listUpcomingAppointments({ phone: found.reachablePhone }, asking.as)
        : { appointments: [] },
      isDental ? createClient(TreatmentPlanService, dental).listTreatmentPlans(of, asking.as) : undefined,
      isDental ? createClient(PaymentPlanService, dental).listPaymentPlans(of, asking.as) : undefined,
    ]);
    // A guardian's phone reaches the whole family.
    const visits = upcoming.appointments.filter(({ patientId }) => patientId === found.id).map(shownOf);
    return { found, visits, treatments: treatments?.plans, payments: payments?.plans };
  },
  tell: ({ found, visits, treatments, payments }) => ({
    ref: reference(patientReference(found)),
    name: person(found.fullName),
    phone: phone(found.reachablePhone),
    archived: found.isArchived,
    visits_to_come: visits.map(tellVisit),
    treatment_plans: treatments?.map(tellTreatment),
    payment_plans: payments?.map(tellDebt),
  }),
  summary: ({ visits }, language) => in2(language, `Paciente: ${visits.length} citas próximas`, `Patient: ${visits.length} visits to come`),
  say({ found, visits, treatments = [], payments = [] }, language, cite) {
    const head = `${found.fullName}${found.reachablePhone ? `, ${found.reachablePhone}` : ''} ${cite(patientReference(found))}`;
    const none = in2(language, 'Sin citas próximas.', 'No visits to come.');
    return [
      head,
      ...(visits.length === 0 ? [none] : visits.map((visit) => sayVisit(visit, language, cite, true))),
      ...treatments.map((plan) => sayTreatment(plan, language, cite)),
      ...payments.map((plan) => sayDebt(plan, language, cite)),
    ].join('\n');
  },
});
