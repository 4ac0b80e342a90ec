// Messaging is killed at each step of answering patients' messages: every message is still answered once, and those of one phone in their
// order.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../scripts/until.ts';
import { apiAt, expectStatus } from '../api.ts';
import { freshPhone, newClinic } from '../clinic.ts';
import type { OwnProduct } from '../own-product.ts';
import { type PatientPhone, patientPhone } from '../setup/patient-phone.ts';
import { disturb } from './disturb.ts';

const WORDS = ['alfa', 'beta', 'gama'];
const ANSWERS = WORDS.map((word) => `Respuesta ${word}`);
const ANSWERED_MS = 60_000;

/** `simulator`: the address of the simulated provider. */
export const testChatKills = (started: () => { product: OwnProduct; simulator: string }) =>
  describe('every message is answered once and in order although messaging is killed', () => {
    let steps: ReturnType<typeof disturb>;
    let newPatient: () => PatientPhone;

    beforeAll(async () => {
      const { product, simulator } = started();
      steps = disturb(product);
      const api = apiAt(product.api, { once: true });
      const clinic = await newClinic(api);
      const number = freshPhone();
      await expectStatus(200, api.post('/api/chat/start', { phone: number, otpMethod: 'sms', wabaId: 'waba-kills', accessToken: 'EAAGkills-token' }, clinic));
      await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic));
      for (const [index, word] of WORDS.entries())
        await expectStatus(201, api.post('/api/faq', { category: 'general', question: word, answer: ANSWERS[index], keywords: [word] }, clinic));
      newPatient = () => patientPhone(simulator, `999${number.slice(1)}`, freshPhone());
      await newPatient().say('alfa');
    });

    const answersOf = async (patient: PatientPhone) => (await patient.messages()).map(({ text }) => text);
    async function writeAll(patients: PatientPhone[]): Promise<void> {
      for (const word of WORDS) await Promise.all(patients.map((patient) => patient.write(word)));
    }
    async function expectAnswers(patients: PatientPhone[]): Promise<void> {
      for (const patient of patients) {
        await until(async () => (await answersOf(patient)).length >= WORDS.length, ANSWERED_MS, 250);
        expect(await answersOf(patient)).toEqual(ANSWERS);
      }
    }

    test.each([
      ['while it stores the messages', 'messaging', 'lock table messaging.messages in share mode'],
      ['while it waits for scheduling', 'scheduling', 'lock table scheduling.patients in access exclusive mode'],
      ['while it stores an answer', 'messaging', 'lock table messaging.bot_sessions in share mode'],
      ['while it claims a turn', 'messaging', 'lock table messaging.turns in share mode'],
    ])('%s', async (_when, blocked, statement) => {
      const { hold, untilBlocked, kill } = steps;
      const patients = [newPatient(), newPatient(), newPatient()];
      const held = await hold(statement);
      await writeAll(patients);
      await untilBlocked(blocked);
      await kill('messaging');
      await held.release();
      await expectAnswers(patients);
    });

    test('repeatedly under load', async () => {
      const patients = Array.from({ length: 12 }, newPatient);
      const written = writeAll(patients);
      for (let kills = 0; kills < 3; kills++) await steps.kill('messaging');
      await written;
      await expectAnswers(patients);
    });
  });
