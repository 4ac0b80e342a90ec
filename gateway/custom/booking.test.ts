import { gzipSync } from 'node:zlib';
import { refuseReadOnly, ServiceError } from '@clinic/lib/errors/errors.ts';
import { addMonths, dateIn } from '@clinic/lib/formats/local-date.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const [TYPE, ANA, BETO] = ['a', 'b', 'c'].map((digit) => `0198a3f2-7c1e-7d4b-9a53-00000000000${digit}`) as [string, string, string];
const ORIGIN = 'https://sonrisa.example';
const clinic = {
  ...{ slug: 'sonrisa', name: 'Sonrisa <& Cía>', phone: '+50322001100', address: 'Calle Arce 12', timezone: 'America/El_Salvador' },
  types: [
    { id: TYPE, name: 'Limpieza', durationMinutes: 30, doctorIds: [ANA, BETO], cancellationText: 'Avise un día antes' },
    { id: RECORD_ID, name: 'Cirugía', durationMinutes: 60, doctorIds: [ANA] },
  ],
  doctors: [
    { id: ANA, fullName: 'Dra. Ana Rivas', specialty: 'Ortodoncia' },
    { id: BETO, fullName: 'Dr. Beto Cruz' },
  ],
  embeddingOrigins: [ORIGIN],
};
const begun = {
  bookingId: RECORD_ID,
  status: 'code_sent',
  channel: 'chat',
  sentTo: '234',
  typeId: TYPE,
  doctorId: ANA,
  date: '2030-08-05',
  startTime: '15:30',
};
const PAGE = `/manage/${'a'.repeat(66)}`;
const appointment = {
  ...{ status: 'open', date: '2030-08-05', startTime: '23:45', endTime: '00:15', typeName: 'Limpieza <x>', doctorName: 'Dra. Ana Rivas' },
  ...{ clinicName: 'Sonrisa', clinicPhone: '+50322001100', clinicAddress: 'Calle Arce 12', timezone: 'America/El_Salvador' },
  ...{ cancellationText: 'Avise un día antes', bookingSlug: 'sonrisa', embeddingOrigins: [ORIGIN] },
};
const chosen = { type: TYPE, doctor: 'any', date: '2030-08-05', time: '15:30', key: 'one-key' };
const details = { name: 'Rosa "Ro" Díaz', phone: '7000 1234', email: '', notes: '' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(() => {
  gateway.calls.length = 0;
  Object.assign(gateway.replies, {
    'PublicBookingService.getBookableClinic': () => clinic,
    'PublicBookingService.listBookableDays': () => ({
      days: [
        { date: '2030-08-04', free: 0 },
        { date: '2030-08-05', free: 2 },
      ],
    }),
    'PublicBookingService.listBookableSlots': () => ({ slots: [{ startTime: '15:30', endTime: '16:00' }] }),
    'PublicBookingService.beginBooking': () => begun,
    'PublicBookingService.getBooking': () => begun,
  });
});
afterAll(() => gateway.stop());

const open = async (query: Record<string, string> = {}, path = '/book/sonrisa', language = 'es') => {
  const response = await fetch(`${gateway.url}${path}?${new URLSearchParams(query)}`, { headers: { 'Accept-Language': language } });
  return { status: response.status, headers: response.headers, html: await response.text() };
};
const follow = (link: string) => {
  const [path = '', query] = link.split('?');
  return open(Object.fromEntries(new URLSearchParams(query)), path);
};
const send = async (fields: Record<string, string>, path = '/book/sonrisa', headers: Record<string, string> = {}) => {
  const response = await fetch(gateway.url + path, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' });
  const { status, headers: received } = response;
  return {
    status,
    location: received.get('location'),
    retryAfter: received.get('retry-after'),
    cache: received.get('cache-control'),
    policy: received.get('content-security-policy'),
    frame: received.get('x-frame-options'),
    cookie: received.get('set-cookie'),
    html: await response.text(),
  };
};
const linksOf = (html: string) => [...html.matchAll(/class="choice" href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
const requestOf = (rpc: string, index = 0) => gateway.calls.filter((call) => call.rpc === `PublicBookingService.${rpc}`).at(index);

test('links lead from the choice of a type through doctor, day and time to the form', async () => {
  const first = await open();
  expect(first.html).toContain('<title>¿Qué cita necesita? · Pedir una cita · Sonrisa &lt;&amp; Cía&gt;</title>');
  expect(first.html).toContain('Limpieza');
  const texts = ['Con quien esté libre primero', 'lunes 5 de agosto', '3:30 p. m.'];
  let [link = ''] = linksOf(first.html);
  for (const text of texts) {
    const { status, html } = await follow(link);
    expect(status).toBe(200);
    expect(html).toContain(text);
    [link = ''] = linksOf(html);
  }
  const form = await follow(link);
  for (const name of ['name', 'phone', 'email', 'notes', 'key']) expect(form.html).toContain(`name="${name}"`);
  expect(form.html).toContain('Avise un día antes');
  // The type has one doctor: the choice is skipped.
  expect((await open({ type: RECORD_ID })).html).toContain('Elija el día');
  expect((await open({ type: TYPE }, '/book/sonrisa', 'en-GB')).html).toContain('With whom?');
});

test('the page of a code says where it was sent, and leads back to the details, which replace the booking', async () => {
  const { html } = await open({}, `/book/sonrisa/${RECORD_ID}`);
  expect(html).toContain('por WhatsApp al teléfono que termina en 234.');
  const [, correct = ''] = html.match(/href="([^"]+)">Corregir mis datos</) ?? [];
  const form = (await follow(correct.replaceAll('&amp;', '&'))).html;
  // The same key after a reload.
  for (const name of ['replaces', 'key']) expect(form).toContain(`name="${name}" value="${RECORD_ID}"`);
  await send({ ...chosen, ...details, replaces: RECORD_ID });
  expect(requestOf('beginBooking')?.request).toMatchObject({ replaces: RECORD_ID, date: '2030-08-05', startTime: '15:30' });
  // On the way back through all steps, and forward again, the links retain which booking is replaced.
  const linkBack = (html: string) => html.match(/href="([^"]+)">Atrás</)?.[1]?.replaceAll('&amp;', '&') ?? '';
  let page = form;
  const questions = ['Elija la hora', 'Elija el día', '¿Con quién?', '¿Qué cita necesita?'];
  for (const question of questions) {
    const link = linkBack(page);
    expect(link).toContain(`replaces=${RECORD_ID}`);
    page = (await follow(link)).html;
    expect(page).toContain(`<h1>${question}</h1>`);
  }
  for (const question of [...questions.slice(0, -1).reverse(), 'Sus datos']) {
    const [link = ''] = linksOf(page);
    expect(link).toContain(`replaces=${RECORD_ID}`);
    page = (await follow(link)).html;
    expect(page).toContain(`<h1>${question}</h1>`);
  }
  gateway.replies['PublicBookingService.getBooking'] = () => ({ ...begun, channel: 'mail', sentTo: 'r…@example.com' });
  expect((await open({}, `/book/sonrisa/${RECORD_ID}`, 'en')).html).toContain('by email to r…@example.com.');
});

test('details that were corrected after going back in the browser replace the booking that was begun with them', async () => {
  const [second = '', third = '', fourth = '', fifth = ''] = ['d', 'e', 'f', '9'].map((digit) => `0198a3f2-7c1e-7d4b-9a53-00000000000${digit}`);
  const ids = [RECORD_ID, second, third];
  const known = new Map<string | undefined, [request: string, id: string | undefined]>();
  gateway.replies['PublicBookingService.beginBooking'] = (request: object, { idempotencyKey }: Call) => {
    const sent = JSON.stringify(request);
    const [first, bookingId] = known.get(idempotencyKey) ?? [sent, ids.shift()];
    known.set(idempotencyKey, [first, bookingId]);
    if (first !== sent) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
    return { ...begun, bookingId };
  };
  const book = (phone: string, cookie = '') => send({ ...chosen, ...details, phone }, '/book/sonrisa', { cookie });
  const first = await book('7000 1234');
  const cookie = `__Host-booking-one-key=${RECORD_ID}`;
  // Browsers store it in a frame on the clinic's website too.
  expect(first.cookie).toBe(`${cookie}; Max-Age=600; Path=/; HttpOnly; Secure; Partitioned; SameSite=None`);
  expect((await book('7000 1234', cookie)).location).toBe(`/book/sonrisa/${RECORD_ID}`);
  // With HOST_COOKIES the prefix is removed from the names of cookies.
  for (const sent of [cookie, cookie.replace('__Host-', '')]) expect((await book('7000 4321', sent)).location).toBe(`/book/sonrisa/${second}`);
  expect(requestOf('beginBooking', -1)).toMatchObject({ request: { replaces: RECORD_ID, phone: '7000 4321' }, idempotencyKey: RECORD_ID });
  expect((await book('7000 9999', `__Host-booking-one-key=${second}`)).location).toBe(`/book/sonrisa/${third}`);
  expect(requestOf('beginBooking', -1)?.request.replaces).toBe(second);
  for (const other of ['', `__Host-booking-other=${RECORD_ID}`, '__Host-booking-one-key=x'])
    expect((await book('7000 5555', other)).html).toContain('Esa hora ya no está libre');
  // The patient has used «Corregir mis datos» before going back to the first form: the newest of the bookings is replaced.
  ids.push(fourth);
  const named = (...values: [key: string, id: string][]) => values.map(([key, id]) => `__Host-booking-${key}=${id}`);
  const corrected = await book('7000 6666', named(['one-key', RECORD_ID], [RECORD_ID, second], [second, third]).join('; '));
  expect(corrected.location).toBe(`/book/sonrisa/${fourth}`);
  expect(requestOf('beginBooking', -1)?.request.replaces).toBe(third);
  for (const one of named(['one-key', fourth], [RECORD_ID, fourth], [second, fourth], [third, fourth])) expect(corrected.cookie).toContain(`${one};`);
  // The first details again: the booking that they began was replaced.
  ids.push(fifth);
  const newest = named(['one-key', fourth], [RECORD_ID, fourth], [second, fourth], [third, fourth]).join('; ');
  expect((await book('7000 1234', newest)).location).toBe(`/book/sonrisa/${fifth}`);
  expect(requestOf('beginBooking', -1)?.request.replaces).toBe(fourth);
  gateway.calls.length = 0;
  const circle = named(['one-key', RECORD_ID], [RECORD_ID, second], [second, RECORD_ID]).join('; ');
  expect((await book('7000 7777', circle)).html).toContain('Esa hora ya no está libre');
  expect(gateway.calls.filter(({ rpc }) => rpc === 'PublicBookingService.beginBooking')).toHaveLength(6);
});

test('a client of the API replaces a booking too', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ typeId: TYPE, date: '2030-08-05', startTime: '15:30', name: 'Rosa Díaz', phone: '7000 1234', replaces: RECORD_ID });
  const { status } = await fetch(`${gateway.url}/api/public/clinics/sonrisa/bookings`, { method: 'POST', headers, body });
  expect([status, requestOf('beginBooking')?.request.replaces]).toEqual([202, RECORD_ID]);
});

