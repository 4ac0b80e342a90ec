// Appointments, their events, and the messages about them, on a running messaging service with a fake of scheduling.
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createSignal } from '@clinic/lib/background/signal.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import { AppointmentBookedSchema, AppointmentRescheduledSchema, AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type App, createClients } from '../app.ts';
import { createPhoneTextsReader } from '../bot/phone-texts.sql.ts';
import { createClinics } from '../clinics/clinics.ts';
import type { OutboundRow } from '../outbound/outbound.sql.ts';
import { prepareMessage } from '../outbound/prepare.ts';
import { onAppointmentChanged } from '../reminders/on-appointment-changed.ts';
import { prepares } from '../reminders/prepares.ts';
import { MONDAY, startBot } from './conversation-script.ts';
import { type Booked, startOf } from './fake-scheduling.ts';

/** The instant of a local time in San Salvador, YYYY-MM-DDTHH:MM. */
export const at = (local: string) => new Date(`${local}:00-06:00`);

// plain-words: visit is in the ids of buttons
export const buttonId = (action: string, id: string) => `visit|${action}|${id}`;

/** The state of an appointment as events carry it. */
export const stateOf = ({ id, revision, status, date, time, changedAt }: Booked) => ({
  appointmentId: id,
  revision,
  status,
  startsAt: timestampFromDate(startOf(date, time)),
  timezone: 'America/El_Salvador',
  changedAt: timestampFromDate(changedAt),
});

export async function startReminders() {
  const bot = await startBot();
  const { clock, dependencies } = bot;
  const clients = createClients((name) => dependencies[name as keyof typeof dependencies]);
  const app = {
    db: bot.service.db,
    clock,
    keys: testRing,
    log: createLog('test', 'silent'),
    ...clients,
    clinics: createClinics(clients.identity.access, clock),
    phoneTexts: createPhoneTextsReader(bot.service.db),
    toSend: createSignal(),
  } as unknown as App;

  const deliverTo = <M extends DescMessage>(consumer: Consumer, schema: M, clinicId: string, event: MessageInitShape<M>) =>
    deliver(bot.service.db, consumer, clinicId, create(schema, event));
  const consumerOf = (event: DescMessage) => onAppointmentChanged(app).find((consumer) => consumer.event === event) as Consumer;
  const publish = {
    booked: (appointment: Booked) =>
      deliverTo(consumerOf(AppointmentBookedSchema), AppointmentBookedSchema, appointment.clinicId, { appointment: stateOf(appointment) }),
    moved: (appointment: Booked, before: string, byChat = false, seriesPosition = 0) =>
      deliverTo(consumerOf(AppointmentRescheduledSchema), AppointmentRescheduledSchema, appointment.clinicId, {
        appointment: stateOf(appointment),
        previousStartsAt: timestampFromDate(at(before)),
        byChat,
        seriesPosition,
      }),
    status: (appointment: Booked, previousStatus: string, byChat = false, seriesPosition = 0) =>
      deliverTo(consumerOf(AppointmentStatusChangedSchema), AppointmentStatusChangedSchema, appointment.clinicId, {
        appointment: stateOf(appointment),
        previousStatus,
        byChat,
        seriesPosition,
      }),
  };

  return {
    bot,
    app,
    deliver: deliverTo,
    /** The consumer of an event of appointments. */
    consumerOf,
    /** Delivers an event of an appointment. */
    publish,
    /** Books an appointment of a new patient in a new clinic, without delivering an event. */
    async bookAppointment(date = '2026-06-03', time = '10:00') {
      const clinic = await bot.clinic();
      const phone = bot.phone();
      const doctor = bot.scheduling.doctors.find(({ clinicId }) => clinicId === clinic.id);
      const { id: patientId } = bot.scheduling.patient(clinic.id, phone, 'Rosa Díaz');
      const booked = bot.scheduling.book({ clinicId: clinic.id, doctorId: doctor?.id ?? '', patientId, date, time, source: 'manual' });
      return { clinic, phone, booked };
    },
    /** The reminders of an appointment: kind, state, and local due time. */
    async plansOf({ id }: Booked): Promise<unknown[]> {
      const rows = await bot.look('select kind, due_at, state from reminders where appointment_id = $1 order by kind', [id]);
      return rows.map(({ kind, due_at, state }) => [kind, state, due_at && new Date(due_at.getTime() - 6 * 3_600_000).toISOString().slice(0, 16)]);
    },
    /** The outbound messages of a clinic. */
    outOf: (clinicId: string, kind = 'appointment_reminder'): Promise<OutboundRow[]> =>
      bot.look('select * from outbound where clinic_id = $1 and kind = $2 order by seq', [clinicId, kind]),
    /** What an attempt to send the message would send. */
    prepared: async (queued: OutboundRow | undefined) =>
      prepareMessage(app, prepares, await app.clinics.get((queued as OutboundRow).clinic_id), queued as OutboundRow),
    reset() {
      bot.clock.set(MONDAY);
      bot.scheduling.state.unavailable = false;
    },
    stop: () => bot.stop(),
  };
}

export type Reminders = Awaited<ReturnType<typeof startReminders>>;
