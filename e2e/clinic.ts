// Registers clinics through the public API. Each test file uses its own clinics, so that files can run concurrently.
import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import { Secret, TOTP } from 'otpauth';
import { type Clinic as ClinicClient, createClinic } from '../sdk/src/index.ts';
import { type Answer, type Api, type Body, type Extra, expectStatus } from './api.ts';

export type Clinic = { id: string; email: string; password: string; token: string; session: Body; cookie: string };

export const PASSWORD = 'Tres-Tristes-Tigres-9';
let phones = Math.floor(Math.random() * 9_000_000) + 70_000_000;

export const freshEmail = () => `ana-${randomUUID()}@clinic.example`;
export const freshPhone = () => `+503${++phones}`;

/** The date (YYYY-MM-DD) so many days from today. */
export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const hour = new Date().getUTCHours();
/** A zone in which it is about noon, so that slots are left today. */
export const noonZone = hour === 12 ? 'Etc/GMT' : hour < 12 ? `Etc/GMT-${12 - hour}` : `Etc/GMT+${hour - 12}`;
export const todayAtNoon = () => DateTime.now().setZone(noonZone).toISODate() ?? '';

export const everyDay = (startTime: string, endTime: string) => Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, startTime, endTime }));

export async function inviteCode(api: Api, code: Body = {}): Promise<Body> {
  return (await expectStatus(201, api.post('/api/superadmin/invite-codes', { plan: 'clinica', ...code }, api.operator))).body;
}

/** Registers a clinic. `registration` adds fields to the request. */
export async function register(api: Api, code: string, registration: Body = {}): Promise<Answer & { email: string }> {
  const email = registration.email ?? freshEmail();
  const body = { inviteCode: code, clinicName: 'Clínica de Prueba', adminName: 'Ana Morales', password: PASSWORD, ...registration, email };
  return { ...(await api.post('/api/auth/register-clinic', body)), email };
}

export async function newClinic(api: Api, options: { plan?: string; registration?: Body } = {}): Promise<Clinic> {
  const { code } = await inviteCode(api, { plan: options.plan ?? 'clinica' });
  const registered = await register(api, code, options.registration);
  if (registered.status !== 201) throw new Error(`registration failed: ${registered.text}`);
  const { body: session, email } = registered;
  return { id: session.clinic.id, email, password: PASSWORD, token: session.access_token, session, cookie: cookieOf(registered) };
}

/** The SDK with the clinic's token, for requests whose responses are not tested. */
export const sdkOf = ({ baseUrl }: Pick<Api, 'baseUrl'>, { token }: Pick<Clinic, 'token'>): ClinicClient => createClinic({ baseUrl, key: token });

/** The refresh cookie of a response, as the browser would send it. */
export function cookieOf(answer: Answer): string {
  const [first = ''] = answer.headers.getSetCookie();
  return first.split(';')[0] ?? '';
}

/** The code that an authenticator app shows for the secret, now or some steps of half a minute later. */
export const codeOf = (secret: string, steps = 0) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** Sets up the caller's second factor. */
export async function setUpMfa(api: Api, extra: Extra): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await expectStatus(200, api.post('/api/users/me/mfa', undefined, extra))).body;
  const { recovery_codes } = (await expectStatus(200, api.post('/api/users/me/mfa/confirm', { code: codeOf(secret) }, extra))).body;
  return { secret, recoveryCodes: recovery_codes };
}

/** Adds a doctor who by default works every day from 08:00 to 12:00, with slots of half an hour. */
export function addDoctor(api: Api, clinic: Clinic, doctor: Body = {}): Promise<Body> {
  return sdkOf(api, clinic).post('/api/doctors', { body: { fullName: 'Dra. Elena Rivas', workingHours: everyDay('08:00', '12:00'), ...doctor } });
}

export function addPatient(api: Api, clinic: Clinic, patient: Body = {}): Promise<Body> {
  return sdkOf(api, clinic).post('/api/patients', { body: { fullName: 'Luis Pérez', phone: freshPhone(), ...patient } });
}

/** The body of a booking. */
export const booking = (doctorId: string, startTime: string, appointmentDate = inDays(7)) => ({
  doctorId,
  appointmentDate,
  startTime,
  patientName: 'Luis Pérez',
  patientPhone: freshPhone(),
});

export function book(api: Api, clinic: Clinic, body: Body): Promise<Body> {
  return sdkOf(api, clinic).post('/api/appointments', { body });
}

/** Start times of the free slots. */
export async function freeSlots(api: Api, clinic: Clinic, doctorId: string, date = inDays(7)): Promise<string[]> {
  const slots = await sdkOf(api, clinic).get('/api/doctors/{doctorId}/slots', { params: { path: { doctorId }, query: { date } } });
  return slots.map(({ startTime }) => startTime);
}
