import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { activeState, RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
let authorization: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  authorization = `Bearer ${await gateway.token()}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.calls.length = 0;
});

const patient = { fullName: 'María López', phone: '+50370001234' };

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, path = '/api/patients') {
  const response = await fetch(gateway.url + path, { method: 'POST', headers: { authorization, 'content-type': 'application/json', ...headers }, body });
  const json = (await response.json()) as { code?: string; error?: string; details?: { path: string; message: string }[] };
  return { status: response.status, ...json };
}

describe('a body that is not a plain JSON object is refused', () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  const accepted = '{"fullName":"A","phone":"+50370001234",';
  test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
    ['half an object', '{"fullName":', 'INVALID_JSON'],
    ['a comment', '{} // nothing', 'INVALID_JSON'],
    ['text that is not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'INVALID_JSON'],
    ['a surrogate in raw bytes', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'INVALID_JSON'],
    ['an array', '[]', 'VALIDATION_ERROR'],
    ['a text', '"a"', 'VALIDATION_ERROR'],
    ['null', 'null', 'VALIDATION_ERROR'],
    ['a name twice', `${accepted}"phone":"+50370001235"}`, 'VALIDATION_ERROR'],
    ['a name twice, once in escapes', `${accepted}"ph\\u006fne":"+50370001235"}`, 'VALIDATION_ERROR'],
    ['a name twice in a nested object', `${accepted}"x":[{"a":1,"b":[],"a":2}]}`, 'VALIDATION_ERROR'],
    ['__proto__', `${accepted}"__proto__":{"isAdmin":true}}`, 'VALIDATION_ERROR'],
    ['__proto__ in escapes', `${accepted}"\\u005f_proto__":1}`, 'VALIDATION_ERROR'],
    ['constructor below', `${accepted}"x":{"constructor":{"prototype":1}}}`, 'VALIDATION_ERROR'],
    ['33 levels', deep(33), 'VALIDATION_ERROR'],
    ['100,000 levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'VALIDATION_ERROR'],
    ['NUL', '{"fullName":"A\\u0000","phone":"+50370001234"}', 'VALIDATION_ERROR'],
    ['a lone surrogate', '{"fullName":"A\\ud83d","phone":"+50370001234"}', 'VALIDATION_ERROR'],
    ['NUL in an unknown field', `${accepted}"x":["\\u0000"]}`, 'VALIDATION_ERROR'],
  ])('%s', async (_name, body, code) => {
    expect(await post(body)).toMatchObject({ status: 400, code });
    expect(gateway.calls).toEqual([]);
  });

  test.each([
    ['{"fullName":"A","phone":"\\u0000"}', 'phone'],
    ['{"fullName":"A","x":[{"y":"\\ud83d"}]}', 'x.0.y'],
    ['{"fullName":"A","x":{"\\u0000":1}}', 'x'],
  ])('%s is reported with the path of the text', async (body, path) => {
    expect(await post(body)).toMatchObject({ status: 400, details: [{ path, message: 'must be well-formed text without NUL' }] });
  });

  test('unusual but valid JSON is accepted', async () => {
    const odd = `{ "fullName" : "a\\"b,\\\\\\"{[" , "phone":"+50370001234","x":${deep(31)},"y":[{"a":1},{"a":2}],"z":"\\ud83d\\ude00 \\u00e9" }`;
    expect((await post(odd)).status).toBe(201);
    expect(gateway.calls[0]?.request).toMatchObject({ fullName: 'a"b,\\"{[' });
  });

  test('at most 256 KiB, with or without Content-Length', async () => {
    const sized = (size: number) => `{"fullName":"A","phone":"+50370001234","x":"${'x'.repeat(size)}"}`;
    expect((await post(sized(200_000))).status).toBe(201);
    expect(await post(sized(270_000))).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    const chunks = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 5; i++) controller.enqueue(new TextEncoder().encode('x'.repeat(100_000)));
        controller.close();
      },
    });
    const request = { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: chunks, duplex: 'half' };
    expect((await fetch(`${gateway.url}/api/patients`, request as RequestInit)).status).toBe(413);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'application/jsonp', ''])(
    'Content-Type %s is 415',
    async (type) => {
      expect(await post(JSON.stringify(patient), { 'content-type': type })).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    },
  );

  test('charset UTF-8 is accepted, a content encoding is not', async () => {
    expect((await post(JSON.stringify(patient), { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(201);
    expect((await post(JSON.stringify(patient), { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  test('no body means an empty object', async () => {
    const response = await fetch(`${gateway.url}/api/patients`, { method: 'POST', headers: { authorization } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'fullName' }, { path: 'phone' }] });
  });
});

describe('fields', () => {
  test('all invalid values are listed, of query and body together', async () => {
    const result = await post(
      JSON.stringify({ fullName: '  ', phone: 5, dui: '1', birthDate: '2026-02-30', email: 'x', gender: 'robot', notes: 'x'.repeat(5001) }),
    );
    expect(result).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(result.details?.map(({ path }) => path).sort()).toEqual(['birthDate', 'dui', 'email', 'fullName', 'gender', 'notes', 'phone']);
  });

  test('each has one error, also a number beyond the safe integers and a text that breaks two rules', async () => {
    const doctor = await post('{"fullName":"A","consultationDurationMinutes":1e20,"bufferTimeMinutes":-1e20}', {}, '/api/doctors');
    expect(doctor.details).toEqual([
      { path: 'consultationDurationMinutes', message: 'must be at most 480' },
      { path: 'bufferTimeMinutes', message: 'must be at least 0' },
    ]);
    const booking = { doctorId: RECORD_ID, appointmentDate: '2026-08-03', startTime: '09:30Z', patientName: 'A', patientPhone: '+50370001234' };
    const appointment = await post(JSON.stringify(booking), {}, '/api/appointments');
    expect(appointment.details).toEqual([{ path: 'startTime', message: 'must be HH:MM' }]);
  });

  test('on creation null and empty mean absent', async () => {
    expect((await post(JSON.stringify({ ...patient, dui: '', email: null, birthDate: null, notes: '' }))).status).toBe(201);
    expect(gateway.calls[0]?.request).toEqual({ $typeName: 'clinic.scheduling.v1.CreatePatientRequest', fullName: 'María López', phone: '+50370001234' });
  });

  test('on change null and empty clear a field, and an absent one stays', async () => {
    const headers = { authorization, 'content-type': 'application/json' };
    await fetch(`${gateway.url}/api/patients/${RECORD_ID}`, { method: 'PATCH', headers, body: '{"email":null,"dui":"","fullName":"B"}' });
    expect(gateway.calls[0]?.request).toEqual({ $typeName: 'clinic.scheduling.v1.UpdatePatientRequest', id: RECORD_ID, email: '', dui: '', fullName: 'B' });
  });

  test('clinic_id and other unknown fields are ignored', async () => {
    expect((await post(JSON.stringify({ ...patient, clinic_id: RECORD_ID, clinicId: RECORD_ID, toString: 1 }))).status).toBe(201);
    expect(Object.keys(gateway.calls[0]?.request ?? {})).toEqual(['$typeName', 'fullName', 'phone']);
  });

  test('an absent list of hours is distinguished from an empty one', async () => {
    const headers = { authorization, 'content-type': 'application/json' };
    const put = (body: object) => fetch(`${gateway.url}/api/doctors/${RECORD_ID}`, { method: 'PUT', headers, body: JSON.stringify(body) });
    await put({ fullName: 'A' });
    await put({ workingHours: [] });
    await put({ workingHours: [{ dayOfWeek: 1, startTime: '08:00', endTime: '12:00', clinic_id: 'x' }], is_active: true });
    expect(gateway.calls.map(({ request }) => request.workingHours)).toMatchObject([
      undefined,
      { ranges: [] },
      { ranges: [{ dayOfWeek: 1, startTime: '08:00', endTime: '12:00' }] },
    ]);
    expect(gateway.calls[2]?.request.isActive).toBe(true);
  });
});

describe('queries', () => {
  const get = async (path: string) => {
    const response = await fetch(gateway.url + path, { headers: { authorization } });
    return { status: response.status, ...((await response.json()) as object) };
  };
  test.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=',
    'page=x',
    'page=99999999999',
    'limit=0',
    'limit=501',
    'page=1&page=2',
    'status=open',
    'status=',
    'date=2026-02-30',
    'date=2025-02-29',
    'date=2026-13-01',
    'date=26-01-01',
    'date=2026-01-01T00:00:00Z',
    'doctor_id=1',
    'doctor_id=',
    'date=%00',
    'date=%ff',
    'doctor_id=%ED%A0%80',
    '%ff=1',
  ])('?%s is 400', async (query) => {
    expect(await get(`/api/appointments?${query}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(gateway.calls).toEqual([]);
  });

  test('defaults and a leap day', async () => {
    expect((await get('/api/appointments?&date=2028-02-29&')).status).toBe(200);
    expect(gateway.calls[0]?.request).toMatchObject({ date: '2028-02-29', page: 1, limit: 50 });
  });

  test.each(['limit=0x10', 'limit=1e2', 'limit=%2B5', 'limit=5.0', 'page=1e2', 'limit=501', 'limit=0', 'date=9999-12-31', 'date=%FF'])(
    '%s is refused',
    async (query) => {
      expect(await get(`/api/appointments?${query}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', details: [{ path: query.split('=')[0] }] });
    },
  );

  test('plus and percent are decoded', async () => {
    await get('/api/patients?search=Mar%C3%ADa+L%C3%B3pez%2B');
    expect(gateway.calls[0]?.request.search).toBe('María López+');
  });

  test('the offset of an instant is respected', async () => {
    await get('/api/appointments/notifications?since=2026-08-03T08:00:00-06:00');
    expect(gateway.calls[0]?.request.since).toMatchObject({ seconds: 1785765600n });
    expect((await get('/api/appointments/notifications?since=yesterday')).status).toBe(400);
  });

  test.each(['0000-12-31T23:59:59Z', '0001-01-01T00:00:00%2B00:01', '9999-12-31T23:59:59-00:01'])('the instant %s is refused', async (since) => {
    const details = [{ path: 'since', message: 'must be in the years 0001 to 9999, in UTC' }];
    expect(await get(`/api/appointments/notifications?since=${since}`)).toMatchObject({ status: 400, details });
  });
});

describe('Idempotency-Key', () => {
  test('is passed to the service on creation', async () => {
    await post(JSON.stringify(patient), { 'idempotency-key': 'order 66' });
    expect(gateway.calls[0]?.idempotencyKey).toBe('order 66');
  });

  test.each(['x'.repeat(256), 'caf\u00e9', ''])('%.10s is refused', async (key) => {
    expect(await post(JSON.stringify(patient), { 'idempotency-key': key })).toMatchObject({ status: 400, details: [{ path: 'Idempotency-Key' }] });
  });

  test('is ignored where nothing is created', async () => {
    const response = await fetch(`${gateway.url}/api/doctors`, { headers: { authorization, 'idempotency-key': 'x'.repeat(300) } });
    expect(response.status).toBe(200);
    expect(gateway.calls[0]?.idempotencyKey).toBeUndefined();
  });
});

describe('bodies that are files', () => {
  const put = async (body: RequestInit['body'], headers: Record<string, string>) => {
    const response = await fetch(`${gateway.url}/api/users/me/photo`, {
      method: 'PUT',
      headers: { authorization, ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, ...((await response.json()) as { code?: string; error?: string }) };
  };
  const png = { 'content-type': 'image/png' };

  test('reach the service byte for byte, with their type', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect((await put(bytes, { 'content-type': 'Image/PNG; charset=binary' })).status).toBe(200);
    expect(gateway.calls).toMatchObject([{ rpc: 'UserService.setPhoto', request: { contentType: 'image/png' } }]);
    expect(Buffer.from(gateway.calls[0]?.request.content as Uint8Array).equals(Buffer.from(bytes))).toBe(true);
  });

  test.each([
    ['another type', 'x', { 'content-type': 'image/svg+xml' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no type', new Uint8Array([1]), {}, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['JSON', '{}', { 'content-type': 'application/json' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a compressed body', 'x', { ...png, 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['nothing', undefined, png, 400, 'VALIDATION_ERROR'],
    ['too much', new Uint8Array(2 * 1024 * 1024 + 1), png, 413, 'PAYLOAD_TOO_LARGE'],
  ] as [string, RequestInit['body'], Record<string, string>, number, string][])('%s is refused', async (_name, body, headers, status, code) => {
    expect(await put(body, headers)).toMatchObject({ status, code });
    expect(gateway.calls).toEqual([]);
  });

  test('a body that is too large without Content-Length is cut off', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    const chunks = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 4; n++) controller.enqueue(chunk);
        controller.close();
      },
    });
    const response = await fetch(`${gateway.url}/api/users/me/photo`, {
      method: 'PUT',
      headers: { authorization, ...png },
      body: chunks,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(gateway.calls).toEqual([]);
  });
});

describe('a form with a file', () => {
  const send = async (parts: [string, string | Blob][], headers: Record<string, string> = {}, query = '') => {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    const response = await fetch(`${gateway.url}/api/patients/import${query}`, { method: 'POST', headers: { authorization, ...headers }, body });
    const { details } = (await response.json()) as { details?: { path: string }[] };
    return { status: response.status, warning: response.headers.get('warning'), paths: details?.map(({ path }) => path) };
  };
  const file: [string, Blob] = ['file', new Blob(['nombre,telefono\n'])];
  const completed = () => gateway.calls.filter(({ rpc }) => rpc === 'PatientBulkService.finishPatientImport').length;
  beforeEach(() => {
    gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, features: ['csv_import'] });
    gateway.replies['PatientBulkService.beginPatientImport'] = () => ({ id: RECORD_ID });
  });
  afterAll(() => {
    delete gateway.replies['AccessService.resolveAccess'];
  });

  test('completes once, and names the fields that it ignored, before and after the file', async () => {
    const warning = '299 - "unknown field comment", 299 - "unknown field after"';
    expect(await send([['comment', 'x'], file, ['after', 'x']], {}, '?dryRun=true')).toEqual({ status: 200, warning, paths: undefined });
    expect(completed()).toBe(1);
  });

  test.each([
    ['a parameter of the query before the file', [['dryRun', 'true'], file], {}, ['dryRun']],
    ['a parameter of the query after the file', [file, ['dryRun', 'true']], {}, ['dryRun']],
    ['a second file', [file, ['other', new Blob(['x'])]], {}, ['body']],
    ['an unknown field with strict handling', [file, ['comment', 'x']], { prefer: 'handling=strict' }, ['comment']],
    ['no file', [['comment', 'x']], {}, ['body']],
  ] as [string, [string, string | Blob][], Record<string, string>, string[]][])('with %s completes nothing', async (_name, parts, headers, paths) => {
    expect(await send(parts, headers)).toMatchObject({ status: 400, paths });
    expect(completed()).toBe(0);
  });
});