test('when the time was lost before the code was entered, the page shows the other times, which replace the booking', async () => {
  const path = `/book/sonrisa/${RECORD_ID}`;
  gateway.replies['PublicBookingService.confirmBooking'] = () => {
    throw new ServiceError('SLOT_UNAVAILABLE');
  };
  const lost = await send({ code: '123456' }, path);
  expect([lost.status, lost.html.includes('Esa hora ya no está libre')]).toEqual([409, true]);
  const [link = ''] = linksOf(lost.html);
  for (const part of [`type=${TYPE}`, `doctor=${ANA}`, 'date=2030-08-05', `replaces=${RECORD_ID}`]) expect(link).toContain(part);
  gateway.replies['PublicBookingService.getBooking'] = () => ({ ...begun, typeId: ANA });
  expect(await send({ code: '123456' }, path)).toMatchObject({ status: 303, location: `/book/sonrisa?replaces=${RECORD_ID}` });
});

test('a month to which no link of the page leads is replaced by the current month', async () => {
  const monthOf = async (month: string) => {
    await open({ type: TYPE, doctor: 'any', month });
    return gateway.calls.findLast(({ rpc }) => rpc.endsWith('.listBookableDays'))?.request.month;
  };
  const current = await monthOf('');
  expect(current).toMatch(/^\d{4}-\d{2}$/);
  for (const month of ['2020-01', '2199-12', '2030-13', 'x']) expect(await monthOf(month)).toBe(current);
});

