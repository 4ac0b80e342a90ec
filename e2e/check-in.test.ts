// A patient scans the code and checks in, on the page or by JSON.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { scan } from './check-in-code.ts';
import { addDoctor, book, booking, type Clinic, everyDay, inDays, newClinic, noonZone, todayAtNoon } from './clinic.ts';
import { chromium, noChromium, type Phone, startPhone } from './phone.ts';

const { baseUrl } = publicApi();
const api = apiAt(publicApi());
let clinic: Clinic;
let doctor: Body;
beforeAll(async () => {
  clinic = await newClinic(api, { registration: { timezone: noonZone } });
  doctor = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:30'), consultationDurationMinutes: 15 });
  // Scheduling receives the clinic's zone in an event.
  const { token } = await bookAndScan();
  await waitFor(async () => (await api.get(`/api/check-in/${token}`)).body.status === 'ready');
});

let booked = 0;
/** Books an appointment and reads the token from the picture of its code. */
async function bookAndScan({ name = 'Ana María López', date = todayAtNoon() } = {}): Promise<{ appointment: Body; token: string }> {
  const startTime = `${14 + Math.floor(booked / 4)}:${String((booked++ % 4) * 15).padStart(2, '0')}`;
  const appointment = await book(api, clinic, { ...booking(doctor.id, startTime, date), patientName: name });
  return { appointment, token: await scan(appointment.id, clinic) };
}

test('the vector picture is an SVG, and another clinic cannot read either picture', async () => {
  const { appointment } = await bookAndScan();
  const svg = await expectStatus(200, api.get(`/api/appointments/${appointment.id}/qr`, clinic));
  expect(svg.headers.get('content-type')).toContain('image/svg+xml');
  expect(svg.text).toMatch(/^<svg /);
  await expectStatus(401, api.get(`/api/appointments/${appointment.id}/qr`));
  await expectStatus(404, api.get(`/api/appointments/${appointment.id}/qr`, await newClinic(api)));
  expect((await api.get(`/api/appointments/${appointment.id}/qr?format=gif`, clinic)).body.code).toBe('VALIDATION_ERROR');
});

test('as JSON: succeeds once, and the list contains the time', async () => {
  const { appointment, token } = await bookAndScan();
  const first = await expectStatus(200, api.post(`/api/check-in/${token}`));
  expect(first.body).toEqual({
    status: 'done',
    clinic_name: expect.any(String),
    first_name: 'Ana',
    start_time: appointment.start_time.slice(0, 5),
    checked_in_at: expect.stringMatching(/Z$/),
    missing_forms: 0,
  });
  const answers = await Promise.all(Array.from({ length: 8 }, () => api.post(`/api/check-in/${token}`, {})));
  expect(answers.map(({ status, body }) => [status, body.checked_in_at])).toEqual(Array(8).fill([200, first.body.checked_in_at]));
  expect((await api.get(`/api/appointments/${appointment.id}`, clinic)).body.checked_in_at).toBe(first.body.checked_in_at);
});

test('is refused on another day and when cancelled, and the page states the reason', async () => {
  const other = await bookAndScan({ date: inDays(9) });
  const gone = await bookAndScan();
  await expectStatus(200, api.patch(`/api/appointments/${gone.appointment.id}/status`, { status: 'cancelled' }, clinic));
  for (const [token, words] of [
    [other.token, 'Su cita no es hoy'],
    [gone.token, 'Esta cita fue cancelada'],
  ]) {
    expect((await expectStatus(409, api.post(`/api/check-in/${token}`))).body.code).toBe('CHECK_IN_CLOSED');
    const page = await expectStatus(200, api.get(`/check-in/${token}`));
    expect(page.text).toContain(words);
    expect(page.text).not.toContain('<form');
  }
});

test('an invalid token is a 404 page without any data', async () => {
  const { token } = await bookAndScan();
  const forged = token.slice(0, -10) + (token.at(-10) === 'A' ? 'B' : 'A') + token.slice(-9);
  for (const one of [forged, 'x', '%00', 'a'.repeat(66)]) {
    const page = await expectStatus(404, api.get(`/check-in/${one}`));
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('Este código no es válido');
    await expectStatus(404, api.post(`/api/check-in/${one}`));
  }
  await expectStatus(405, api.delete(`/check-in/${token}`));
});

test('the page shows first name and time, and its policy allows nothing else', async () => {
  const { appointment, token } = await bookAndScan({ name: '<b>Ana</b>"> López' });
  const page = await expectStatus(200, api.get(`/check-in/${token}`));
  expect(page.text).toContain('Hola, &lt;b&gt;Ana&lt;/b&gt;&quot;&gt;');
  expect(page.text).toContain('Clínica de Prueba');
  for (const secret of ['López', appointment.id, doctor.full_name, '+503']) expect(page.text).not.toContain(secret);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
});

// The name contains the reason, because a skipped test reports nothing else.
const onPhone = chromium ? describe : describe.skip;

onPhone(chromium ? 'on a phone 390 pixels wide' : `on a phone (${noChromium})`, () => {
  let phone: Phone;
  beforeAll(async () => {
    phone = await startPhone();
  });
  afterAll(() => phone.stop());

  test('one tap checks the patient in', async () => {
    const { appointment, token } = await bookAndScan();
    await phone.open(`${baseUrl}/check-in/${token}`);
    expect(await phone.evaluate('[innerWidth, document.documentElement.scrollWidth, document.documentElement.lang]')).toEqual([390, 390, 'es']);
    // The style is applied, so the policy allows it, and the button is large enough for a thumb.
    expect(await phone.evaluate("getComputedStyle(document.querySelector('button')).backgroundColor")).toBe('rgb(11, 100, 119)');
    expect(await phone.evaluate("document.querySelector('button').getBoundingClientRect().height")).toBeGreaterThan(48);
    await phone.tap('button');
    expect(await phone.evaluate('location.pathname')).toBe(`/check-in/${token}`);
    expect(await phone.evaluate('document.body.innerText')).toContain('¡Listo, Ana!');
    expect(await phone.evaluate("document.querySelector('button')")).toBeNull();
    expect((await api.get(`/api/appointments/${appointment.id}`, clinic)).body.checked_in_at).toMatch(/Z$/);
    expect(phone.complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
  });
});
