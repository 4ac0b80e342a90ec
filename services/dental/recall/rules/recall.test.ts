// Templates and the states of a contact.
import { orders } from '@clinic/lib/testing/orders.ts';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyMessageEvent, type ContactState, type MessageEvent } from './contact-state.ts';
import { reasonNotToSend, templateValues } from './recall-message.ts';
import { render, unknownVariable, VARIABLES } from './template.ts';

describe('templates', () => {
  const values = { nombre: '{clinica}', clinica: '$& $1', procedimiento: 'limpieza', ultima_visita: 'ayer' };
  test('values are inserted literally and not replaced again', () => {
    expect(render('{nombre}/{clinica}/{nombre}', values)).toBe('{clinica}/$& $1/{clinica}');
  });
  test('text without other braces is valid, and an unknown variable or single brace is not', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/[{}]/.test(text)),
        fc.constantFrom(...VARIABLES),
        (text, name) => unknownVariable(`${text}{${name}}${text}`) === undefined,
      ),
    );
    fc.assert(fc.property(fc.string(), fc.constantFrom('{', '}', '{x}', '{}', '{Nombre}'), (text, brace) => unknownVariable(`${text}${brace}`) !== undefined));
    expect(unknownVariable('Hola {nombre}, le toca su {tratamiento}')).toBe('{tratamiento}');
  });
  test('a message contains the first name and a date in Spanish', () => {
    expect(
      templateValues({ fullName: ' Rosa  Elena Díaz', clinic: 'Sonrisas', procedureType: null, procedureName: null, lastAppointment: '2026-01-05' }),
    ).toEqual({
      nombre: 'Rosa',
      clinica: 'Sonrisas',
      procedimiento: 'consulta',
      ultima_visita: '5 de enero de 2026',
    });
  });
});

test.each([
  ['limpieza', null, 'limpieza'],
  ['cleaning', null, 'limpieza dental'],
  ['cleaning', 'Profilaxis', 'profilaxis'],
  ['x-ray', 'RX panorámica', 'RX panorámica'],
])('the procedure %s, named %s by the clinic, is %s in a message', (procedureType, procedureName, expected) => {
  const message = { fullName: 'Rosa', clinic: 'Sonrisas', lastAppointment: '2026-01-05' };
  expect(templateValues({ ...message, procedureType, procedureName }).procedimiento).toBe(expected);
});

const QUEUED: ContactState = {
  status: 'queued',
  failure: null,
  failed_at: null,
  sent_at: null,
  last_sent_at: null,
  delivered_at: null,
  read_at: null,
  responded_at: null,
};
const someEvent = fc.record({
  status: fc.constantFrom('sent', 'delivered', 'read', 'responded', 'failed', 'opted_out'),
  at: fc.date({ min: new Date('2026-01-01'), max: new Date('2026-02-01'), noInvalidDate: true }),
}) as fc.Arbitrary<MessageEvent>;

describe('a contact', () => {
  test('has the same state in every order of events', () => {
    fc.assert(
      fc.property(
        fc.array(someEvent, { maxLength: 6 }).chain((events) => fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }))),
        ([events, shuffled]) => {
          expect(shuffled.reduce(applyMessageEvent, QUEUED)).toEqual(events.reduce(applyMessageEvent, QUEUED));
          expect([...events, ...events].reduce(applyMessageEvent, QUEUED)).toEqual(events.reduce(applyMessageEvent, QUEUED));
        },
      ),
    );
  });
  test('that failed and was sent again is sent, in every order of events', () => {
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    const events: MessageEvent[] = [
      { status: 'sent', at: at(1) },
      { status: 'failed', at: at(2), failure: '131026' },
      { status: 'sent', at: at(3) },
    ];
    for (const order of orders(events)) expect(order.reduce(applyMessageEvent, QUEUED)).toMatchObject({ status: 'sent', failure: null, sent_at: at(1) });
  });
  test('fails only before delivery, and a delivery overrides a failure', () => {
    const at = new Date('2026-01-05');
    const failed = applyMessageEvent(QUEUED, { status: 'failed', at, failure: '131026' });
    expect(failed).toMatchObject({ status: 'failed', failure: '131026', sent_at: null });
    const arrived = applyMessageEvent(failed, { status: 'delivered', at });
    expect(arrived).toMatchObject({ status: 'delivered', failure: null, sent_at: at });
    expect(applyMessageEvent(arrived, { status: 'failed', at })).toBe(arrived);
  });
});

test('any single reason is enough not to send a message', () => {
  const waiting = { status: 'queued', failure: null, withdrawn: false, visited: false, booked: false };
  const patient = { recallOptedOut: false, isArchived: false, reachablePhone: '+50370000001' };
  expect(reasonNotToSend(waiting, patient)).toBeUndefined();
  expect(reasonNotToSend({ ...waiting, visited: true }, patient)).toBe('visited');
  expect(reasonNotToSend({ ...waiting, booked: true }, patient)).toBe('visit_booked'); // plain-words: visit stored reason
  expect(reasonNotToSend(waiting, { ...patient, isArchived: true })).toBe('archived');
  expect(reasonNotToSend(waiting, { recallOptedOut: false, isArchived: false })).toBe('no_phone');
  expect(reasonNotToSend(waiting, { ...patient, recallOptedOut: true })).toBe('opted_out');
});