test.each([
  ['PublicBookingService.listBookableDays', '/book/sonrisa', { type: TYPE, doctor: 'any' }],
  ['ManageLinkService.listManagedDays', PAGE, { step: 'move' }],
] as const)('%s: while the rest of the month has no free times, the first page shows the next month', async (rpc, path, query) => {
  let free = 1;
  gateway.replies['ManageLinkService.getManagedAppointment'] = () => appointment;
  gateway.replies[rpc] = ({ month }: { month: string }) => ({ days: [{ date: `${month}-15`, free: month === current ? 0 : free }] });
  const monthsOf = async (more: object = {}) => {
    gateway.calls.length = 0;
    const { html } = await open({ ...query, ...more }, path);
    return [html.includes('No hay horarios libres'), ...gateway.calls.filter((call) => call.rpc === rpc).map(({ request }) => request.month)];
  };
  const current = dateIn(clinic.timezone, new Date()).slice(0, 7);
  const next = addMonths(current, 1);
  expect(await monthsOf()).toEqual([false, current, next]);
  expect(await monthsOf({ month: current })).toEqual([true, current]);
  free = 0;
  expect(await monthsOf()).toEqual([true, current, next]);
});

test('the page permits its own style and form, and embedding by the listed origins only', async () => {
  const listed = await open();
  expect(listed.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors https:\/\/sonrisa\.example; base-uri 'none'$/,
  );
  expect(listed.headers.get('x-frame-options')).toBeNull();
  expect(listed.headers.get('cache-control')).toBe('no-store');
  gateway.replies['PublicBookingService.getBookableClinic'] = () => ({ ...clinic, embeddingOrigins: [] });
  const alone = await open();
  expect(alone.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(alone.headers.get('x-frame-options')).toBe('SAMEORIGIN');
});

test('a form that is sent twice has the same key both times, and redirects to the page of the booking', async () => {
  for (let time = 0; time < 2; time++) expect(await send({ ...chosen, ...details })).toMatchObject({ status: 303, location: `/book/sonrisa/${RECORD_ID}` });
  const sent = gateway.calls.filter(({ rpc }) => rpc.endsWith('.beginBooking'));
  expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['one-key', 'one-key']);
  expect(sent[0]?.request).toMatchObject({ slug: 'sonrisa', typeId: TYPE, date: '2030-08-05', startTime: '15:30', name: 'Rosa "Ro" Díaz', phone: '7000 1234' });
  expect(sent[0]?.request.doctorId).toBeUndefined();
  expect((await send({ ...details, type: TYPE })).location).toBe(`/book/sonrisa?type=${TYPE}`);
});

