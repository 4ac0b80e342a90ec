// Messaging is killed at each step of answering patients' messages: every message is still answered once, and those of one phone in their
// order. The tests kill processes, so they run in the distributed topology only, on a product of their own.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../lib/runtime/free-port.ts';
import { apiAt, expectStatus } from './api.ts';
import { freshPhone, newClinic } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { disturb } from './setup/disturb.ts';
import { type PatientPhone, patientPhone } from './setup/patient-phone.ts';

const WORDS = ['alfa', 'beta', 'gama'];
const ANSWERS = WORDS.map((word) => `Respuesta ${word}`);
const ANSWERED_MS = 60_000;

const inManyProcesses = publicApi().topology === 'distributed' ? describe : describe.skip;

inManyProcesses('every message is answered once and in order although messaging is killed', () => {
  let product: OwnProduct;
  let newPatient: () => PatientPhone;

  beforeAll(async () => {
    const simulatorPort = String(await freePort());
    product = await startOwnProduct({ CHAT_SIMULATOR_PORT: simulatorPort }, 'distributed');
    const api = apiAt(product.api, { once: true });
    const clinic = await newClinic(api);
    const number = freshPhone();
    await expectStatus(200, api.post('/api/chat/start', { phone: number, otpMethod: 'sms', wabaId: 'waba-kills', accessToken: 'EAAGkills-token' }, clinic));
    await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic));
    for (const [index, word] of WORDS.entries())
      await expectStatus(201, api.post('/api/faq', { category: 'general', question: word, answer: ANSWERS[index], keywords: [word] }, clinic));
    newPatient = () => patientPhone(`http://127.0.0.1:${simulatorPort}`, `999${number.slice(1)}`, freshPhone());
    await newPatient().say('alfa');
  });
  afterAll(async () => {
    await product?.stop();
  });

  const answersOf = async (patient: PatientPhone) => (await patient.messages()).map(({ text }) => text);
  async function writeAll(patients: PatientPhone[]): Promise<void> {
    for (const word of WORDS) await Promise.all(patients.map((patient) => patient.write(word)));
  }
  async function expectAnswers(patients: PatientPhone[]): Promise<void> {
    for (const patient of patients) {
      await waitFor(async () => (await answersOf(patient)).length >= WORDS.length, ANSWERED_MS);
      expect(await answersOf(patient)).toEqual(ANSWERS);
    }
  }

  test.each([
    ['while it stores the messages', 'messaging', 'lock table messaging.messages in share mode'],
    ['while it waits for scheduling', 'scheduling', 'lock table scheduling.patients in access exclusive mode'],
    ['while it stores an answer', 'messaging', 'lock table messaging.bot_sessions in share mode'],
    ['while it claims a turn', 'messaging', 'lock table messaging.turns in share mode'],
  ])('%s', async (_when, blocked, statement) => {
    const { hold, untilBlocked, kill } = disturb(product);
    const patients = [newPatient(), newPatient(), newPatient()];
    const held = await hold(statement);
    await writeAll(patients);
    await untilBlocked(blocked);
    await kill('messaging');
    await held.release();
    await expectAnswers(patients);
  });

  test('repeatedly under load', async () => {
    const { kill } = disturb(product);
    const patients = Array.from({ length: 12 }, newPatient);
    const written = writeAll(patients);
    for (let kills = 0; kills < 3; kills++) await kill('messaging');
    await written;
    await expectAnswers(patients);
  });
});
