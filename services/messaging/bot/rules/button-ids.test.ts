import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ButtonAction, decodeButtonId, encodeButtonId } from './button-ids.ts';

const [DOCTOR, APPOINTMENT, OTHER] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000003'];
const NONCE = `${APPOINTMENT}/${DOCTOR}/2026-06-02/08:30`;

// These ids are on phones, so none of them may change.
test.each<[string, ButtonAction]>([
  ['do_book', { kind: 'do_book' }],
  ['do_mine', { kind: 'do_mine' }],
  ['do_move', { kind: 'do_move' }],
  ['do_cancel', { kind: 'do_cancel' }],
  ['do_faq', { kind: 'do_faq' }],
  ['do_person', { kind: 'do_person' }],
  ['do_menu', { kind: 'do_menu' }],
  ['keep', { kind: 'keep' }],
  ['types|1', { kind: 'types', page: 1 }],
  [`type|${OTHER}`, { kind: 'type', typeId: OTHER }],
  [`doctor|${DOCTOR}|${OTHER}`, { kind: 'doctor', doctorId: DOCTOR, typeId: OTHER }],
  [`doctors|1|${OTHER}`, { kind: 'doctors', page: 1, typeId: OTHER }],
  [`day|${DOCTOR}|2026-06-02||${OTHER}`, { kind: 'day', doctorId: DOCTOR, date: '2026-06-02', typeId: OTHER }],
  [`times|${DOCTOR}|2026-06-02|0||${OTHER}`, { kind: 'times', doctorId: DOCTOR, date: '2026-06-02', page: 0, typeId: OTHER }],
  [`time|${DOCTOR}|2026-06-02|08:30||${OTHER}`, { kind: 'time', doctorId: DOCTOR, date: '2026-06-02', time: '08:30', typeId: OTHER }],
  ['doctors|1', { kind: 'doctors', page: 1 }],
  ['types|1|weeks', { kind: 'types', page: 1, wait: 'weeks' }],
  [`type|${OTHER}|2026-06-02`, { kind: 'type', typeId: OTHER, wait: '2026-06-02' }],
  ['doctors|1||weeks', { kind: 'doctors', page: 1, wait: 'weeks' }],
  [`doctors|1|${OTHER}|weeks`, { kind: 'doctors', page: 1, typeId: OTHER, wait: 'weeks' }],
  [`wait|${DOCTOR}|weeks`, { kind: 'wait', doctorId: DOCTOR, wait: 'weeks' }],
  [`wait|${DOCTOR}|2026-06-02|${OTHER}`, { kind: 'wait', doctorId: DOCTOR, wait: '2026-06-02', typeId: OTHER }],
  [`doctor|${DOCTOR}`, { kind: 'doctor', doctorId: DOCTOR }],
  [`days|${DOCTOR}|2026-06-02`, { kind: 'days', doctorId: DOCTOR, date: '2026-06-02' }],
  [`days|${DOCTOR}|2026-06-02|${APPOINTMENT}`, { kind: 'days', doctorId: DOCTOR, date: '2026-06-02', move: APPOINTMENT }],
  [`day|${DOCTOR}|2026-06-02`, { kind: 'day', doctorId: DOCTOR, date: '2026-06-02' }],
  [`day|${DOCTOR}|2026-06-02|${APPOINTMENT}`, { kind: 'day', doctorId: DOCTOR, date: '2026-06-02', move: APPOINTMENT }],
  [`times|${DOCTOR}|2026-06-02|0`, { kind: 'times', doctorId: DOCTOR, date: '2026-06-02', page: 0 }],
  [`times|${DOCTOR}|2026-06-02|2|${APPOINTMENT}`, { kind: 'times', doctorId: DOCTOR, date: '2026-06-02', page: 2, move: APPOINTMENT }],
  [`time|${DOCTOR}|2026-06-02|08:30`, { kind: 'time', doctorId: DOCTOR, date: '2026-06-02', time: '08:30' }],
  [`time|${DOCTOR}|2026-06-02|08:30|${APPOINTMENT}`, { kind: 'time', doctorId: DOCTOR, date: '2026-06-02', time: '08:30', move: APPOINTMENT }],
  [`yes|${NONCE}`, { kind: 'answer', answer: 'yes', nonce: NONCE }],
  [`no|${NONCE}`, { kind: 'answer', answer: 'no', nonce: NONCE }],
  [`other|${OTHER}`, { kind: 'answer', answer: 'other', nonce: OTHER }],
  [`name|${OTHER}`, { kind: 'answer', answer: 'name', nonce: OTHER }],
  [`whom|${DOCTOR}|${OTHER}`, { kind: 'whom', patientId: DOCTOR, nonce: OTHER }],
  [`visit|show|${APPOINTMENT}`, { kind: 'appointment', action: 'show', appointmentId: APPOINTMENT }], // plain-words: visit is stored
  [`visit|confirm|${APPOINTMENT}`, { kind: 'appointment', action: 'confirm', appointmentId: APPOINTMENT }], // plain-words: visit is stored
  [`visit|move|${APPOINTMENT}`, { kind: 'appointment', action: 'move', appointmentId: APPOINTMENT }], // plain-words: visit is stored
  [`visit|cancel|${APPOINTMENT}`, { kind: 'appointment', action: 'cancel', appointmentId: APPOINTMENT }], // plain-words: visit is stored
  [`visit|drop|${APPOINTMENT}`, { kind: 'appointment', action: 'drop', appointmentId: APPOINTMENT }], // plain-words: visit is stored
  [`faq|${OTHER}`, { kind: 'faq', faqId: OTHER }],
  [`offer|yes|${OTHER}|${DOCTOR}`, { kind: 'offer', accept: true, entryId: OTHER, offerId: DOCTOR }],
  [`offer|no|${OTHER}|${DOCTOR}`, { kind: 'offer', accept: false, entryId: OTHER, offerId: DOCTOR }],
])('%s', (id, action) => {
  expect(encodeButtonId(action)).toBe(id);
  expect(decodeButtonId(id)).toEqual(action);
});

test.each([
  '',
  'none',
  'marketing:stop',
  'visit|eat|1', // plain-words: visit is stored
  'offer|maybe|1|2',
  `day|${DOCTOR}|tomorrow`,
  `time|${DOCTOR}|2026-06-02|8`,
  `times|${DOCTOR}`,
  `wait|${DOCTOR}`,
])('%j, which no release has sent, is undefined', (id) => expect(decodeButtonId(id)).toBeUndefined());

test('decoding does not throw for any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('time', 'doctors', 'wait', 'weeks', 'yes', '2026-06-02', '|', '-1', 'x'), { maxLength: 8 }),
      (parts) => void decodeButtonId(parts.join('')),
    ),
  );
});
