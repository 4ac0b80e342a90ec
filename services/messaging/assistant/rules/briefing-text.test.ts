import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Facts, hasOnlyKnownFigures, listAlerts, writeSummary } from './briefing-text.ts';

const few = fc.nat({ max: 60 });
const facts: fc.Arbitrary<Facts> = fc.record({
  date: fc.constantFrom('2026-11-21', '2026-11-25'),
  today: fc.constant('2026-11-21'),
  appointments: fc.record({ total: few, confirmed: few, pending: few, completed: few, no_show: few, cancelled: few }),
  doctors_working: few,
  first_start: fc.constantFrom(null, '07:30:00', '13:15:00'),
  last_end: fc.constantFrom(null, '12:00:00', '17:45:00'),
  gaps: fc.record({ count: few, minutes: fc.nat({ max: 3_000 }) }),
  waitlist: fc.option(fc.record({ total: few, suits_day: few })),
  chats_waiting: few,
  currency: fc.constantFrom('USD', 'GTQ'),
  overdue: fc.option(fc.record({ plans: few, amount: fc.nat({ max: 9_999_999 }).map((cents) => cents / 100) })),
  recalls_due: fc.option(few),
  yesterday: fc.record({ total: few, completed: few, no_show: few, cancelled: few, unmarked: few }),
});
const some: Facts = {
  date: '2026-11-21',
  today: '2026-11-21',
  appointments: { total: 12, confirmed: 9, pending: 3, completed: 0, no_show: 0, cancelled: 1 },
  doctors_working: 2,
  first_start: '08:00:00',
  last_end: '17:30:00',
  gaps: { count: 4, minutes: 150 },
  waitlist: null,
  chats_waiting: 0,
  currency: 'USD',
  overdue: { plans: 3, amount: 1250.5 },
  recalls_due: null,
  yesterday: { total: 10, completed: 8, no_show: 2, cancelled: 0, unmarked: 0 },
};

test('the summary of the rules has no figure that the day does not have, and is never empty', () => {
  fc.assert(
    fc.property(facts, (day) => {
      const text = writeSummary(day);
      expect(text).toMatch(/\w.*\.$/);
      expect(text).not.toMatch(/undefined|null|NaN|\.\./);
      expect(hasOnlyKnownFigures(day, text)).toBe(true);
    }),
  );
});

test.each([
  'Hoy, 21 de noviembre, hay 12 citas con 2 doctores, de 8:00 a 17:30, es decir hasta las 5:30.',
  'Quedan 2 horas y 30 minutos libres (150 minutos).',
  'Hay 3 planes vencidos por $1,250.50.',
  'Se deben $1.250,50, unos $1,251.',
  'Un día tranquilo.',
])('a summary of a model is accepted: %s', (text) => expect(hasOnlyKnownFigures(some, text)).toBe(true));

test.each(['Hoy hay 13 citas.', 'Se deben $1,520.50.', 'La primera cita es a las 9:40.', 'Hay 120 pacientes.'])('a summary of a model is refused: %s', (text) =>
  expect(hasOnlyKnownFigures(some, text)).toBe(false),
);

test('unknown figures are not mentioned', () => {
  expect(writeSummary(some)).not.toMatch(/espera|control/);
  expect(listAlerts(some, { appointmentsOnVacation: 0, channelFailed: false, daysLeft: null, unavailable: [] })).toEqual([]);
  expect(
    listAlerts(some, { appointmentsOnVacation: 0, channelFailed: false, daysLeft: 8, unavailable: ['recalls_due', 'waitlist'] }).map(({ code }) => code),
  ).toEqual(['not_read', 'not_read']);
});

test('amounts are in the currency of the clinic', () => {
  expect(writeSummary(some)).toContain('por $1,250.50 en total');
  expect(writeSummary({ ...some, currency: 'GTQ' })).toContain('por Q\u00a01,250.50 en total');
});

test('singular and plural in Spanish', () => {
  const quiet = { ...some, gaps: { count: 0, minutes: 0 }, overdue: null, yesterday: { ...some.yesterday, total: 0 } };
  expect(writeSummary({ ...quiet, chats_waiting: 3 })).toContain('3 chats esperan la respuesta de una persona.');
  expect(writeSummary({ ...quiet, chats_waiting: 1 })).toContain('1 chat espera la respuesta de una persona.');
  expect(writeSummary({ ...quiet, chats_waiting: 3 })).not.toContain('Hay 3 chats');
  expect(writeSummary({ ...quiet, waitlist: { total: 1, suits_day: 0 } })).toContain('Hay 1 persona en lista de espera; este día no le sirve a ninguna.');
  expect(writeSummary({ ...quiet, waitlist: { total: 4, suits_day: 2 } })).toContain('Hay 4 personas en lista de espera; este día les sirve a 2.');
  expect(writeSummary({ ...quiet, gaps: { count: 1, minutes: 60 } })).toContain('Queda 1 h libre en 1 hueco.');
  expect(writeSummary({ ...quiet, gaps: { count: 2, minutes: 61 } })).toContain('Quedan 1 h y 1 min libres en 2 huecos.');
});
