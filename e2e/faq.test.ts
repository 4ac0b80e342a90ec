// FAQ and canned replies through the public API.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, expect, test } from '@jest/globals';
import type { Clinic as ClinicClient } from '../sdk/src/index.ts';
import { apiAt } from './api.ts';
import { type Clinic, newClinic, sdkOf } from './clinic.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
let sdk: ClinicClient;
beforeAll(async () => {
  clinic = await newClinic(api);
  sdk = sdkOf(api, clinic);
});

test('FAQ: a plain array of active entries, which are created, changed and deleted', async () => {
  const keywords = ['Horario', ' HORARIO', '¿Horario?', '$', '€', '🦷', '$'];
  const made = await sdk.post('/api/faq', { body: { category: 'hours', question: '¿Horario?', answer: '8 a 5', keywords } });
  expect(made).toEqual({
    id: expect.any(String),
    clinic_id: clinic.id,
    category: 'hours',
    question: '¿Horario?',
    answer: '8 a 5',
    keywords: ['horario', '$', '€', '🦷'],
    is_active: true,
    created_at: expect.stringMatching(/Z$/),
  });
  expect(await sdk.get('/api/faq')).toEqual([made]);
  const params = { path: { id: made.id } };
  expect(await sdk.put('/api/faq/{id}', { params, body: { keywords: ['abierto'] } })).toMatchObject({ keywords: ['abierto'], answer: '8 a 5' });
  const wrong = { status: 400, details: [{ path: 'category' }] };
  await expect(sdk.put('/api/faq/{id}', { params, body: { category: 'gossip' as never } })).rejects.toMatchObject(wrong);
  await sdk.put('/api/faq/{id}', { params, body: { is_active: false } });
  expect(await sdk.get('/api/faq')).toEqual([]);
  expect(await sdk.delete('/api/faq/{id}', { params })).toEqual({ message: expect.any(String) });
  await expect(sdk.delete('/api/faq/{id}', { params })).rejects.toMatchObject({ message: 'FAQ not found', code: 'NOT_FOUND' });
});

test('canned replies: titles are unique', async () => {
  const made = await sdk.post('/api/canned-replies', { body: { title: 'Ubicación', body: 'Escalón' } });
  const taken = { status: 409, code: 'CANNED_REPLY_EXISTS' };
  await expect(sdk.post('/api/canned-replies', { body: { title: 'ubicación', body: 'x' } })).rejects.toMatchObject(taken);
  const params = { path: { id: made.id } };
  const changed = { title: 'Ubicación', body: 'San Benito' };
  expect(await sdk.put('/api/canned-replies/{id}', { params, body: { body: 'San Benito' } })).toMatchObject(changed);
  expect(await sdk.get('/api/canned-replies')).toHaveLength(1);
  await sdk.delete('/api/canned-replies/{id}', { params });
  expect(await sdk.get('/api/canned-replies')).toEqual([]);
});
