// Whatever a patient writes, a turn ends, and its reply is within the limits of the provider.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Outgoing } from '../../outbound/outgoing-content-rules.ts';
import { encodeButtonId } from './button-ids.ts';
import type { Effects, Facts, Input, Session } from './session.ts';
import { takeTurn } from './take-turn.ts';
import { textsIn } from './texts.ts';

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const WORDS =
  `hola quiero una cita sita limpieza consulta con Rivas Paz para mi hijo Carlos soy Ana el la otra lunes viernes mañana ayer pasado hoy 31 de febrero
  junio a las alas 9 10 12 y media cuarto noche tarde mañana no sí mejor cancelar cambiar mis citas cuánto cuesta dónde están ubicados precio gracias menu
  x baja alta otro doctor me duele , ? 15/06 1 2 cualquiera lista espera`.split(/\s+/);
const DOCTORS = ['Dra. Ana Rivas', 'Dr. Luis Paz'].map((name, n) => ({ id: id(n), name, specialty: '' }));

type World = { types: number; booked: number; family: number; free: number };
const worlds = fc.record<World>({ types: fc.nat(2), booked: fc.nat(2), family: fc.nat(2), free: fc.constantFrom(0, 3, 12) });

function resultsOf({ types, booked, family, free }: World): { [K in keyof Effects]: Effects[K]['result'] } {
  const appointments = Array.from({ length: booked }, (_, n) => ({
    ...{ id: id(10 + n), doctorId: id(0), doctorName: 'Dra. Ana Rivas', patientName: 'Rosa' },
    ...{ date: `2026-06-1${n}`, time: '09:00', status: 'confirmed' },
  }));
  return {
    doctors: DOCTORS,
    types: Array.from({ length: types }, (_, n) => ({ id: id(20 + n), name: ['Limpieza', 'Primera consulta'][n] ?? '', minutes: 30, doctorIds: [] })),
    days: Array.from({ length: free }, (_, n) => ({ date: `2026-06-${String(n + 2).padStart(2, '0')}`, free: 3 })),
    times: Array.from({ length: free }, (_, n) => `${String(n + 8).padStart(2, '0')}:00`),
    workingHours: free === 3 ? [] : [{ from: '08:00', to: '17:00' }],
    clinic: { phone: '+50322221234', address: 'San Salvador', hours: [] },
    offered: undefined,
    appointments,
    family: Array.from({ length: family }, (_, n) => ({ id: id(30 + n), name: ['Rosa Díaz', 'Carlos Díaz'][n] ?? '' })),
    faqs: [{ id: id(40), question: '¿Cuánto cuesta?', answer: 'Depende. '.repeat(200), keywords: ['cuesta', 'precio'], created_at: new Date(0) }],
    openQuestion: undefined,
    hold: free === 12 ? { ok: true, draftId: id(50) } : { ok: false, reason: 'SLOT_TAKEN' },
    drop: { ok: true },
    confirm: { ok: true },
    book: { ok: true },
    move: { ok: true },
    join: { ok: true },
    status: { ok: true },
    offer: { ok: false, reason: 'OFFER_NOT_OPEN' },
    recall: { ok: true },
  };
}

function checkReply({ text = '', choices = [], listButton }: Outgoing): void {
  expect(text.trim()).not.toBe('');
  expect(text.length).toBeLessThanOrEqual(choices.length > 0 ? 1024 : 4096);
  expect(choices.length).toBeLessThanOrEqual(listButton ? 10 : 3);
  for (const { title, description = '' } of choices) {
    expect(title.length).toBeLessThanOrEqual(listButton ? 24 : 20);
    expect(description.length).toBeLessThanOrEqual(72);
  }
  expect(new Set(choices.map((choice) => choice.id)).size).toBe(choices.length);
}

const NOW = new Date('2026-06-01T15:00:00Z');
const FACTS: Facts = {
  ...{ now: NOW, sentAt: NOW, zone: 'America/El_Salvador', patientName: null, profileName: 'Lucía' },
  sayIn: (language) => textsIn(language, 'Sonrisa'),
};

test.each([24, 72])('a question of the clinic with an emoji across position %i is listed in text that PostgreSQL can store', (position) => {
  const faq = { id: id(40), question: `${'¿'.repeat(position - 1)}😀${'?'.repeat(80)}`, answer: 'Sí', keywords: [], created_at: new Date(0) };
  const turn = takeTurn(
    { language: 'es', optedOut: false, step: { name: 'idle' } },
    { kind: 'choice', text: '', choice: encodeButtonId({ kind: 'do_faq' }) },
    FACTS,
  );
  let next = turn.next();
  while (!next.done) next = turn.next([faq]);
  const texts = next.value.reply?.choices?.flatMap(({ title, description = '' }) => [title, description]) ?? [];
  expect([texts.length, texts.filter((text) => !text.isWellFormed())]).toEqual([2, []]);
});

test('a preference that is neither a stop nor a start changes nothing, and gets no reply', () => {
  const session: Session = { language: 'es', optedOut: true, step: { name: 'idle' } };
  const turn = takeTurn(session, { kind: 'preference', text: 'paused', choice: 'marketing:paused' }, FACTS);
  expect(turn.next()).toEqual({ done: true, value: { session } });
});

test.each([
  [false, '¡Con mucho gusto!'],
  [true, '¿Con quién desea su cita?'],
])('an acknowledgement after a booking answers an older question only in a message that quotes it: %s', (isQuoted, reply) => {
  const results = { ...resultsOf({ types: 0, booked: 0, family: 0, free: 3 }), openQuestion: { kind: 'recall', askedAt: new Date(0), isQuoted } };
  const session: Session = { language: 'es', optedOut: false, step: { name: 'idle' }, doneAt: NOW.toISOString() };
  const turn = takeTurn(session, { kind: 'text', text: 'ok', choice: '' }, FACTS);
  let next = turn.next();
  while (!next.done) next = turn.next(results[next.value.kind]);
  expect(next.value.reply?.text).toBe(reply);
});

test('whatever a patient writes or presses, a turn ends with a reply within the limits', () => {
  const said = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 9 }).map((words) => words.join(' '));
  const steps = fc.array(fc.oneof({ weight: 3, arbitrary: said }, { weight: 1, arbitrary: fc.nat(9) }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(worlds, steps, (world, conversation) => {
      const facts: Facts = { ...FACTS, patientName: world.family > 0 ? 'Rosa Díaz' : null };
      const results = resultsOf(world);
      let session: Session = { language: 'es', optedOut: false, step: { name: 'idle' } };
      let offered: string[] = [];
      for (const one of conversation) {
        const choice = typeof one === 'number' ? offered[one % Math.max(1, offered.length)] : undefined;
        const input: Input = choice === undefined ? { kind: 'text', text: String(one), choice: '' } : { kind: 'choice', text: '', choice };
        const turn = takeTurn(session, input, facts);
        let next = turn.next();
        while (!next.done) next = turn.next(next.value.kind === 'days' && next.value.month !== '2026-06' ? [] : results[next.value.kind]);
        const { reply } = next.value;
        if (reply) checkReply(reply);
        else expect(next.value.session.optedOut).toBe(true);
        session = next.value.session;
        offered = reply?.choices?.map((one) => one.id) ?? [];
        expect(['past', 'impossible']).not.toContain(session.wish?.day?.kind);
      }
    }),
    { numRuns: 60 },
  );
});
