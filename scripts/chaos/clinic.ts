// A clinic for load tests, registered through the public API. Its doctors have more slots than a run books, and it has a chat number at the
// simulated provider.
import { randomUUID } from 'node:crypto';
import { duiCheckDigit } from '@clinic/lib/formats/dui.ts';
import { chatDelivery, newMessageId, textMessages } from '../chat-delivery.ts';

export type Clinic = { token: string; email: string; password: string; operatorKey: string; doctors: string[]; chatNumber: string };

/** A request; `kind` groups the results. */
export type Ask = { kind: string; method: string; path: string; headers: Record<string, string>; body?: string | undefined };

export type Answer = { status: number; body: string };

/** Sends one request. The status is 0 when there is no response. */
export async function send(url: string, { method, path, headers, body }: Ask): Promise<Answer> {
  try {
    const response = await fetch(url + path, { method, headers, body: body ?? null, signal: AbortSignal.timeout(30_000) });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    return { status: 0, body: ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message };
  }
}

export const JSON_BODY = { 'content-type': 'application/json' };
export const EVERY_DAY = Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, startTime: '00:00', endTime: '23:50' }));
export const SLOT_MINUTES = 10;
const SLOTS_A_DAY = (23 * 60 + 50) / SLOT_MINUTES;
const DOCTORS = 4;
const PASSWORD = 'Tres-Tristes-Tigres-9';

export async function makeClinic(url: string, operatorKey: string): Promise<Clinic> {
  const post = async (path: string, body: object, headers: Record<string, string>) => {
    const answer = await send(url, { kind: '', method: 'POST', path, headers: { ...JSON_BODY, ...headers }, body: JSON.stringify(body) });
    if (answer.status >= 300 || answer.status === 0) throw new Error(`POST ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  };
  const email = `ana-${randomUUID()}@clinic.example`;
  const { code } = await post('/api/superadmin/invite-codes', { plan: 'clinica' }, { 'x-admin-key': operatorKey });
  const registration = { inviteCode: code, clinicName: 'Clínica de Prueba', adminName: 'Ana Morales', email, password: PASSWORD };
  const { access_token: token } = await post('/api/auth/register-clinic', registration, {});
  const own = { authorization: `Bearer ${token}` };
  const doctors: string[] = [];
  for (let i = 0; i < DOCTORS; i++) {
    const doctor = { fullName: `Dra. Elena Rivas ${i + 1}`, consultationDurationMinutes: SLOT_MINUTES, workingHours: EVERY_DAY };
    doctors.push((await post('/api/doctors', doctor, own)).id);
  }
  const phone = '+50370009999';
  await post('/api/chat/start', { phone, otpMethod: 'sms', wabaId: `waba-${randomUUID()}`, accessToken: 'simulated-access-token' }, own);
  await post('/api/chat/verify-otp', { code: '123456' }, own);
  return { token, email, password: PASSWORD, operatorKey, doctors, chatNumber: `999${phone.slice(1)}` };
}

export const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

export function timeOfSlot(slot: number): string {
  const minutes = slot * SLOT_MINUTES;
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

let booked = 0;

/** A booking of the next slot; each slot is booked once. */
export function booking({ token, doctors }: Clinic): Ask {
  const turn = booked++;
  const slot = Math.floor(turn / doctors.length);
  const body = {
    doctorId: doctors[turn % doctors.length],
    appointmentDate: dayAfter(2 + Math.floor(slot / SLOTS_A_DAY)),
    startTime: timeOfSlot(slot % SLOTS_A_DAY),
    patientName: 'Luis Pérez',
    patientPhone: `+5037${String(1_000_000 + (turn % 5_000))}`,
  };
  const headers = { ...JSON_BODY, authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() };
  return { kind: 'booking', method: 'POST', path: '/api/appointments', headers, body: JSON.stringify(body) };
}

/** A new patient with a national id. Each `turn` has its own phone and id. */
export function createPatient({ token }: Clinic, turn: number): Ask {
  const number = String(10_000_000 + turn);
  const body = { fullName: 'Luis Pérez', phone: `+5037${String(1_000_000 + turn)}`, dui: `${number}-${duiCheckDigit(number)}` };
  const headers = { ...JSON_BODY, authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() };
  return { kind: 'new patient', method: 'POST', path: '/api/patients', headers, body: JSON.stringify(body) };
}

/** One read request per service. */
export function reads({ token, operatorKey, doctors }: Clinic): Ask[] {
  const own = { authorization: `Bearer ${token}` };
  const operator = { 'x-admin-key': operatorKey };
  const get = (kind: string, path: string, headers: Record<string, string>) => ({ kind, method: 'GET', path, headers });
  return [
    get('who am I', '/api/auth/me', own),
    get('appointments', `/api/appointments?date=${dayAfter(2)}&limit=20`, own),
    get('slots', `/api/doctors/${doctors[0]}/slots?date=${dayAfter(3)}`, own),
    get('dental prices', '/api/dental/prices', own),
    get('conversations', '/api/conversations', own),
    get('payment events', '/api/superadmin/webhook-events', operator),
    get('statistics', '/api/superadmin/stats', operator),
  ];
}

export function signIn({ email, password }: Clinic): Ask {
  return { kind: 'sign-in', method: 'POST', path: '/api/auth/login', headers: JSON_BODY, body: JSON.stringify({ email, password }) };
}

/** A webhook delivery with a patient's text, which the bot answers. */
export function chatMessage({ chatNumber }: Pick<Clinic, 'chatNumber'>, appSecret: string, { from, text }: { from: string; text: string }): Ask {
  const value = textMessages([{ id: newMessageId(), phone: from, text }]);
  return { kind: 'chat message', method: 'POST', path: '/webhooks/chat', ...chatDelivery(appSecret, chatNumber, value) };
}
