// The SDK against the product: the lines of its README, a session with its cookie, errors, lists and live events.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { ClinicError, createClinic } from '../sdk/src/index.ts';
import { apiAt } from './api.ts';
import { addDoctor, book, booking, everyDay, inDays, newClinic } from './clinic.ts';
import { chromium, noChromium, startPhone } from './phone.ts';

const run = promisify(execFile);
const SDK = path.resolve(import.meta.dirname, '../sdk');
const { baseUrl } = publicApi();

test('the lines of the README book an appointment', async () => {
  const [, lines = ''] = /```ts\n(.*?)```/s.exec(readFileSync(path.join(SDK, 'README.md'), 'utf8')) ?? [];
  expect(lines.trim().split('\n').filter(Boolean)).toHaveLength(10);
  const program = lines.replace("'@clinic/sdk'", `'${SDK}/src/index.ts'`).replace('http://localhost:8080', baseUrl);
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--no-warnings', '-e', program]);
  expect(stdout).toMatch(/^[0-9a-f-]{36} confirmed\n$/);
});

test('a session, its refusals, a creating call that is repeated, a list, and live events', async () => {
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

  await clinic.signOut();
  await expect(clinic.get('/api/doctors')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

const where = chromium ? describe : describe.skip;

where(chromium ? 'the desk in Chromium' : `the desk in Chromium (${noChromium})`, () => {
  test('a receptionist signs in, books, sees a booking of somebody else, opens a card, and cancels', async () => {
    const api = apiAt(publicApi());
    const clinic = await newClinic(api);
    const doctor = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:30') });
    const page = await startPhone();
    const shows = (text: string) => waitFor(async () => String(await page.evaluate('document.body.innerText')).includes(text), 20_000);
    const here = (selector: string) => waitFor(() => page.evaluate(`document.querySelector('${selector}') !== null`), 20_000);
    const click = (selector: string) => page.evaluate(`document.querySelector('${selector}').click()`);
    const fill = (name: string, text: string) => page.evaluate(`document.querySelector('[name=${name}]').value = '${text}'`);
    const chooseDay = `(() => { const day = document.querySelector('.day input'); day.value = '${inDays(7)}'; day.dispatchEvent(new Event('change')); })()`;
    try {
      await page.open(`${baseUrl}/desk`);
      await here('[name=email]');
      await fill('email', clinic.email);
      await fill('password', clinic.password);
      await click('button.main');
      await here('.live');
      await page.evaluate(chooseDay);
      await here('.book');
      await click('.book');
      await here('[name=startTime] option');
      await fill('patientName', 'Rosa Lima');
      await fill('patientPhone', '7890 4455');
      await click('.panel button.main');
      await shows('Rosa Lima');
      await book(api, clinic, { ...booking(doctor.id, '15:00'), patientName: 'Luz Paz' });
      await shows('Luz Paz');
      await click('li .link');
      await here('.card img');
      await shows('$0.00');
      await click('.actions button:last-child');
      await waitFor(async () => !String(await page.evaluate('document.querySelector(".doctors").innerText')).includes('Rosa Lima'), 20_000);
      // The cookie of the session outlives the page.
      await page.open(`${baseUrl}/desk`);
      await here('.live');
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(page.complaints.filter((text) => !text.includes('401'))).toEqual([]);
    } finally {
      await page.stop();
    }
  }, 90_000);
});