test('a refused form retains the input; when the time was taken, the page shows the other times', async () => {
  const refuse = (reason: 'VALIDATION_ERROR' | 'SLOT_TAKEN' | 'BOOKING_AT_DESK', path = '') => {
    gateway.replies['PublicBookingService.beginBooking'] = () => {
      throw new ServiceError(reason, undefined, path ? [{ path, message: 'is wrong' }] : undefined);
    };
    return send({ ...chosen, ...details });
  };
  const invalid = await refuse('VALIDATION_ERROR', 'phone');
  expect([invalid.status, invalid.cache]).toEqual([400, 'private, no-cache']); // no-store would break the way back to it
  expect(invalid.html).toContain('Escriba un número de teléfono válido.');
  expect(invalid.html).toContain('value="Rosa &quot;Ro&quot; Díaz"');
  expect(invalid.html).toContain('value="one-key"');
  const taken = await refuse('SLOT_TAKEN');
  expect([taken.status, linksOf(taken.html).length]).toEqual([409, 1]);
  expect(taken.html).toContain('Esa hora ya no está libre');
  expect((await refuse('BOOKING_AT_DESK')).html).toContain('<a href="tel:+50322001100">+50322001100</a>');
});

test('a line break of a text counts as one character, as in the browser, which sends two', async () => {
  await send({ ...chosen, ...details, notes: 'a\r\nb\rc\nd' });
  expect(requestOf('beginBooking')?.request.notes).toBe('a\nb\nc\nd');
});

