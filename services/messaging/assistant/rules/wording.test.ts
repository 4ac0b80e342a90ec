import { expect, test } from '@jest/globals';
import { appointments } from '../tools/appointments.ts';
import { freeSlots } from '../tools/free-slots.ts';
import { patient } from '../tools/patients.ts';
import { payments, treatmentPlans } from '../tools/plans.ts';
import { waitingChats } from '../tools/waiting-chats.ts';
import { waitlist } from '../tools/waitlist.ts';
import { atTime, sentence } from './wording.ts';

test.each([
  ['01:00', 'a la 1:00 a. m.'],
  ['13:30', 'a la 1:30 p. m.'],
  ['10:00', 'a las 10:00 a. m.'],
  ['11:15:00', 'a las 11:15 a. m.'],
])('%s is %s', (time, text) => expect(atTime(time, 'es')).toBe(text));

test('one full stop at the end', () => {
  expect(sentence(`Agendar ${atTime('10:00', 'es')}`)).toBe('Agendar a las 10:00 a. m.');
  expect(sentence(`Book ${atTime('10:00', 'en')}`)).toBe('Book at 10:00 AM.');
});

test('the summary of a patient counts one and several appointments in the same words', () => {
  const summaries = [[{}], [{}, {}]].map((appointments) => patient.summary({ appointments } as never, 'en'));
  expect(summaries).toEqual(['Patient: 1 upcoming appointment', 'Patient: 2 upcoming appointments']);
});

const plan = { id: '1', patientId: '2', title: 'Corona', description: 'Corona', status: 'active', estimatedTotal: 0n, totalAmount: 0n, amountPaid: 0n };
const plans = { plans: [plan], total: 3, names: new Map() };
const slots = { id: '1', fullName: 'Dra. Rivas', date: '2026-11-23', starts: [] };
test.each([
  [appointments, { from: '2026-11-01', to: '2026-11-30', total: 3, appointments: [{ id: '1', date: '2026-11-02', startTime: '09:00', status: 'confirmed' }] }],
  [waitingChats, { total: 3, conversations: [{ phone: '+50370001111', unreadCount: 1 }] }],
  [waitlist, { total: 3, entries: [{ dateFrom: '2026-11-01', dateTo: '2026-11-02' }] }],
  [treatmentPlans, plans],
  [payments, { ...plans, sums: { totalCollected: 0n, totalPending: 0n, activeCount: 3, overdueCount: 0 } }],
  [freeSlots, { found: [slots], otherDoctors: 2 }],
])('an answer that lists only a part of what there is says how many more there are', (tool, found) => {
  expect(tool.toText(found as never, 'es', () => '', 'USD')).toMatch(/(?:\n- y 2 más|\nHay 2 doctores más: pregunte por su nombre\.)$/);
});
