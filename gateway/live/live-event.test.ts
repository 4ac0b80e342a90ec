import { EVENT_ID_HEADER } from '@clinic/lib/events/published-stream.ts';
import { expect, test } from '@jest/globals';
import { headers } from 'nats';
import { LIVE_EVENTS, toLiveEvent, toText } from './live-event.ts';

const ID = '0198a3f2-7c1e-7d4b-9a53-000000000001';
const CLINIC = '0198a3f2-7c1e-7d4b-9a53-000000000002';

function received(event: string, payload: object = {}) {
  const withId = headers();
  withId.set(EVENT_ID_HEADER, ID);
  return toLiveEvent(`clinic.${CLINIC}.${event}`, withId, JSON.stringify(payload));
}

test('a public event is sent under its name, with all fields and keys in snake_case', () => {
  const event = received('messaging.conversation-updated', { conversationId: '1', mode: 'bot', fieldOfANewerRelease: 1 });
  expect(event?.clinicId).toBe(CLINIC);
  expect(event && toText(event)).toBe(
    `id: ${ID}\nevent: conversation_updated\ndata: {"conversation_id":"1","patient_id":"","mode":"bot","unread_count":0,"change":"","revision":0,"handover_reason":""}\n\n`,
  );
  expect(received('scheduling.appointment-booked', { appointment: { appointmentId: '1' } })?.data).toMatchObject({ appointment: { appointment_id: '1' } });
});

test('an event that is not listed is not sent, whatever its name and producer', () => {
  for (const event of ['scheduling.patient-updated', 'scheduling.appointment-annotated', 'messaging.message-received', 'dental.appointment-booked'])
    expect(received(event)).toBeUndefined();
});

test('the names of the public events are unchanged', () => {
  expect(LIVE_EVENTS.map(({ name }) => name).toSorted()).toEqual([
    'appointment_booked',
    'appointment_checked_in',
    'appointment_reassigned',
    'appointment_rescheduled',
    'appointment_status_changed',
    'appointments_updated',
    'conversation_updated',
    'outbound_message_updated',
    'subscription_expiring',
    'waitlist_entry_updated',
    'waitlist_offer_closed',
    'waitlist_offered',
  ]);
});