test('all refused fields are marked at once, each with its own message, and the browser does not report them one at a time', async () => {
  gateway.replies['PublicBookingService.beginBooking'] = () => {
    throw new ServiceError(
      'VALIDATION_ERROR',
      undefined,
      ['name', 'phone', 'email'].map((path) => ({ path, message: 'is wrong' })),
    );
  };
  const { html } = await send({ ...chosen, ...details });
  expect(html).toMatch(/<form [^>]*novalidate/);
  for (const name of ['name', 'phone', 'email']) {
    expect(html).toContain(`id="fault-${name}"`);
    expect(html).toMatch(new RegExp(`<input [^>]*name="${name}" aria-describedby="fault-${name}[^"]*" aria-invalid="true"`));
  }
  expect(html.match(/autofocus/g)).toHaveLength(1);
  expect(html).not.toContain('id="fault-notes"');
});

test('an error page offers the phone of the clinic as a link, and is shown where the page itself is embedded', async () => {
  gateway.replies['PublicBookingService.beginBooking'] = () => {
    throw new ServiceError('RATE_LIMITED', undefined, [{ path: 'retry_after', message: '3600' }]);
  };
  const busy = await send({ ...chosen, ...details });
  expect([busy.status, busy.retryAfter]).toEqual([429, '3600']);
  expect(busy.html).toContain('href="tel:+50322001100"');
  expect([busy.policy?.includes(`frame-ancestors ${ORIGIN};`), busy.frame]).toEqual([true, null]);
});

test('a page of a read-only clinic, which has nothing to book, says so at once; a change is refused with Retry-After', async () => {
  gateway.replies['PublicBookingService.getBookableClinic'] = () => ({ ...clinic, types: [] });
  const { html } = await open(chosen);
  for (const text of ['Por ahora no se pueden pedir citas en esta página', 'href="tel:+50322001100"']) expect(html).toContain(text);
  gateway.replies['ManageLinkService.getManagedAppointment'] = () => appointment;
  gateway.replies['ManageLinkService.cancelManagedAppointment'] = () => {
    refuseReadOnly({ readOnly: true });
  };
  const refused = await send({ action: 'cancel' }, PAGE);
  expect([refused.status, refused.retryAfter]).toEqual([503, '60']);
  for (const text of ['Por ahora no se puede cambiar su cita en línea', 'href="tel:+50322001100"']) expect(refused.html).toContain(text);
  delete gateway.replies['ManageLinkService.cancelManagedAppointment'];
});

