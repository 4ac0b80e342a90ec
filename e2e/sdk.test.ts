// The SDK with the product: the example of its README, a session with its cookie, errors, lists and live events.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { ClinicError, createClinic } from '../sdk/src/index.ts';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, book, booking, everyDay, freshEmail, freshPhone, inDays, newClinic, PASSWORD } from './clinic.ts';
import { chromium, noChromium, startPhone } from './phone.ts';
import { connectNumber, deliver, deliveryOf } from './setup/chat-number.ts';

const run = promisify(execFile);
const SDK = path.resolve(import.meta.dirname, '../sdk');
const { baseUrl } = publicApi();

test('the example of the README books an appointment', async () => {
  const [, lines = ''] = /```ts\n(.*?)```/s.exec(readFileSync(path.join(SDK, 'README.md'), 'utf8')) ?? [];
  expect(lines.trim().split('\n').filter(Boolean)).toHaveLength(10);
  const program = lines.replace("'@clinic/sdk'", `'${SDK}/src/index.ts'`).replace('http://localhost:8080', baseUrl);
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--no-warnings', '-e', program]);
  expect(stdout).toMatch(/^[0-9a-f-]{36} confirmed\n$/);
});

test('a session, refused calls, a repeated creating call, a list, live events, and a file', async () => {
  const registered = await newClinic(apiAt(publicApi()));
  const clinic = createClinic({ baseUrl });
  await expect(clinic.signIn({ email: registered.email, password: 'wrong' })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS', status: 401 });
  expect((await clinic.signIn({ email: registered.email, password: registered.password })).user.clinic_id).toBe(registered.id);
  expect((await clinic.refresh()).clinic.id).toBe(registered.id);

  const doctor = await clinic.post('/api/doctors', { body: { fullName: 'Dra. Elena Rivas', workingHours: everyDay('08:00', '12:00') } });
  const stop = new AbortController();
  const seen: string[] = [];
  const following = new Promise<void>((opened) => {
    const follow = async () => {
      for await (const { event, data } of clinic.events({ signal: stop.signal, onOpen: opened }))
        if (event === 'appointment_booked') seen.push(data.appointment?.appointment_id ?? '');
    };
    void follow();
  });
  await following;
  const body = booking(doctor.id, '09:00');
  const header = { 'Idempotency-Key': 'desk-1' };
  const booked = await clinic.post('/api/appointments', { body, params: { header } });
  expect((await clinic.post('/api/appointments', { body, params: { header } })).id).toBe(booked.id);
  const taken = await clinic.post('/api/appointments', { body }).catch((error: unknown) => error);
  expect([ClinicError.is(taken, 'SLOT_TAKEN'), (taken as ClinicError).requestId]).toEqual([true, expect.any(String)]);
  await expect(clinic.post('/api/appointments', { body: { ...body, startTime: 'nine' } })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ path: 'startTime' }],
  });

  await Promise.all(['10:00', '10:30', '11:00'].map((startTime) => clinic.post('/api/appointments', { body: { ...body, startTime } })));
  const times: string[] = [];
  for await (const one of clinic.each('/api/appointments', { params: { query: { date: inDays(7), limit: 2 } } })) times.push(one.start_time);
  expect(times).toEqual(['09:00:00', '10:00:00', '10:30:00', '11:00:00']);
  while (seen.length < 4) await new Promise((resolve) => setTimeout(resolve, 50));
  stop.abort();
  expect(seen[0]).toBe(booked.id);
  const csv = new Blob(['nombre,telefono\nAna Díaz,7890 4321\n'], { type: 'text/csv' });
  expect(await clinic.post('/api/patients/import', { body: csv })).toMatchObject({ rows: 1, created: 1 });

  await clinic.signOut();
  await expect(clinic.get('/api/doctors')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

const where = chromium ? describe : describe.skip;

where(chromium ? 'the desk in Chromium' : `the desk in Chromium (${noChromium})`, () => {
  test('a receptionist books, moves and cancels, opens a patient and replies in the chat; each view is accessible on a phone and a screen', async () => {
    const api = apiAt(publicApi());
    const clinic = await newClinic(api);
    const doctor = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:30') });
    await addDoctor(api, clinic); // of the same name
    const receptionist = { fullName: 'Beatriz Menjívar', email: freshEmail(), password: PASSWORD, phone: freshPhone() };
    await expectStatus(201, api.post('/api/users', receptionist, clinic));
    const number = await connectNumber(clinic);
    await expectStatus(200, api.patch('/api/clinics/settings', { bot_enabled: false }, clinic));

    const page = await startPhone();
    const text = async (selector = 'body') => String(await page.evaluate(`document.querySelector('${selector}')?.innerText`));
    const shows = (what: string) => waitFor(async () => (await text()).includes(what));
    const here = (selector: string, count = '> 0') => waitFor(() => page.evaluate(`document.querySelectorAll('${selector}').length ${count}`));
    const click = (selector: string) => page.evaluate(`document.querySelector('${selector}').click()`);
    const fill = (name: string, value: string) => page.evaluate(`document.querySelector('[name=${name}]').value = '${value}'`);
    const chooseDay = `(() => { const day = document.querySelector('.day input'); day.value = '${inDays(7)}'; day.dispatchEvent(new Event('change')); })()`;
    const of = (patient: string, selector: string) => `[data-patient="${patient}"] ${selector}`;
    const examine = async (view: string) => {
      for (const width of [1280, 390]) {
        await page.resize(width);
        const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
        expect([view, width, fits, await page.violations()]).toEqual([view, width, true, []]);
      }
    };
    const CALLS = 'performance.getEntriesByType("resource").filter(({ name }) => name.includes("/api/")).length';
    try {
      await page.open(`${baseUrl}/desk`);
      await here('[name=email]');
      await examine('sign-in');
      // Loses the live connection when `window.isOffline` is set.
      await page.evaluate(`{
        const fetchAsIs = window.fetch;
        window.connections = [];
        window.fetch = (request) => {
          if (!request.url.endsWith('/api/events')) return fetchAsIs(request);
          if (window.isOffline) return Promise.reject(new TypeError('offline'));
          const connection = new AbortController();
          window.connections.push(connection);
          return fetchAsIs(request, { signal: AbortSignal.any([connection.signal, request.signal]) });
        };
      }`);
      await fill('email', receptionist.email);
      await fill('password', receptionist.password);
      await click('button.main');
      await here('.live');
      await page.evaluate(chooseDay);
      await here('.book');
      // With the keyboard: Enter opens, Escape closes, and the focus returns.
      await page.evaluate('document.querySelector(".book").focus()');
      await page.press('Enter');
      await here('dialog[open] [name=startTime] option');
      await page.press('Escape');
      await here('dialog', '=== 0');
      expect(await page.evaluate('document.activeElement.className')).toBe('book');
      await page.press('Enter');
      await here('[name=startTime] option');
      await examine('booking');
      await fill('patientName', 'Rosa Lima');
      await fill('patientPhone', '7890 4455');
      await click('dialog button.main');
      await shows('Rosa Lima');
      await book(api, clinic, { ...booking(doctor.id, '15:00'), patientName: 'Luz Paz' });
      await shows('Luz Paz');
      await examine('agenda');
      const labels = await page.evaluate("[...document.querySelectorAll('.doctors section')].map(({ ariaLabel }) => ariaLabel)");
      expect(labels).toEqual(['Dra. Elena Rivas (1)', 'Dra. Elena Rivas (2)']);
      expect(await page.evaluate(`document.querySelector('${of('Luz Paz', '.cancel')}').ariaLabel`)).toBe('Cancelar cita: Luz Paz');
      await page.evaluate('window.isOffline = true; for (const one of window.connections) one.abort()');
      await shows('Conectando…');
      await book(api, clinic, { ...booking(doctor.id, '16:00'), patientName: 'Noé Cruz' });
      await page.evaluate('window.isOffline = false');
      await shows('En vivo');
      await shows('Noé Cruz');
      await click(of('Rosa Lima', '.move'));
      await here('[name=startTime] option');
      await fill('startTime', '10:00');
      await click('dialog button.main');
      await waitFor(async () => (await text(of('Rosa Lima', 'b'))) === '10:00');
      await click(of('Rosa Lima', '.link'));
      await here('dialog img');
      await shows('$0.00');
      await examine('card');
      await click('.close');
      // Before the API has answered for another day, no appointments of the previous day are shown below it.
      await page.evaluate(`{
        const fetchAsIs = window.fetch;
        window.isHeld = true;
        window.fetch = (request) => (window.isHeld && request.url.includes('/api/agenda') ? new Promise(() => {}) : fetchAsIs(request));
      }`);
      await page.evaluate(chooseDay.replace(inDays(7), inDays(8)));
      await shows('Cargando…');
      expect(await text('.doctors')).not.toContain('Rosa Lima');
      await page.evaluate('window.isHeld = false');
      await page.evaluate(chooseDay);
      await shows('Rosa Lima');
      await page.evaluate('window.confirm = (text) => { window.asked = text; return false; }');
      await click(of('Rosa Lima', '.cancel'));
      expect(await page.evaluate('window.asked')).toBe('Cancelar cita: Rosa Lima, 10:00. ¿Está seguro?');
      await page.evaluate('window.confirm = () => true');
      await click(of('Rosa Lima', '.cancel'));
      await waitFor(async () => !(await text('.doctors')).includes('Rosa Lima'));
      expect(await text('.doctors')).toContain('Luz Paz');

      await click('.view-chat');
      const phone = freshPhone();
      await deliver(deliveryOf(number, phone, { text: '¿Tienen cita mañana?' }));
      const chat = `.inbox [data-phone="${phone}"]`; // the inbox also has conversations with the patients of the appointments
      await here(chat);
      await examine('inbox');
      await click(chat);
      await waitFor(async () => (await text('.thread ol')).includes('¿Tienen cita mañana?'));
      await click('.mode');
      await here('[name=message]');
      await examine('conversation');
      await fill('message', 'Sí, a las 9:00');
      await page.evaluate("for (let i = 0; i < 2; i++) document.querySelector('.thread form').requestSubmit()");
      await waitFor(async () => (await text('.thread ol')).includes('Sí, a las 9:00'));
      await here('.thread form[aria-busy]', '=== 0');
      const { messages } = (await expectStatus(200, api.get(`/api/conversations/${encodeURIComponent(phone)}/messages`, clinic))).body;
      expect(messages.filter(({ direction }: Body) => direction === 'out')).toHaveLength(1);
      await click('.mode');
      await here('[name=message]', '=== 0');
      await click('.view-agenda');
      await shows('Luz Paz');
      expect(await page.evaluate("document.querySelector('.day input').value")).toBe(inDays(7));
      const calls = await page.evaluate(CALLS);
      // The session's cookie survives a reload.
      await page.open(`${baseUrl}/desk`);
      await here('.live');
      await here('.doctors section');
      expect(calls + (await page.evaluate(CALLS))).toBeLessThan(60); // of 100 in 15 minutes
      expect(page.complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    } finally {
      await page.stop();
    }
  });
});
