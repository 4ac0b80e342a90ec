// The pages that patients open with a link, in Chromium: they are small, accessible, as wide as the screen, easy to tap and within their content
// policy, and lose no input.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { scan } from './check-in-code.ts';
import { addDoctor, book, booking, type Clinic, everyDay, newClinic, noonZone, todayAtNoon } from './clinic.ts';
import { chromium, noChromium, type Phone, startPhone } from './phone.ts';

const { baseUrl } = publicApi();
const api = apiAt(publicApi());
const WIDTHS = [360, 390, 1280];
const MAX_BYTES = 60_000;
/** With a word that is wider than a phone. */
const LONG_NAME = `Clínica ${'Especialidades'.repeat(3)} de Chalatenango`;

/** Links, buttons and fields that are less than 44 pixels high, or less than 12 above the next one or the next text. */
const UNTAPPABLE = `(() => {
  const boxesOf = (selector) => [...document.querySelectorAll(selector)]
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ element, box }) => box.height > 0 && !(element.localName === 'input' && element.closest('.option')));
  const targets = boxesOf('a, button, input, select, textarea, canvas, label.option');
  const others = [...targets, ...boxesOf('p, label, legend, h1')];
  const isNear = (a, b) => b.left < a.right && a.left < b.right && b.top > a.top && b.top - a.bottom < 11.9;
  return targets.flatMap(({ element, box }) => {
    const near = others.filter((one) => !one.element.contains(element) && !element.contains(one.element) && isNear(box, one.box));
    return box.height < 44 || near.length > 0 ? [[element, ...near.map((one) => one.element)].map(({ outerHTML }) => outerHTML)] : [];
  });
})()`;

// The name contains the reason, because a skipped test reports nothing else.
const where = chromium ? describe : describe.skip;