test('a correct code confirms the booking and leads to the page of the appointment', async () => {
  const path = `/book/sonrisa/${RECORD_ID}`;
  const asked = (await open({}, path)).html;
  for (const text of ['autocomplete="one-time-code"', 'lunes 5 de agosto, 3:30\u00A0p.\u00A0m.']) expect(asked).toContain(text);
  expect(asked).not.toContain('aria-invalid=');
  gateway.replies['PublicBookingService.confirmBooking'] = () => {
    throw new ServiceError('INVALID_OTP');
  };
  const wrong = await send({ code: '000000' }, path);
  expect([wrong.status, wrong.html.includes('El código no es correcto')]).toEqual([400, true]);
  expect(wrong.html).toContain('aria-describedby="fault" aria-invalid="true" autofocus');
  gateway.replies['PublicBookingService.confirmBooking'] = () => begun;
  for (const code of [' 123456 ', '123 456', '123-456', '12 34–56']) {
    expect(await send({ code }, path)).toMatchObject({ status: 303, location: path });
    expect(gateway.calls.findLast(({ rpc }) => rpc.endsWith('.confirmBooking'))?.request).toMatchObject({ id: RECORD_ID, code: '123456' });
  }
  gateway.replies['PublicBookingService.getBooking'] = () => ({ ...begun, status: 'confirmed', manageUrl: `https://clinic.example${PAGE}` });
  gateway.replies['ManageLinkService.getManagedAppointment'] = () => appointment;
  const { html } = await open({}, path);
  for (const text of ['Su cita está reservada', 'Calle Arce 12', 'Avise un día antes', `${PAGE}/calendar.ics`, 'href="tel:+50322001100"'])
    expect(html).toContain(text);
  gateway.replies['PublicBookingService.getBooking'] = () => ({ ...begun, status: 'closed' });
  expect((await open({}, path)).html).toContain('Esta solicitud ya no es válida');
});

test('on the page of an appointment a patient confirms, moves or cancels it; nothing changes before a form is sent', async () => {
  gateway.replies['ManageLinkService.getManagedAppointment'] = () => appointment;
  gateway.replies['ManageLinkService.listManagedDays'] = () => ({ days: [{ date: '2030-08-06', free: 1 }] });
  gateway.replies['ManageLinkService.listManagedSlots'] = () => ({ slots: [{ startTime: '10:00', endTime: '10:30' }] });
  const [day = ''] = linksOf((await open({ step: 'move' }, PAGE)).html);
  const [time = ''] = linksOf((await follow(day)).html);
  const form = await follow(time);
  const move = [
    '¿Cambiar la hora de su cita?',
    'lunes 5 de agosto, 11:45\u00A0p.\u00A0m.',
    'martes 6 de agosto, 10:00\u00A0a.\u00A0m.',
    'Limpieza &lt;x&gt;',
    'Dra. Ana Rivas',
  ];
  for (const text of move) expect(form.html).toContain(text);
  const changes = () =>
    gateway.calls.filter(({ rpc }) => /(confirm|move|cancel)Managed/.test(rpc)).map(({ rpc, request }) => ({ rpc: rpc.split('.')[1], request }));
  expect((await open({ step: 'cancel' }, PAGE, 'en')).html).toContain('Cancel your appointment?');
  expect(changes()).toEqual([]);
  expect((await open({}, PAGE)).html).toContain('Confirmar que asistiré');
  const seen = { date: '2030-08-05', time: '23:45' };
  expect(await send({ action: 'confirm', ...seen }, PAGE)).toMatchObject({ status: 303, location: PAGE });
  const moved = { action: 'move', date: '2030-08-06', time: '10:00' };
  expect(await send(moved, PAGE)).toMatchObject({ status: 303, location: `${PAGE}?moved=2030-08-06T10%3A00` });
  const saysMoved = async (time: string) => (await open({ moved: time }, PAGE)).html.includes('su cita quedó para esta hora');
  expect([await saysMoved('2030-08-05T23:45'), await saysMoved('2030-08-06T10:00')]).toEqual([true, false]); // the clinic has moved it since
  expect(await send({ action: 'cancel' }, PAGE)).toMatchObject({ status: 303, location: PAGE });
  expect(await send({ action: 'other' }, PAGE)).toMatchObject({ status: 303, location: PAGE });
  expect(changes()).toMatchObject([
    { rpc: 'confirmManagedAppointment', request: { date: '2030-08-05', startTime: '23:45' } },
    { rpc: 'moveManagedAppointment', request: { date: '2030-08-06', startTime: '10:00' } },
    { rpc: 'cancelManagedAppointment' },
  ]);
  gateway.replies['ManageLinkService.getManagedAppointment'] = () => ({ ...appointment, patientConfirmed: true });
  const { html } = await open({}, PAGE);
  const shown = ['Su cita está confirmada', 'Gracias por confirmar', 'Confirmar que asistiré', 'reservada'].map((text) => html.includes(text));
  expect(shown).toEqual([true, true, false, false]);
  const refuse = (reason: 'SLOT_TAKEN' | 'NOT_FOUND' | 'INSIDE_CANCELLATION_NOTICE') => {
    gateway.replies['ManageLinkService.moveManagedAppointment'] = () => {
      throw new ServiceError(reason);
    };
    return send(moved, PAGE);
  };
  // NOT_FOUND: of the doctor, who has been deactivated.
  for (const reason of ['SLOT_TAKEN', 'NOT_FOUND'] as const) {
    const taken = await refuse(reason);
    expect([taken.status, taken.html.includes('Esa hora ya no está libre'), linksOf(taken.html).length]).toEqual([409, true, 1]);
  }
  expect(await refuse('INSIDE_CANCELLATION_NOTICE')).toMatchObject({ status: 303, location: PAGE });
  // NOT_FOUND: of the appointment itself.
  gateway.replies['ManageLinkService.listManagedSlots'] = () => {
    throw new ServiceError('NOT_FOUND');
  };
  const gone = await refuse('NOT_FOUND');
  expect([gone.status, gone.html.includes('Este enlace no es válido')]).toEqual([404, true]);
});

