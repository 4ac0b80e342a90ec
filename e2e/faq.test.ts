// FAQ and canned replies through the public API.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAt, expectStatus } from './api.ts';
import { type Clinic, newClinic } from './clinic.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

test('FAQ: a bare list of active entries, made, changed and removed', async () => {
  const made = (
    await expectStatus(201, api.post('/api/faq', { category: 'hours', question: '¿Horario?', answer: '8 a 5', keywords: ['Horario', ' HORARIO'] }, clinic))
  ).body;
  expect(made).toEqual({
    id: expect.any(String),
    clinic_id: clinic.id,
    category: 'hours',
    question: '¿Horario?',
    answer: '8 a 5',
    keywords: ['horario'],
    is_active: true,
    created_at: expect.stringMatching(/Z$/),
  });
  expect((await api.get('/api/faq', clinic)).body).toEqual([made]);
  expect((await expectStatus(200, api.put(`/api/faq/${made.id}`, { keywords: ['abierto'] }, clinic))).body).toMatchObject({
    keywords: ['abierto'],
    answer: '8 a 5',
  });
  const wrong = await api.put(`/api/faq/${made.id}`, { category: 'gossip' }, clinic);
  expect([wrong.status, wrong.body.details[0].path]).toEqual([400, 'category']);
  await expectStatus(200, api.put(`/api/faq/${made.id}`, { is_active: false }, clinic));
  expect((await api.get('/api/faq', clinic)).body).toEqual([]);
  expect((await expectStatus(200, api.delete(`/api/faq/${made.id}`, clinic))).body).toEqual({ message: expect.any(String) });
  expect((await api.delete(`/api/faq/${made.id}`, clinic)).body).toEqual({ error: 'FAQ not found', code: 'NOT_FOUND' });
});

test('canned replies: one of each title', async () => {
  const made = (await expectStatus(201, api.post('/api/canned-replies', { title: 'Ubicación', body: 'Escalón' }, clinic))).body;
  const again = await api.post('/api/canned-replies', { title: 'ubicación', body: 'x' }, clinic);
  expect([again.status, again.body.code]).toEqual([409, 'CANNED_REPLY_EXISTS']);
  expect((await expectStatus(200, api.put(`/api/canned-replies/${made.id}`, { body: 'San Benito' }, clinic))).body).toMatchObject({
    title: 'Ubicación',
    body: 'San Benito',
  });
  expect((await api.get('/api/canned-replies', clinic)).body).toHaveLength(1);
  await expectStatus(200, api.delete(`/api/canned-replies/${made.id}`, clinic));
  expect((await api.get('/api/canned-replies', clinic)).body).toEqual([]);
});
