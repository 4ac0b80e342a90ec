import { expect, test } from '@jest/globals';
import { decodeSession, encodeSession, resumeSession, type StoredSession } from './session.ts';

const slot = { doctorId: 'd', doctorName: 'Dra. Rivas', date: '2026-06-02', time: '08:30' };

// These are stored in bot_sessions.state, so none of them may change.
test.each<StoredSession['step']>([
  { name: 'idle' },
  { name: 'idle', done: 'n' },
  { name: 'type', page: 1 },
  { name: 'doctor', page: 1 },
  { name: 'doctor', page: 1, typeId: 't' },
  { name: 'confirm', slot, typeId: 't', draftId: 'n', nonce: 'n', patientName: 'Rosa' },
  { name: 'day', doctorId: 'd', doctorName: 'Dra. Rivas', from: '2026-06-01' },
  { name: 'time', doctorId: 'd', doctorName: 'Dra. Rivas', date: '2026-06-02', page: 0, move: 'a' },
  { name: 'type', page: 0, wait: 'weeks' },
  { name: 'doctor', page: 0, typeId: 't', wait: '2026-06-02' },
  { name: 'day', doctorId: 'd', doctorName: 'Dra. Rivas', from: '2026-06-02', full: '2026-06-02' },
  { name: 'wait_whom', doctorId: 'd', doctorName: 'Dra. Rivas', wait: 'weeks', nonce: 'd/weeks' },
  { name: 'wait_name', doctorId: 'd', doctorName: 'Dra. Rivas', wait: '2026-06-02', typeId: 't', nonce: 'd/2026-06-02/t' },
  { name: 'whom', slot, draftId: 'n', nonce: 'n' },
  { name: 'name', slot, draftId: 'n', nonce: 'n' },
  { name: 'confirm', slot, draftId: 'n', nonce: 'n', patientName: 'Rosa', patientId: 'p', notes: 'Ana' },
  { name: 'confirm_move', slot, move: 'a', nonce: 'a/d/2026-06-02/08:30' },
  { name: 'visit', action: 'cancel' }, // plain-words: visit is stored
  { name: 'confirm_cancel', visitId: 'a' }, // plain-words: visit is stored
])('the stored step $name', (step) => {
  const stored: StoredSession = { language: 'en', optedOut: true, step };
  expect(JSON.parse(JSON.stringify(encodeSession(decodeSession(stored))))).toEqual(stored);
});

test('when the bot last did something is stored', () => {
  const stored: StoredSession = { language: 'es', optedOut: false, step: { name: 'idle' }, doneAt: '2026-06-01T15:00:00.000Z' };
  expect(JSON.parse(JSON.stringify(encodeSession(decodeSession(stored))))).toEqual(stored);
});

test('the steps that have other names in the first release', () => {
  const stepOf = (step: StoredSession['step']) => decodeSession({ language: 'es', optedOut: false, step }).step;
  expect(stepOf({ name: 'visit', action: 'move' })).toEqual({ name: 'appointment', action: 'move' }); // plain-words: visit is stored
  expect(stepOf({ name: 'confirm_cancel', visitId: 'a' })).toEqual({ name: 'confirm_cancel', appointmentId: 'a' }); // plain-words: visit is stored
});

test('a session expires after half an hour, except language and choice about recalls', () => {
  const stored: StoredSession = { language: 'en', optedOut: true, step: { name: 'doctor', page: 0 } };
  const after = (minutes: number) => resumeSession(stored, new Date(0), new Date(minutes * 60_000)).step.name;
  expect([after(29), after(30)]).toEqual(['doctor', 'idle']);
  expect(resumeSession(stored, new Date(0), new Date(86_400_000))).toEqual({ ...stored, step: { name: 'idle' } });
  expect(resumeSession(null, new Date(0), new Date(0))).toEqual({ language: 'es', optedOut: false, step: { name: 'idle' } });
});
