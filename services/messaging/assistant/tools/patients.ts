// Tools about patients: a search by name or phone, and the data of one patient.
import { counted } from '@clinic/lib/formats/counted.ts';
import { z } from 'zod';
import { DENTAL } from '../permissions.ts';
import { freeText } from '../rules/tool-output.ts';
import { alertToText, inLanguage } from '../rules/wording.ts';
import { appointmentToModel, appointmentToText, toFoundAppointment } from './appointments.ts';
import { text } from './argument-schemas.ts';
import { findPatient, patientReference, patientToModel } from './find-people.ts';
import { paymentPlanToModel, paymentPlanToText, treatmentPlanToModel, treatmentPlanToText } from './plans.ts';
import { defineTool } from './tool.ts';

const MAX_PATIENTS = 10;
const MAX_PLANS = 20;

export const findPatients = defineTool({
  name: 'find_patients',
  description: 'Patients by a name, the beginning of one, or digits of a phone.',
  requires: {},
  args: z.object({ search: text(200) }),
  load: ({ app, asUser }, { search }) => app.scheduling.patients.listPatients({ search, page: 1, limit: MAX_PATIENTS }, asUser),
  toModel: ({ patients, total }) => ({
    total,
    patients: patients.map((one) => ({ ...patientToModel(one), missed_appointments: one.noShowCount })),
  }),
  summary: ({ total }, language) => inLanguage(language, `Pacientes encontrados: ${total}`, `Patients found: ${total}`),
  toText({ patients, total }, language, cite) {
    if (total === 0) return inLanguage(language, 'No encontré pacientes con ese nombre.', 'I found no patients of that name.');
    const lines = patients.map((one) => `- ${one.fullName}${one.phone ? `, ${one.phone}` : ''} ${cite(patientReference(one))}`);
    return [inLanguage(language, `Pacientes encontrados: ${total}`, `Patients found: ${total}`), ...lines].join('\n');
  },
});

export const patient = defineTool({
  name: 'patient',
  description: 'One patient: phone, medical alerts, upcoming appointments, and, in dental clinics, treatment and payment plans.',
  requires: {},
  args: z.object({ patient: text(200).describe('Name or reference of a patient') }),
  async load(context, { patient: name }) {
    const { app, asUser } = context;
    const found = await findPatient(context, name);
    const filter = { patientId: found.id, page: 1, limit: MAX_PLANS };
    const isDental = context.may(DENTAL);
    const [upcoming, treatments, payments] = await Promise.all([
      found.reachablePhone ? app.scheduling.lookup.listUpcomingAppointments({ phone: found.reachablePhone }, asUser) : { appointments: [] },
      isDental ? app.dental.treatmentPlans.listTreatmentPlans(filter, asUser) : undefined,
      isDental ? app.dental.paymentPlans.listPaymentPlans(filter, asUser) : undefined,
    ]);
    // The phone of a guardian also has the appointments of the family.
    const appointments = upcoming.appointments.filter(({ patientId }) => patientId === found.id).map(toFoundAppointment);
    return { found, appointments, treatments: treatments?.plans, payments: payments?.plans };
  },
  toModel: ({ found, appointments, treatments, payments }) => ({
    ...patientToModel({ ...found, phone: found.reachablePhone }),
    archived: found.isArchived,
    medical_alerts: found.alerts.map(({ kind, severity, text: words }) => ({ kind, severity, text: freeText(words) })),
    coming_appointments: appointments.map(appointmentToModel),
    treatment_plans: treatments?.map(treatmentPlanToModel),
    payment_plans: payments?.map(paymentPlanToModel),
  }),
  summary: ({ appointments: { length } }, language) =>
    inLanguage(
      language,
      `Paciente: ${counted(length, 'cita próxima', 'citas próximas')}`,
      `Patient: ${counted(length, 'upcoming appointment', 'upcoming appointments')}`,
    ),
  toText({ found, appointments, treatments = [], payments = [] }, language, cite, currency) {
    const head = `${found.fullName}${found.reachablePhone ? `, ${found.reachablePhone}` : ''} ${cite(patientReference(found))}`;
    const none = inLanguage(language, 'Sin citas próximas.', 'No upcoming appointments.');
    return [
      head,
      ...found.alerts.map((alert) => `- ${alertToText(alert, language)}`),
      ...(appointments.length === 0 ? [none] : appointments.map((appointment) => appointmentToText(appointment, language, cite, true))),
      ...treatments.map((plan) => treatmentPlanToText(plan, language, cite, currency)),
      ...payments.map((plan) => paymentPlanToText(plan, language, cite, currency)),
    ].join('\n');
  },
});