test('the page of an appointment has a calendar file, and only the buttons that apply to its status', async () => {
  const openPage = async (status: string) => {
    gateway.replies['ManageLinkService.getManagedAppointment'] = () => ({ ...appointment, status });
    return (await open({ step: 'move' }, PAGE)).html;
  };
  const file = await open({}, `${PAGE}/calendar.ics`);
  expect(file.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(file.html).toContain('DTSTART:20300806T054500Z');
  expect(file.html).toContain('DTEND:20300806T061500Z');
  expect(file.html).not.toContain('a'.repeat(66));
  for (const [status, title] of [
    ['inside_notice', 'Ya no se puede cambiar'],
    ['cancelled', 'Su cita está cancelada'],
    ['over', 'Esta cita ya pasó'],
  ] as const) {
    const html = await openPage(status);
    expect(html).toContain(title);
    expect(html).not.toContain('step=');
  }
  const requested = await openPage('pending_inside_notice');
  expect(requested).toContain('Recibimos su solicitud');
  expect(requested).toContain('Ya no se puede cambiar');
  expect(requested).not.toMatch(/confirmada|asistiré|calendar\.ics|step=/);
  expect((await open({}, `${PAGE}/calendar.ics`)).html).toBe(requested); // redirected
  gateway.replies['ManageLinkService.getManagedAppointment'] = () => {
    throw new ServiceError('NOT_FOUND');
  };
  const unknown = await open({}, '/manage/x');
  expect([unknown.status, unknown.html.includes('Este enlace no es válido')]).toEqual([404, true]);
});

test('a body that cannot be read is refused with an HTML page', async () => {
  expect((await send({ type: 'a'.repeat(20_000) })).status).toBe(413);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=none' };
  const unknown = await fetch(`${gateway.url}/book/sonrisa`, { method: 'POST', headers, body: 'a=b' });
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8']);
  const compressed = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': 'gzip' };
  expect((await fetch(`${gateway.url}/book/sonrisa`, { method: 'POST', headers: compressed, body: gzipSync('a=b') })).status).toBe(415);
});

test('an unknown clinic is 404 with a page, and other methods are refused', async () => {
  await open({}, '/book/Sonrisa'); // as people write the name of a clinic
  expect(requestOf('getBookableClinic')?.request.slug).toBe('sonrisa');
  gateway.replies['PublicBookingService.getBookableClinic'] = () => {
    throw new ServiceError('NOT_FOUND');
  };
  const unknown = await open();
  expect([unknown.status, unknown.html.includes('Esta página no existe')]).toEqual([404, true]);
  const deleted = await fetch(`${gateway.url}/book/sonrisa`, { method: 'DELETE' });
  expect([deleted.status, requestOf('beginBooking')]).toEqual([405, undefined]);
});
