import { expect, test } from '@jest/globals';
import { formatHours } from './about-clinic.ts';
import type { ClinicFacts, Facts, Session, TurnResult } from './session.ts';
import { takeTurn } from './take-turn.ts';
import { textsIn } from './texts.ts';

const HOURS = [...[1, 2, 3, 4, 5].map((weekday) => ({ weekday, from: '08:00', to: '17:00' })), { weekday: 6, from: '08:00', to: '12:00' }];
const ENTERED: ClinicFacts = { phone: '2222-1234', address: 'Calle 1, San Salvador', hours: HOURS };
const NOTHING: ClinicFacts = { phone: null, address: null, hours: [] };

/** The bot's answer to a message without a current question, of a clinic without FAQ. */
function answer(text: string, clinic: ClinicFacts): TurnResult {
  const known: Record<string, unknown> = { clinic, faqs: [], appointments: [], openQuestion: undefined };
  const now = new Date('2026-06-01T15:00:00Z');
  const facts: Facts = {
    now,
    sentAt: now,
    zone: 'America/El_Salvador',
    patientName: null,
    profileName: null,
    sayIn: (language) => textsIn(language, 'Sonrisa'),
  };
  const session: Session = { language: 'es', optedOut: false, step: { name: 'idle' } };
  const turn = takeTurn(session, { kind: 'text', text, choice: '' }, facts);
  let next = turn.next();
  while (!next.done) next = turn.next(known[next.value.kind]);
  return next.value;
}

test('runs of weekdays with the same hours share a line', () => {
  expect(formatHours(HOURS, 'es')).toBe('lunes a viernes: 8:00 a. m. – 5:00 p. m.\nsábado: 8:00 a. m. – 12:00 p. m.');
  expect(formatHours(HOURS, 'en')).toBe('Monday to Friday: 8:00 AM – 5:00 PM\nSaturday: 8:00 AM – 12:00 PM');
});

test.each([
  ['que horario tienen?', 'lunes a viernes: 8:00 a. m. – 5:00 p. m.'],
  ['a que hora abren', 'lunes a viernes'],
  ['¿trabajan los sábados?', 'lunes a viernes'],
  ['dirección?', 'Calle 1, San Salvador'],
  ['cual es el numero de telefono', '2222-1234'],
])('%s is answered from what the clinic has entered', (text, expected) => {
  expect(answer(text, ENTERED).reply?.text).toContain(expected);
  const { reply, handOver } = answer(text, NOTHING);
  expect([reply?.text, reply?.choices?.[0]?.title, handOver]).toEqual([expect.stringContaining('No tengo esa información'), 'Hablar con alguien', undefined]);
});

test.each(['when do you open?', 'what are your office hours?'])('%s is answered in English', (text) =>
  expect(answer(text, ENTERED).reply?.text).toContain('Monday to Friday: 8:00 AM'),
);

test.each(['tengo una emergencia', 'es urgente', 'me sangra mucho donde me sacaron la muela ayer', 'tengo la cara inflamada y fiebre'])(
  '%s: the reply has the phone of the clinic and hands over',
  (text) => {
    const { reply, handOver } = answer(text, ENTERED);
    expect([handOver, reply?.text]).toEqual([
      'emergency',
      expect.stringContaining('También puede llamar al 2222-1234.\n\nSi es grave, vaya al hospital más cercano.'),
    ]);
    expect(answer(text, NOTHING).reply?.text).not.toContain('llamar');
  },
);
