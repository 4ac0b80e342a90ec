// Bulk operations on patients through the public API: imports, exports, families, merges and their reversal.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freshPhone, newClinic } from './clinic.ts';

const api = apiAt(publicApi());
const CSV = { 'Content-Type': 'text/csv' };

let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

const bring = (text: string, query = '', of: Clinic = clinic, headers: Record<string, string> = CSV) =>
  api.post(`/api/patients/import${query}`, text, { token: of.token, headers });
const list = async (of: Clinic = clinic) => (await expectStatus(200, api.get('/api/patients?limit=500', of))).body;
/** More than 256 KiB, which a job imports. */
const large = [
  'nombre;telefono;notas',
  ...Array.from({ length: 3_000 }, (_, index) => `Paciente ${index};+5037${String(index).padStart(7, '0')};${'x'.repeat(80)}`),
];

describe('import', () => {
  test('returns counts and faults, and a repeated import changes nothing', async () => {
    const own = await newClinic(api);
    const file = 'Nombre,Teléfono,Nacimiento\nAna Paz,7000-0001,1/2/1990\nLuis,x,\nEva,+50370000002,1991-03-04\n';
    const { body: tried } = await expectStatus(200, bring(file, '?dryRun=true', own));
    expect(tried).toMatchObject({ status: 'done', dry_run: true, created: 2, updated: 0, skipped: 0 });
    expect((await list(own)).total).toBe(0);
    const { body: done } = await expectStatus(200, bring(file, '?dryRun=false', own));
    expect(done).toEqual({
      id: expect.any(String),
      kind: 'patients',
      status: 'done',
      dry_run: false,
      rows: 3,
      progress: 100,
      created: 2,
      updated: 0,
      skipped: 0,
      error_count: 1,
      errors: [{ row: 3, column: 'Teléfono', message: expect.stringContaining('phone') }],
      ignored_columns: [],
      created_at: expect.any(String),
      finished_at: expect.any(String),
    });
    const before = await list(own);
    expect(before.patients.map((one: Body) => [one.full_name, one.phone, one.birth_date])).toEqual([
      ['Ana Paz', '+50370000001', '1990-02-01'],
      ['Eva', '+50370000002', '1991-03-04'],
    ]);
    expect((await expectStatus(200, bring(file, '', own))).body).toMatchObject({ created: 0, updated: 0, skipped: 2 });
    expect(await list(own)).toEqual(before);
    expect((await expectStatus(200, api.get(`/api/patients/imports/${done.id}`, own))).body).toEqual(done);
    const faults = await expectStatus(200, api.get(`/api/patients/imports/${done.id}/errors.csv`, own));
    expect([faults.headers.get('content-type'), faults.text.split('\r\n')[1]]).toEqual(['text/csv; charset=utf-8', expect.stringMatching(/^"3","Teléfono",/)]);
    expect(await api.get(`/api/patients/imports/${done.id}`, clinic)).toMatchObject({ status: 404, body: { error: 'Import not found' } });
  });

  test('past appointments and balances follow, and change nothing when they are repeated', async () => {
    const own = await newClinic(api);
    await addDoctor(api, own);
    const patient = await addPatient(api, own);
    const send = (path: string, text: string) => expectStatus(200, api.post(path, text, { token: own.token, headers: CSV }));
    const appointments = `telefono,fecha,hora\n${patient.phone},2024-03-05,10:00\n${patient.phone},2024-03-06,99:00\n`;
    const balances = `telefono,saldo,vencimiento\n${patient.phone},80.50,2024-04-01\n`;
    expect((await send('/api/appointments/import?dryRun=true', appointments)).body).toMatchObject({
      kind: 'appointments',
      dry_run: true,
      created: 1,
      error_count: 1,
    });
    expect((await send('/api/dental/balances/import?dryRun=true', balances)).body).toMatchObject({ kind: 'balances', created: 1, error_count: 0 });
    const first = (await send('/api/appointments/import', appointments)).body;
    expect([first, (await send('/api/dental/balances/import', balances)).body]).toMatchObject([{ created: 1 }, { created: 1 }]);
    expect([(await send('/api/appointments/import', appointments)).body, (await send('/api/dental/balances/import', balances)).body]).toMatchObject([
      { created: 0, skipped: 1 },
      { created: 0, skipped: 1 },
    ]);
    expect((await expectStatus(200, api.get(`/api/appointments/imports/${first.id}`, own))).body).toEqual(first);
    const { body: timeline } = await expectStatus(200, api.get(`/api/patients/${patient.id}/timeline`, own));
    expect(timeline.entries.map(({ kind, status }: Body) => [kind, status])).toEqual(expect.arrayContaining([['appointment', 'completed']]));
    const { body: balance } = await expectStatus(200, api.get(`/api/patients/${patient.id}/balance`, own));
    expect(balance).toMatchObject({ owed: 80.5, overdue: 80.5, plans: [{ description: 'Saldo inicial', status: 'overdue' }] });
    // Imported appointments are counted in the figures, and no messages are sent for them.
    const figures = () => api.get('/api/analytics/dashboard?from=2024-03-01&to=2024-03-31', own);
    await waitFor(async () => (await figures()).body.visits.completed.value === 1); // plain-words: visits is a field of the API
    expect((await expectStatus(200, api.get('/api/conversations', own))).body.total).toBe(0);
  });

  test('accepts a file in a form', async () => {
    const form = new FormData();
    form.set('comment', 'x');
    form.set('file', new Blob(['name,phone\nForma,+50379990001\n'], { type: 'application/vnd.ms-excel' }), 'pacientes.csv');
    const send = (body: FormData) =>
      fetch(`${api.baseUrl}/api/patients/import`, { method: 'POST', headers: { Authorization: `Bearer ${clinic.token}` }, body });
    const response = await send(form);
    expect([response.status, await response.json()]).toMatchObject([200, { created: 1 }]);
    const empty = new FormData();
    empty.set('comment', 'x');
    expect((await send(empty)).status).toBe(400);
  });

  test('refuses other types, empty files, files that are not CSV, and files that are too large', async () => {
    const failures = await Promise.all([
      bring('{}', '', clinic, { 'Content-Type': 'application/json' }),
      bring('', ''),
      bring('a,b\n1,2'),
      bring('x', '', clinic, { 'Content-Type': 'multipart/form-data' }),
      bring('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nnombre', '', clinic, {
        'Content-Type': 'multipart/form-data; boundary=x',
      }),
      bring('nombre,telefono\n', '?dryRun=maybe'),
    ]);
    expect(failures.map(({ status }) => status)).toEqual([415, 400, 400, 400, 400, 400]);
    const big = await api.post('/api/patients/import', `nombre,telefono\n${'x'.repeat(33 * 1024 * 1024)}`, { token: clinic.token, headers: CSV });
    expect(big).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  test('continues in the background when it takes longer, and returns its progress', async () => {
    const own = await newClinic(api);
    const { body } = await expectStatus(200, bring(large.join('\n'), '', own));
    expect(['running', 'done']).toContain(body.status);
    const done = await waitFor(async () => {
      const job = (await expectStatus(200, api.get(`/api/patients/imports/${body.id}`, own))).body;
      return job.status === 'done' ? job : false;
    });
    expect(done).toMatchObject({ rows: 3_000, created: 3_000, skipped: 0, error_count: 0, progress: 100 });
    const out = await expectStatus(200, api.get('/api/patients/export', own));
    expect(out.text.trimEnd().split('\r\n')).toHaveLength(3_001);
    expect(out.headers.get('content-disposition')).toContain('pacientes.csv');
  });

  test('and export are not part of the basic plan', async () => {
    const basic = await newClinic(api, { plan: 'basic' });
    expect(await bring('nombre,telefono\n', '', basic)).toMatchObject({ status: 403, body: { code: 'PLAN_UPGRADE_REQUIRED' } });
    expect(await api.get('/api/patients/export', basic)).toMatchObject({ status: 403, body: { code: 'PLAN_UPGRADE_REQUIRED' } });
  });
});

test('an export is UTF-8 with a byte order mark, contains no formulas, and can be imported again', async () => {
  const own = await newClinic(api);
  await addPatient(api, own, { fullName: '=1+1;"Ñ"', dui: '00016297-5', notes: '@cmd;=1+1' });
  const response = await fetch(`${api.baseUrl}/api/patients/export`, { headers: { Authorization: `Bearer ${own.token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
  expect(bytes.toString()).toContain(`"'=1+1;""Ñ""","'+503`);
  expect(bytes.toString()).toContain(`"'@cmd;'=1+1"`);
  expect((await expectStatus(200, bring(bytes.toString(), '', own))).body).toMatchObject({ created: 0, updated: 0, skipped: 1, error_count: 0 });
  expect((await fetch(`${api.baseUrl}/api/patients/export`, { method: 'HEAD', headers: { Authorization: `Bearer ${own.token}` } })).status).toBe(200);
});

describe('families and the archive', () => {
  test('a dependant is reached through the guardian', async () => {
    const guardian = await addPatient(api, clinic);
    const { body: child } = await expectStatus(201, api.post(`/api/patients/${guardian.id}/dependants`, { fullName: 'Luz', birthDate: '2019-03-01' }, clinic));
    expect((await expectStatus(200, api.get(`/api/patients/${guardian.id}`, clinic))).body.dependants).toEqual([{ id: child.id, full_name: 'Luz' }]);
    expect(child).toMatchObject({ full_name: 'Luz', phone: null, guardian_id: guardian.id, birth_date: '2019-03-01' });
    expect((await expectStatus(200, api.get(`/api/patients/${guardian.id}/dependants`, clinic))).body).toEqual({
      dependants: [child],
      total: 1,
      page: 1,
      limit: 50,
    });
    expect((await expectStatus(200, api.patch(`/api/patients/${child.id}`, { notes: 'Alergia' }, clinic))).body.notes).toBe('Alergia');
  });

  test('an archived patient is not listed, and is restored by a booking', async () => {
    const own = await newClinic(api);
    const doctor = await addDoctor(api, own);
    const patient = await addPatient(api, own);
    expect((await expectStatus(200, api.delete(`/api/patients/${patient.id}`, own))).body).toEqual({ message: expect.any(String) });
    expect((await list(own)).total).toBe(0);
    const archived = (await expectStatus(200, api.get('/api/patients?archived=true&search=perez%20luis', own))).body;
    expect(archived).toMatchObject({ patients: [{ id: patient.id, archived_at: expect.any(String) }], total: 1, page: 1, limit: 50 });
    expect(await api.post('/api/patients', { fullName: 'Otro', phone: patient.phone }, own)).toMatchObject({
      status: 409,
      body: {
        code: 'PHONE_TAKEN',
        details: [
          { path: 'patient_id', message: patient.id },
          { path: 'archived', message: 'true' },
        ],
      },
    });
    await book(api, own, { ...booking(doctor.id, '09:00'), patientPhone: patient.phone });
    expect((await list(own)).total).toBe(1);
    await expectStatus(200, api.delete(`/api/patients/${patient.id}`, own));
    expect((await expectStatus(200, api.post(`/api/patients/${patient.id}/restore`, undefined, own))).body.archived_at).toBeNull();
    await expectStatus(200, api.delete(`/api/doctors/${doctor.id}`, own));
    expect((await expectStatus(200, api.get('/api/doctors', own))).body.total).toBe(0);
    expect((await expectStatus(200, api.get('/api/doctors?is_active=false', own))).body).toMatchObject({
      doctors: [{ id: doctor.id, is_active: false }],
      total: 1,
    });
  });
});

test('a merge moves appointments and treatment, and its undo moves them back', async () => {
  const own = await newClinic(api);
  const doctor = await addDoctor(api, own);
  const [keep, other] = [await addPatient(api, own), await addPatient(api, own, { fullName: 'Luis Peres', dui: '00016297-5' })];
  const appointment = await book(api, own, { ...booking(doctor.id, '09:00'), patientPhone: other.phone });
  const { body: plan } = await expectStatus(201, api.post('/api/dental/treatment-plans', { patient_id: other.id, title: 'Puente' }, own));
  const entry = (patient: Body, tooth: number) =>
    expectStatus(201, api.post(`/api/dental/charts/${patient.id}/entries`, { tooth, finding: 'caries', surfaces: ['M'], status: 'existing' }, own));
  await entry(other, 36);
  await entry(keep, 11);
  await entry(other, 37);
  const pair = { keepId: keep.id, mergeId: other.id };

  const { body: preview } = await expectStatus(200, api.post('/api/patients/merge/preview', pair, own));
  expect(preview).toMatchObject({ moved: { appointments: 1 }, filled_fields: ['dui'], keep: { id: keep.id }, merge: { dui: '******97-5' } });
  const { body: merge } = await expectStatus(200, api.post('/api/patients/merge', pair, own));
  expect((await expectStatus(200, api.post('/api/patients/merge', pair, own))).body).toEqual(merge);
  expect(merge).toMatchObject({ kept_id: keep.id, merged_id: other.id, undone_at: null });
  expect((await expectStatus(200, api.get(`/api/appointments/${appointment.id}`, own))).body.patient_id).toBe(keep.id);
  expect((await expectStatus(200, api.get(`/api/patients/merges?patient_id=${other.id}`, own))).body).toEqual({
    merges: [merge],
    total: 1,
    page: 1,
    limit: 50,
  });
  expect((await expectStatus(200, api.get('/api/patients?archived=true', own))).body.patients).toMatchObject([{ id: other.id, merged_into: keep.id }]);
  expect((await expectStatus(200, api.get(`/api/patients?search=${other.phone.slice(-8)}`, own))).body.patients).toMatchObject([{ id: keep.id }]);
  expect(await api.patch(`/api/patients/${other.id}`, { notes: 'x' }, own)).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', details: [{ path: 'merged_into', message: keep.id }] },
  });

  const planOf = async () => (await expectStatus(200, api.get(`/api/dental/treatment-plans/${plan.id}`, own))).body.patient_id;
  const teethOf = async (patient: Body) =>
    (await expectStatus(200, api.get(`/api/dental/charts/${patient.id}/current`, own))).body.teeth.map((tooth: Body) => tooth.tooth).sort();
  await waitFor(async () => expect([await planOf(), await teethOf(keep)]).toEqual([keep.id, [11, 36, 37]]));
  await entry(keep, 12);
  await expectStatus(200, api.post(`/api/patients/merges/${merge.id}/undo`, undefined, own));
  expect((await expectStatus(200, api.get(`/api/appointments/${appointment.id}`, own))).body.patient_id).toBe(other.id);
  await waitFor(async () => expect([await planOf(), await teethOf(keep), await teethOf(other)]).toEqual([other.id, [11, 12], [36, 37]]));
  expect(await api.post(`/api/patients/merges/${merge.id}/undo`, undefined, own)).toMatchObject({ status: 409, body: { code: 'MERGE_NOT_UNDOABLE' } });
  expect(await api.post('/api/patients/merge', { ...pair, mergeId: randomUUID() }, own)).toMatchObject({ status: 404, body: { error: 'Patient not found' } });
});

test("a doctor's photo is re-encoded and served without a token", async () => {
  const doctor = await addDoctor(api, clinic);
  const png = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const put = (body: unknown, type: string) => api.put(`/api/doctors/${doctor.id}/photo`, body, { token: clinic.token, headers: { 'Content-Type': type } });
  const { body } = await expectStatus(200, put(png, 'image/png'));
  const photo = await fetch(body.photo_url);
  expect([photo.status, photo.headers.get('content-type')]).toEqual([200, 'image/webp']);
  expect(photo.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect((await fetch(body.photo_url, { headers: { 'If-None-Match': photo.headers.get('etag') ?? '' } })).status).toBe(304);
  expect((await put('<svg/>', 'image/svg+xml')).status).toBe(415);
  expect((await put(new Uint8Array(2 * 1024 * 1024 + 1), 'image/png')).status).toBe(413);
  await expectStatus(200, api.put(`/api/doctors/${doctor.id}`, { photoUrl: body.photo_url, bio: 'x', fullName: doctor.full_name }, clinic));
  expect((await expectStatus(200, api.delete(`/api/doctors/${doctor.id}/photo`, clinic))).body.photo_url).toBeNull();
  expect((await fetch(body.photo_url)).status).toBe(404);
});

test('only admins archive, merge and undo', async () => {
  const patient = await addPatient(api, clinic);
  const email = `r-${randomUUID()}@clinic.example`;
  await expectStatus(201, api.post('/api/users', { fullName: 'Carla', email, password: clinic.password, phone: freshPhone() }, clinic));
  const { access_token: token } = (await expectStatus(200, api.post('/api/auth/login', { email, password: clinic.password }))).body;
  for (const [method, path, body] of [
    ['DELETE', `/api/patients/${patient.id}`, undefined],
    ['POST', `/api/patients/${patient.id}/restore`, undefined],
    ['POST', '/api/patients/merge', { keepId: patient.id, mergeId: patient.id }],
    ['POST', '/api/patients/merge/preview', { keepId: patient.id, mergeId: patient.id }],
    ['POST', `/api/patients/merges/${patient.id}/undo`, undefined],
  ] as const)
    expect(await api.send(method, path, body, { token })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
});

test('a file in a form is stored with its name, and served as a download that a browser does not execute', async () => {
  const patient = await addPatient(api, clinic);
  const path = `/api/patients/${patient.id}/files`;
  const content = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#778899' } })
    .png()
    .toBuffer();
  const formOf = (bytes: Uint8Array<ArrayBuffer>, name: string) => {
    const form = new FormData();
    form.set('file', new Blob([bytes], { type: 'text/html' }), name);
    return form;
  };
  const key = { ...clinic, headers: { 'Idempotency-Key': randomUUID() } };
  const send = () => api.postForm(`${path}?description=Antes`, formOf(new Uint8Array(content), 'radiografía 1.png'), key);
  const { body } = await expectStatus(201, send());
  expect(body).toMatchObject({ name: 'radiografía 1.png', kind: 'photo', content_type: 'image/png', size: content.length, description: 'Antes' });
  expect((await expectStatus(201, send())).body.id).toBe(body.id);
  const download = await fetch(api.baseUrl + body.content_url, { headers: { Authorization: `Bearer ${clinic.token}` } });
  expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true);
  expect(Object.fromEntries(download.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': expect.stringMatching(/^attachment; .*filename\*=UTF-8''radiograf%C3%ADa%201\.png$/),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  const html = new TextEncoder().encode('<script>alert(1)</script>');
  expect(await api.postForm(path, formOf(html, 'a.png'), clinic)).toMatchObject({ status: 415 });
  expect(await api.post(path, content, { token: clinic.token, headers: { 'Content-Type': 'image/png' } })).toMatchObject({ status: 415 });
  expect((await expectStatus(200, api.get(path, clinic))).body).toMatchObject({ total: 1, page: 1, limit: 50 });
});
