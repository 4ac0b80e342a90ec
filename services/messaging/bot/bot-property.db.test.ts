// Deliveries in any order, repeated and concurrent: each message is stored once and gets one reply, until the conversation is handed over.
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { message, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const TEXTS = ['hola', 'agendar', 'Rivas', 'mañana', '8:30', 'Rosa Díaz', 'sí', 'mis citas', 'cancelar', 'hello', 'asdf', 'menu', 'lista de espera'];

test('each message is stored once and gets one reply until the conversation is handed over', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ who: fc.nat(2), what: fc.constantFrom(...TEXTS) }), { minLength: 1, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      async (sent, choices) => {
        const clinic = await bot.clinic();
        const phones = [bot.phone(), bot.phone(), bot.phone()];
        const messages = sent.map(({ who, what }) => ({ id: `wamid.p.${randomUUID()}`, phone: phones[who] ?? '', what }));
        const deliveries = [...messages, ...messages, ...messages.slice(0, 3)]
          .map((one) => ({ one, place: choices.next().value as number }))
          .sort((a, b) => a.place - b.place);
        // In two waves: some messages are delivered again while the bot answers.
        const half = Math.ceil(deliveries.length / 2);
        for (const wave of [deliveries.slice(0, half), deliveries.slice(half)])
          await Promise.all(wave.map(({ one }) => bot.deliver(message(clinic.numberId, one.phone, { text: one.what }, one.id))));
        await bot.settled();
        const stored = await bot.look(
          `select m.id, m.provider_id, m.conversation_id, c.handover_reason from messages m join conversations c on c.id = m.conversation_id
           where m.clinic_id = $1 and m.direction = 'in' order by m.seq`,
          [clinic.id],
        );
        expect(stored.map((row) => row.provider_id).sort()).toEqual(messages.map(({ id }) => id).sort());
        const answered: string[] = (await bot.look(`select answers from outbound where clinic_id = $1 and kind = 'bot'`, [clinic.id])).map(
          (row) => row.answers,
        );
        expect(new Set(answered).size).toBe(answered.length);
        for (const received of Map.groupBy(stored, (row) => row.conversation_id).values()) {
          const replied = received.filter(({ id }) => answered.includes(id));
          // After two messages that it does not understand the bot offers a person: a "sí" then ends its replies.
          expect(replied).toEqual(received[0].handover_reason === 'person' ? received.slice(0, Math.max(1, replied.length)) : received);
        }
        const booked = bot.scheduling.booked.filter(({ clinicId, status }) => clinicId === clinic.id && status === 'confirmed');
        const slots = booked.map(({ doctorId, date, time }) => `${doctorId} ${date} ${time}`);
        expect(new Set(slots).size).toBe(slots.length);
        const entries = bot.scheduling.waiting.filter(({ clinicId }) => clinicId === clinic.id).map((one) => JSON.stringify(one));
        expect(new Set(entries).size).toBe(entries.length);
      },
    ),
    { numRuns: 12 },
  );
});
