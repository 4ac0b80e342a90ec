// Demo requests: created by anyone, accepted or rejected once.
import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { asAdmin, asAnonymous, asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NOW, outcomes, type Platform, startPlatform } from '../testing/platform.ts';

let p: Platform;
beforeAll(async () => {
  p = await startPlatform();
});
afterAll(() => p.stop());

const form = { clinicName: ' Clínica Sol ', contactName: 'Rosa Díaz', email: ' Rosa@Example.com ' };
const send = async (more: object = {}) => (await p.demos.createDemoRequest({ ...form, ...more }, asAnonymous())).id;
const find = async (id: string) => (await p.demos.listDemoRequests({}, asOperator())).demoRequests.find((one) => one.id === id);
const DAY_MS = 86_400_000;

test('a request is stored as it was sent', async () => {
  const answer = await p.demos.createDemoRequest({ ...form, phone: '+50370001234', city: 'Santa Ana', doctorsCount: 3, message: ' hola ' }, asAnonymous());
  expect(answer).toMatchObject({ status: 'pending', message: expect.any(String) });
  expect(await find(answer.id)).toMatchObject({
    clinicName: 'Clínica Sol',
    contactName: 'Rosa Díaz',
    email: 'rosa@example.com',
    phone: '+50370001234',
    city: 'Santa Ana',
    doctorsCount: 3,
    message: 'hola',
    status: 'pending',
    createdAt: expect.anything(),
  });
});

test('names are stored on one line', async () => {
  const id = await send({ clinicName: 'Clínica\nSol', contactName: 'Rosa\r\n\tDíaz\u2028Paz' });
  expect(await find(id)).toMatchObject({ clinicName: 'Clínica Sol', contactName: 'Rosa Díaz Paz' });
});

test('an Idempotency-Key creates one request', async () => {
  const caller = () => asAnonymous({ key: 'once-only' });
  const first = await p.demos.createDemoRequest(form, caller());
  expect((await p.demos.createDemoRequest(form, caller())).id).toBe(first.id);
});

test.each([
  ['clinicName', { clinicName: ' ' }],
  ['contactName', { contactName: 'x'.repeat(201) }],
  ['email', { email: 'rosa' }],
  ['doctorsCount', { doctorsCount: 0 }],
  ['message', { message: 'a\0b' }],
])('an invalid %s is refused by name: %j', async (path, change) => {
  await expect(send(change)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
});

describe('accepting', () => {
  test('creates a trial code for the e-mail address of the request, valid for 7 days', async () => {
    const id = await send();
    const { inviteCode } = await p.demos.acceptDemoRequest({ id }, asOperator('maria'));
    const accepted = await find(id);
    expect(accepted).toMatchObject({ status: 'accepted', reviewedAt: expect.anything() });
    const code = await p.find(accepted?.inviteCodeId ?? '');
    expect(code).toMatchObject({ code: inviteCode, email: 'rosa@example.com', plan: 'trial', source: 'demo' });
    expect(code?.expiresAt && timestampDate(code.expiresAt)).toEqual(new Date(NOW.getTime() + 7 * DAY_MS));
    await expect(p.reserve(inviteCode, randomUUID(), 'other@example.com')).rejects.toMatchObject({ reason: 'INVALID_INVITE_CODE' });
    await p.reserve(inviteCode, randomUUID(), 'rosa@example.com');
    expect(await p.demos.getDemoInvitation({ id }, asService('messaging'))).toMatchObject({ inviteCode, email: 'rosa@example.com', clinicName: 'Clínica Sol' });
    const events = await p.look(`select payload from outbox where subject like '%demo-accepted' and payload->>'demoRequestId' = $1`, [id]);
    expect(events).toMatchObject([{ payload: { inviteCodeId: accepted?.inviteCodeId } }]);
    expect(JSON.stringify(events)).not.toMatch(/rosa|-[0-9A-Z]{4}-[0-9A-Z]{4}"/);
  });

  test.each([0, 3650])('creates a code for the %d days of the request', async (expiresInDays) => {
    const id = await send();
    await p.demos.acceptDemoRequest({ id, expiresInDays }, asOperator());
    const code = await p.find((await find(id))?.inviteCodeId ?? '');
    expect(code?.expiresAt && timestampDate(code.expiresAt)).toEqual(new Date(NOW.getTime() + expiresInDays * DAY_MS));
  });

  test('concurrently creates one code', async () => {
    const id = await send({ email: 'race@example.com' });
    const result = await outcomes(Array.from({ length: 5 }, () => p.demos.acceptDemoRequest({ id }, asOperator())));
    expect(result).toEqual({ answered: 1, reasons: Array(4).fill('DEMO_NOT_PENDING') });
    expect(await p.look(`select 1 from invite_codes where email = 'race@example.com'`)).toHaveLength(1);
  });

  test('and rejecting concurrently: one of them succeeds', async () => {
    const id = await send({ email: 'both@example.com' });
    const answers = () => [p.demos.acceptDemoRequest({ id }, asOperator()), p.demos.rejectDemoRequest({ id }, asOperator())] as Promise<unknown>[];
    const result = await outcomes([...answers(), ...answers()]);
    expect(result).toEqual({ answered: 1, reasons: Array(3).fill('DEMO_NOT_PENDING') });
    const { status } = (await find(id)) ?? {};
    expect(await p.look(`select 1 from invite_codes where email = 'both@example.com'`)).toHaveLength(status === 'accepted' ? 1 : 0);
  });
});

test('a rejected request cannot be accepted', async () => {
  const id = await send();
  await p.demos.rejectDemoRequest({ id }, asOperator());
  expect(await find(id)).toMatchObject({ status: 'rejected', reviewedAt: expect.anything() });
  await expect(p.demos.acceptDemoRequest({ id }, asOperator())).rejects.toMatchObject({ reason: 'DEMO_NOT_PENDING' });
  await expect(p.demos.getDemoInvitation({ id }, asService('messaging'))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('the list is filtered by status, and the figures count pending requests', async () => {
  const { demoRequests } = await p.demos.listDemoRequests({ status: 'pending' }, asOperator());
  expect(new Set(demoRequests.map(({ status }) => status))).toEqual(new Set(['pending']));
  expect((await p.stats()).pendingDemos).toBe(demoRequests.length);
  await expect(p.demos.listDemoRequests({ status: 'gone' }, asOperator())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
});

test.each([randomUUID(), 'x', ''])('an unknown request is not found: %j', async (id) => {
  await expect(p.demos.acceptDemoRequest({ id }, asOperator())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(p.demos.rejectDemoRequest({ id }, asOperator())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('only operators may list, accept and reject', async () => {
  const calls = [asAnonymous(), asAdmin(randomUUID())].flatMap(
    (caller) =>
      [
        p.demos.listDemoRequests({}, caller),
        p.demos.acceptDemoRequest({ id: randomUUID() }, caller),
        p.actions.listOperatorActions({}, caller),
      ] as Promise<unknown>[],
  );
  expect((await outcomes(calls)).answered).toBe(0);
});
