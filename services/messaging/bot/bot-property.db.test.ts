// Deliveries in any order, repeated and concurrent: each message is stored once and gets one reply.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type BotFixture, message, startBot } from '../testing/conversation-script.ts';

let bot: BotFixture;
beforeAll(async () => {
  bot = await startBot();
});
afterAll(() => bot.stop());

const TEXTS = ['hola', 'agendar', 'Rivas', 'mañana', '8:30', 'Rosa Díaz', 'sí', 'mis citas', 'cancelar', 'hello', 'asdf', 'menu', 'lista de espera'];

test('each message is stored once and gets one reply', async () => {
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
        const stored = await bot.look(`select id, provider_id from messages where clinic_id = $1 and direction = 'in' order by seq`, [clinic.id]);
        expect(stored.map((row) => row.provider_id).sort()).toEqual(messages.map(({ id }) => id).sort());
        const answers = await bot.look(`select answers from outbound where clinic_id = $1 and kind = 'bot'`, [clinic.id]);
        expect(answers.map((row) => row.answers).sort()).toEqual(stored.map((row) => row.id).sort());
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
