// A clinic with recall for tests: events are delivered and jobs run by calls, and tables can be queried.
import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { asService } from '@clinic/lib/testing/callers.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { OutboundMessageUpdatedSchema, PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { AppointmentBookedSchema, AppointmentStatusChangedSchema, PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { v7 } from 'uuid';
import { onOutboundMessageUpdated } from '../recall/consumers/on-outbound-message-updated.ts';
import { onPatientReplied } from '../recall/consumers/on-patient-replied.ts';
import { onAppointmentBooked, onAppointmentStatusChanged } from '../recall/consumers/project-appointments.ts';
import { onPatientUpdated } from '../recall/consumers/project-patients.ts';
import { runCampaigns } from '../recall/queue-contacts.ts';
import { releaseContacts } from '../recall/release-contacts.ts';
import { startDental } from './dental-service.ts';

export async function startRecall() {
  const s = await startDental();
  const { app, recall, asUser } = s;
  const query = async (text: string, values: unknown[] = []) => (await s.owner.query(text, values)).rows;

  const deliverTo = <M extends DescMessage>(consumer: Consumer, schema: M, clinicId: string, event: MessageInitShape<M>) =>
    deliver(s.service.db, consumer, clinicId, create(schema, event));

  let revision = 0;
  /** A patient in recall's projection. */
  async function patient(clinicId: string, state: { recallOptedOut?: boolean; hasPhone?: boolean; isArchived?: boolean } = {}, fullName = 'Rosa Díaz') {
    const { id } = s.patient(clinicId, { fullName });
    await updatePatient(clinicId, id, state);
    return id;
  }
  const updatePatient = (clinicId: string, patientId: string, state: object = {}) =>
    deliverTo(onPatientUpdated(app), PatientUpdatedSchema, clinicId, {
      patientId,
      patient: { patientId, hasPhone: true, revision: ++revision, ...state },
    });
  /** An appointment some days from the clock's date; in the past it is completed. */
  async function appointment(clinicId: string, patientId: string, days: number, status = days < 0 ? 'completed' : 'confirmed', appointmentId = v7()) {
    const startsAt = new Date(s.clock.now().getTime() + days * 86_400_000);
    const state = {
      appointmentId,
      patientId,
      doctorId: randomUUID(),
      appointmentDate: startsAt.toISOString().slice(0, 10),
      startsAt: timestampFromDate(startsAt),
      status,
      revision: ++revision,
    };
    if (status === 'confirmed') await deliverTo(onAppointmentBooked(app), AppointmentBookedSchema, clinicId, { appointment: state });
    else await deliverTo(onAppointmentStatusChanged(app), AppointmentStatusChangedSchema, clinicId, { appointment: state });
    return appointmentId;
  }
  const campaign = (clinicId: string, given: object = {}) =>
    recall.createRecallCampaign({ name: 'Limpieza', messageTemplate: 'Hola {nombre}, le saluda {clinica}', ...given }, asUser(clinicId));
  const eligible = async (clinicId: string, id: string) =>
    (await recall.listRecallEligible({ id, limit: 500 }, asUser(clinicId))).patients.map(({ patientId }) => patientId).sort();
  const contacts = async (clinicId: string, id: string) => (await recall.listRecallContacts({ id, limit: 100 }, asUser(clinicId))).contacts;

  return {
    ...s,
    query,
    deliver: deliverTo,
    patient,
    updatePatient,
    appointment,
    campaign,
    eligible,
    contacts,
    run: () => runCampaigns(app),
    release: () => releaseContacts(app),
    render: (contactId: string) => recall.renderRecallMessage({ contactId }, asService('messaging')),
    message: (clinicId: string, reference: string, status: string, at = s.clock.now(), failure = '') =>
      deliverTo(onOutboundMessageUpdated(app), OutboundMessageUpdatedSchema, clinicId, {
        reference,
        kind: 'recall',
        status,
        at: timestampFromDate(at),
        failure,
      }),
    reply: (clinicId: string, reference: string, optedOut = false, at = s.clock.now()) =>
      deliverTo(onPatientReplied(app), PatientRepliedSchema, clinicId, { reference, kind: 'recall', at: timestampFromDate(at), optedOut }),
  };
}

export type Recall = Awaited<ReturnType<typeof startRecall>>;