where(chromium ? 'in Chromium' : `in Chromium (${noChromium})`, () => {
  let phone: Phone;
  let clinic: Clinic;
  let appointment: Body;
  beforeAll(async () => {
    [phone, clinic] = await Promise.all([startPhone(), newClinic(api, { registration: { timezone: noonZone, clinicName: LONG_NAME } })]);
    const doctor = await addDoctor(api, clinic, { workingHours: everyDay('00:00', '23:30') });
    appointment = await book(api, clinic, booking(doctor.id, '15:00', todayAtNoon()));
  });
  afterAll(() => phone.stop());

  /** Fails when the page is too large, wider than the screen, not accessible, or violates its content policy. */
  async function examine(path: string, status = 200): Promise<void> {
    const { text } = await expectStatus(status, api.get(path));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
    for (const width of WIDTHS) {
      await phone.resize(width);
      await phone.open(baseUrl + path);
      const found = await phone.violations();
      expect([path, width, await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'), found]).toEqual([path, width, true, []]);
      expect([path, width, await phone.evaluate(UNTAPPABLE)]).toEqual([path, width, []]);
    }
    expect(phone.complaints.filter((complaint) => !/favicon|status of 40[04]/.test(complaint))).toEqual([]);
  }

  /** Enters a text as a user does. */
  const enter = (selector: string, value: string) =>
    phone.evaluate(`((field) => {
      field.value = '${value}';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })(document.querySelector('${selector}'))`);
  /** What the page of a form does when the connection returns, without its usual delay. */
  const save = () => phone.evaluate("void dispatchEvent(new Event('online'))");
  const says = (text: string) => waitFor(async () => String(await phone.evaluate("document.querySelector('#message').textContent")).includes(text));
  const fieldValue = (selector: string) => phone.evaluate(`document.querySelector('${selector}').value`);
  const shown = async () => String(await phone.evaluate('document.body.innerText'));

  test('the check-in, which succeeds once however often it is sent', async () => {
    const path = `/check-in/${await scan(appointment.id, clinic)}`;
    await waitFor(async () => (await api.get(path)).text.includes('Ya llegué')); // scheduling receives the clinic's zone in an event
    await examine(path);
    await phone.tap('button');
    await phone.evaluate('void setTimeout(() => history.back())');
    await waitFor(async () => (await shown()).includes('¡Listo'));
    await examine(path);
  });

  test('a form retains its input when the page is left, and a form signed twice is stored once', async () => {
    const fields = [
      { kind: 'text', label: '¿A qué es alérgico?', required: true, help: 'Si a nada, escriba «ninguna».' },
      { kind: 'choice', label: '¿Cómo supo de nosotros?', options: ['Por un amigo', 'Por internet'] },
      { kind: 'yes_no', label: '¿Tiene diabetes?', required: true },
      { kind: 'date', label: '¿Cuándo fue su última visita?' },
      { kind: 'signature', label: 'Firma', required: true },
    ];
    const template = await expectStatus(201, api.post('/api/form-templates', { title: 'Historia médica', text: 'Antes de su cita.', fields }, clinic));
    const forms = `/api/patients/${appointment.patient_id}/forms`;
    const form = await expectStatus(201, api.post(forms, { templateId: template.body.id }, clinic));
    const path = new URL(form.body.link).pathname;
    await examine(path);

    await phone.resize(390);
    await phone.open(baseUrl + path);
    await enter('#field-0', 'Penicilina');
    await enter('#signer', 'Ana López');
    await save();
    await says('Guardado.');
    for (const leave of ['location.reload()', 'history.back()']) {
      if (leave === 'history.back()') await phone.open(`${baseUrl}/forms/x`);
      await phone.evaluate(`window.isLeft = true; void setTimeout(() => ${leave})`);
      await waitFor(async () =>
        expect([await phone.evaluate('window.isLeft ?? location.pathname'), await fieldValue('#field-0'), await fieldValue('#signer')]).toEqual([
          ...[path, 'Penicilina', 'Ana López'],
        ]),
      );
    }
    const marked = () =>
      phone.evaluate(
        "[...document.querySelectorAll('.missing')].map((field) => [field.querySelector('label, legend').innerText, field.querySelector('.fault').innerText])",
      );
    // Of answers that are saved together, a refused one is marked at its question, and the others are saved.
    await phone.evaluate('window.connected = window.fetch; window.fetch = () => Promise.reject(new TypeError()); void 0');
    await enter('#field-0', 'Penicilina y látex');
    await phone.evaluate("void (document.querySelector('#field-3').type = 'text')"); // as in a browser without date fields
    await enter('#field-3', '3/5/2020');
    await save();
    await says('No hay conexión');
    await phone.evaluate('void (window.fetch = window.connected)');
    await save();
    const dated = [['¿Cuándo fue su última visita? (opcional)', 'Revise esta respuesta.']];
    await waitFor(async () => expect(await marked()).toEqual(dated));
    await save();
    await says('Guardado.');
    expect((await api.get(`${forms}/${form.body.id}`, clinic)).body.answers).toEqual([{ field: 0, value: 'Penicilina y látex' }]);
    await enter('#field-3', '2020-05-03');
    expect(await marked()).toEqual([]);
    // What is missing is marked at its question until it is answered.
    await phone.evaluate("document.querySelector('#form').requestSubmit()");
    const rule = 'Falta responder esta pregunta.';
    expect(await marked()).toEqual([
      ['¿Tiene diabetes?', rule],
      ['Firma', 'Falta la firma.'],
    ]);
    expect(await phone.evaluate('[document.activeElement.value, document.activeElement.getAttribute("aria-describedby")]')).toEqual(['yes', 'fault-2']);
    expect(await phone.violations()).toEqual([]);
    await phone.evaluate("document.querySelector('input[value=no]').click()");
    expect(await marked()).toEqual([['Firma', 'Falta la firma.']]);
    await phone.draw('canvas');
    expect(await marked()).toEqual([]);
    // An answer that is refused when the form is signed, by the page or by the server.
    for (const [type, value] of [
      ['date', '0020-05-03'],
      ['date', '20200-05-03'],
      ['text', '3/5/2020'],
    ] as const) {
      await phone.evaluate(`void (document.querySelector('#field-3').type = '${type}')`);
      await enter('#field-3', value);
      await phone.evaluate("document.querySelector('#form').requestSubmit()");
      await waitFor(async () => expect(await marked()).toEqual(dated));
      expect(await phone.evaluate('document.activeElement.getAttribute("aria-describedby")')).toBe('fault-3');
      await enter('#field-3', '2019-05-03');
      expect(await marked()).toEqual([]);
    }
    await phone.evaluate("for (let i = 0; i < 2; i++) document.querySelector('#form').requestSubmit()");
    await waitFor(async () => (await shown()).includes('Formulario firmado'));
    const { body } = await expectStatus(200, api.get(`${forms}/${form.body.id}`, clinic));
    expect(body).toMatchObject({ status: 'signed', signer_name: 'Ana López' });
    expect(body.answers.map(({ value }: Body) => String(value).slice(0, 10))).toEqual(['Penicilina', 'no', '2019-05-03', 'data:image']);
    await examine(path);
  });

  test('a booking, which is made once however often it is sent, and its appointment, which is confirmed and cancelled', async () => {
    await expectStatus(200, api.patch('/api/clinics/features', { features: { online_booking: true } }, clinic));
    const fields = { name: 'Limpieza', durationMinutes: 30, color: '#112233', onlineBookable: true };
    await expectStatus(201, api.post('/api/appointment-types', fields, clinic));
    const page = `/book/${(await expectStatus(200, api.get('/api/clinics/settings', clinic))).body.slug}`;
    await waitFor(async () => expectStatus(200, api.get(page)));
    await examine(page);
    await phone.resize(390);
    const next = `${await phone.evaluate("document.querySelectorAll('nav.months a')[0].href")}`;
    await phone.open(next);
    const follow = async () => {
      const { pathname, search } = new URL(String(await phone.evaluate("document.querySelector('a.choice').href")));
      await examine(pathname + search);
    };
    await follow(); // the times of the first day
    await follow(); // the form
    await enter('#phone', '12');
    await phone.tap('form button');
    expect(await phone.evaluate("[...document.querySelectorAll('.field .fault')].map(({ id }) => id)")).toEqual(['fault-name', 'fault-phone']);
    expect([await phone.violations(), await phone.evaluate(UNTAPPABLE)]).toEqual([[], []]);
    // The refused form is shown again, with the input, when the patient goes back to it.
    await phone.open(`${baseUrl}${page}`);
    await phone.evaluate('void setTimeout(() => history.back())');
    await waitFor(async () => (await fieldValue('#phone')) === '12');
    await enter('#name', 'Rosa Díaz');
    await enter('#phone', '70009999');
    await phone.evaluate("for (let i = 0; i < 2; i++) document.querySelector('form').requestSubmit()");
    // No code can be sent.
    await waitFor(async () => expect(await shown()).toContain('Recibimos su solicitud'));
    const appointmentPath = String(await phone.evaluate('location.pathname'));
    await examine(appointmentPath);
    const pending = async () => (await expectStatus(200, api.get('/api/appointments?status=pending', clinic))).body.total;
    expect(await pending()).toBe(1);
    const [{ id }] = (await expectStatus(200, api.get('/api/appointments?status=pending', clinic))).body.appointments;
    await expectStatus(200, api.patch(`/api/appointments/${id}/status`, { status: 'confirmed' }, clinic));
    await examine(appointmentPath);
    await phone.evaluate("void document.querySelector('form').requestSubmit()");
    await waitFor(async () => expect(await shown()).toContain('Gracias por confirmar'));
    expect((await api.get(`/api/appointments/${id}`, clinic)).body.patient_confirmed_at).toMatch(/Z$/);
    await examine(`${appointmentPath}?step=move`);
    await examine(`${appointmentPath}?step=cancel`);
    await phone.evaluate("void document.querySelector('form').requestSubmit()");
    await waitFor(async () => expect(await shown()).toContain('Su cita está cancelada'));
    await examine(appointmentPath);
    expect(await pending()).toBe(0);
  });

  test('a form works without storage and with a slash after its link, and says that its link is not valid when the clinic deletes it while it is filled in', async () => {
    const template = { title: 'Alergias', fields: [{ kind: 'text', label: '¿A qué es alérgico?' }] };
    const templateId = (await expectStatus(201, api.post('/api/form-templates', template, clinic))).body.id;
    const forms = `/api/patients/${appointment.patient_id}/forms`;
    const form = (await expectStatus(201, api.post(forms, { templateId }, clinic))).body;
    // As in an app that shows pages with Android's WebView.
    const restore = await phone.prepare("Object.defineProperty(window, 'sessionStorage', { value: null })");
    await phone.open(`${baseUrl + new URL(form.link).pathname}/`);
    await restore();
    await enter('#signer', 'Ana López');
    await phone.evaluate("document.querySelector('#signer').value = ''; document.querySelector('#form').requestSubmit()");
    expect(await shown()).toContain('Faltan respuestas');
    await enter('#field-0', 'Penicilina');
    await save();
    await says('Guardado.');
    await expectStatus(200, api.delete(`${forms}/${form.id}`, clinic));
    await enter('#field-0', 'Látex');
    await save();
    await waitFor(async () => (await shown()).includes('Este enlace no es válido'));
  });

  test('a second link to the page of a new password, opened in the same tab, replaces the first one', async () => {
    await phone.open(`${baseUrl}/reset-password/`);
    expect(await shown()).toContain('El enlace está incompleto');
    await phone.evaluate("void (location.hash = '#token=x')");
    await waitFor(async () => (await shown()).includes('Repita la contraseña'));
    expect(await phone.evaluate('location.href')).toBe(`${baseUrl}/reset-password/`);
    // While the product is unavailable, nothing is wrong with the input.
    await phone.evaluate("window.fetch = async () => new Response('{}', { status: 503 })");
    for (const field of ['#password', '#again']) await enter(field, 'una clave nueva');
    await phone.evaluate("document.querySelector('#form').requestSubmit()");
    await waitFor(async () => (await shown()).includes('El servicio no está disponible en este momento.'));
  });

  test('an invalid link', async () => {
    for (const path of ['/forms/x', '/check-in/x', '/manage/x', '/book/x']) await examine(path, 404);
  });
});
