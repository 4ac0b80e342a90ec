// What the test of single fields (changes-one-field.test.ts) needs of every PATCH and PUT route: a record to change, a
// new value for each field of the body, and how a later read shows it.
import { randomUUID } from 'node:crypto';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect } from '@jest/globals';
import sharp from 'sharp';
import { issueCertificate } from '../scripts/dev/dte-simulator/certificate.ts';
import { type Answer, type Api, type Body, type Extra, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freshEmail, freshPhone, inDays, inviteCode, newClinic, PASSWORD, setUpMfa } from './clinic.ts';

/** A record to change: the parameters of the path, and what a read of the API shows of it. `as` calls as someone else than the clinic's admin. */
export type Target = { params?: Record<string, string>; read: () => Promise<Body>; as?: Extra };

export type Field = {
  value: unknown;
  /** What the answer and a later read show once the value is stored. */
  shown: Body;
  /** What they show after null, where the schema allows it. By default null; `same` where null means the same as no value. */
  cleared?: Body | 'same';
  /** Where the answer, or a later read, shows something else than `shown`. */
  answered?: Body;
  read?: Body;
  /** Another proof of the effect, for a value that nothing shows. */
  prove?: (target: Target) => Promise<void>;
};

export type Change = {
  record: () => Promise<Target>;
  /** Sent with every field: what a PUT requires, or what a field has no meaning without. */
  with?: Body;
  /** The body replaces the whole record, so null only stands for a default. */
  replaces?: true;
  fields: Record<string, Field>;
};

/** Name of the single field of a route whose body is a file, and of one without a body. */
export const FILE = 'file';
export const NO_BODY = 'no body';

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Fields that are shown under the same name in snake_case, with the value as it was sent. */
const plain = (values: Record<string, unknown>): Record<string, Field> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, shown: { [snakeCase(name)]: value } }]));

const range = (dayOfWeek: number) => ({ dayOfWeek, startTime: '09:00', endTime: '10:00' });
const shownRange = (dayOfWeek: number) => ({ day_of_week: dayOfWeek, start_time: '09:00:00', end_time: '10:00:00' });

/** An id as the chat provider makes them. */
const chatId = () => String(Math.floor(Math.random() * 1e15));

const ISSUER = {
  environment: 'test',
  nit: '06140202901024',
  nrc: '1234567',
  name: 'Clínica de Prueba, S.A. de C.V.',
  address: { department: '06', municipality: '23', district: '14', line: 'Calle de Prueba 123' },
  phone: '22220000',
  email: 'dte@example.com',
  responsible: { name: 'María Responsable', documentType: '13', documentNumber: '012345678' },
};
const OTHER_ADDRESS = { ...ISSUER.address, line: 'Otra calle 456' };
const TEMPLATE = 'Hola {nombre}';
/** A maintenance while no test runs. */
const FAR = { from: '2199-01-01T00:00:00Z' };
const TEN_YEARS = new RegExp([3649, 3650, 3651].map(inDays).join('|'));

/** The changes by the name of their route. */
export async function changesOf(api: Api, clinic: Clinic): Promise<Record<string, Change>> {
  const body = async (status: number, sending: Promise<Answer>): Promise<Body> => (await expectStatus(status, sending)).body;
  const get = (path: string, as: Extra = clinic) => body(200, api.get(path, as));
  const post = (path: string, sent: Body) => body(201, api.post(path, sent, clinic));
  const find = async (list: Promise<Body[]>, id: string) => (await list).find((one) => one.id === id);

  /** A clinic of its own, whose record is at `path`. */
  const fresh = (path: string) => async (): Promise<Target> => {
    const as = await newClinic(api);
    return { as, read: () => get(path, as) };
  };
  const at = (path: string, params: Record<string, string>): Target => ({ params, read: () => get(path) });

  const userOf = (id: string) =>
    find(
      get('/api/users').then(({ users }) => users),
      id,
    );
  const addUser = () => post('/api/users', { fullName: 'Carla Menjívar', email: freshEmail(), password: PASSWORD, phone: '+50370001234' });
  const user = async (): Promise<Target> => {
    const { id } = await addUser();
    return { params: { id }, read: () => userOf(id) };
  };
  /** A user who changes what is their own. */
  const signedIn = async (): Promise<Target> => {
    const { id, email } = await addUser();
    const { access_token: token } = await body(200, api.post('/api/auth/login', { email, password: PASSWORD }));
    return { read: () => userOf(id), as: { token } };
  };

  const doctor = async (): Promise<Target> => {
    const { id } = await addDoctor(api, clinic, { specialty: 'Endodoncia', bio: 'Quince años', photoUrl: 'https://example.com/old.png' });
    return at(`/api/doctors/${id}`, { id });
  };
  const servesImage =
    (field: string) =>
    async ({ read }: Target) => {
      const response = await fetch((await read())[field]);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\//)]);
    };
  /** A dependant, since other patients cannot be without a phone. */
  const patient = async (): Promise<Target> => {
    const details = { dui: '00016297-5', email: 'luis@example.com', birthDate: '1980-01-31', gender: 'male', address: 'Calle 1', notes: 'Alergia' };
    const { id } = await post(`/api/patients/${booked.patient_id}/dependants`, { fullName: 'Luis Paz', ...details });
    return at(`/api/patients/${id}`, { id });
  };
  const appointment = async (): Promise<Target> => {
    const { id: doctorId } = await addDoctor(api, clinic);
    const { id } = await book(api, clinic, booking(doctorId, '08:00'));
    return at(`/api/appointments/${id}`, { id });
  };
  const addType = () => post('/api/appointment-types', { name: randomUUID(), durationMinutes: 45, color: '#2E7D32' });
  const otherType = await addType();
  const appointmentType = async (): Promise<Target> => {
    const { id } = await addType();
    return {
      params: { id },
      read: () =>
        find(
          get('/api/appointment-types?limit=500').then(({ appointment_types }) => appointment_types),
          id,
        ),
    };
  };
  const resource = async (): Promise<Target> => {
    const { id } = await post('/api/resources', { name: randomUUID(), kind: 'chair' });
    return {
      params: { id },
      read: () =>
        find(
          get('/api/resources').then(({ resources }) => resources),
          id,
        ),
    };
  };
  const booked = await book(api, clinic, booking((await addDoctor(api, clinic)).id, '08:00'));
  const openPlan = () => post('/api/dental/treatment-plans', { patient_id: booked.patient_id, title: 'Plan', estimated_total: 100, notes: 'Nota' });
  const plan = async (): Promise<Target> => {
    const { id } = await openPlan();
    return at(`/api/dental/treatment-plans/${id}`, { id });
  };
  /** The first of two steps. */
  const step = async (): Promise<Target> => {
    const { id: planId } = await openPlan();
    const { id } = await post(`/api/dental/treatment-plans/${planId}/steps`, { procedure: 'Corona', estimated_cost: 50, notes: 'Nota' });
    await post(`/api/dental/treatment-plans/${planId}/steps`, { procedure: 'Limpieza' });
    return {
      params: { id },
      read: () =>
        find(
          get(`/api/dental/treatment-plans/${planId}`).then(({ steps }) => steps),
          id,
        ),
    };
  };
  const paymentPlan = async (): Promise<Target> => {
    const { id } = await post('/api/dental/payment-plans', { patient_id: booked.patient_id, description: 'Corona', total_amount: 100, notes: 'Nota' });
    return at(`/api/dental/payment-plans/${id}`, { id });
  };
  const campaign = async (): Promise<Target> => {
    const { id } = await post('/api/dental/recall-campaigns', { name: 'Semestral', message_template: TEMPLATE, procedure_type: 'limpieza' });
    return at(`/api/dental/recall-campaigns/${id}`, { id });
  };
  const issuer = async (): Promise<Target> => {
    await body(200, api.put('/api/dte/issuer', ISSUER, clinic));
    return { read: () => get('/api/dte/issuer') };
  };
  const first = issueCertificate(ISSUER.nit, PASSWORD).xml;
  const second = { certificate: issueCertificate(ISSUER.nit, 'Otra-Clave-2').xml, password: 'Otra-Clave-2' };
  const certified = async (): Promise<Target> => {
    const target = await issuer();
    await body(200, api.put('/api/dte/issuer/certificate', { certificate: first, password: PASSWORD }, clinic));
    return target;
  };
  const { certificate_fingerprint: firstFingerprint } = await (await certified()).read();
  const faq = async (): Promise<Target> => {
    const { id } = await post('/api/faq', { category: 'parking', question: '¿Parqueo?', answer: 'Sí', keywords: ['parqueo'] });
    return { params: { id }, read: () => find(get('/api/faq'), id) };
  };
  const webhookEndpoint = async (): Promise<Target> => {
    const { id } = await post('/api/webhook-endpoints', { url: 'https://agenda.example/before', events: ['patient.created'], description: 'Agenda' });
    return {
      params: { id },
      read: () =>
        find(
          get('/api/webhook-endpoints?limit=500').then(({ endpoints }) => endpoints),
          id,
        ),
    };
  };
  const cannedReply = async (): Promise<Target> => {
    const { id } = await post('/api/canned-replies', { title: randomUUID(), body: 'Hola' });
    return { params: { id }, read: () => find(get('/api/canned-replies'), id) };
  };
  /** A clinic in its trial, which ends in 30 days, as operators see it. */
  const trialClinic = async (): Promise<Target> => {
    const { id } = await newClinic(api, { plan: 'trial' });
    return { params: { clinicId: id }, read: () => find(get('/api/superadmin/clinics', api.operator), id), as: api.operator };
  };
  const code = async (): Promise<Target> => {
    const { id } = await inviteCode(api);
    return { params: { id }, read: () => find(get('/api/superadmin/invite-codes', api.operator), id), as: api.operator };
  };

  const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: 'navy' } }).png();
  const file = { value: await picture.toBuffer(), shown: { photo_url: expect.any(String) }, prove: servesImage('photo_url') };
  const profile = plain({ name: 'Clínica Nueva', phone: '+50322229999', address: 'Calle 12', city: 'Apopa', timezone: 'America/Guatemala', currency: 'GTQ' });
  const otherFingerprint = { certificate_fingerprint: expect.not.stringContaining(firstFingerprint) };
  const otherNumber = chatId();
  const acknowledgement = { message: expect.any(String) };
  const doctorFields: Record<string, Field> = {
    ...plain({
      fullName: 'Dr. Nuevo',
      specialty: 'Ortodoncia',
      bio: 'Veinte años',
      photoUrl: 'https://example.com/new.png',
      is_active: false,
      onlineBookable: false,
    }),
    consultationDurationMinutes: { value: 45, shown: { consultation_duration_minutes: 45 }, cleared: 'same' },
    bufferTimeMinutes: { value: 10, shown: { buffer_time_minutes: 10 }, cleared: 'same' },
    workingHours: { value: [range(1)], shown: { doctor_working_hours: [shownRange(1)] } },
    breaks: { value: [range(2)], shown: { doctor_breaks: [shownRange(2)] } },
  };

  return {
    'PUT /api/users/me/photo': { record: signedIn, fields: { [FILE]: file } },
    'PUT /api/users/me/password': {
      record: async () => {
        const target = await signedIn();
        await body(200, api.put('/api/users/me/pin', { pin: '246813', password: PASSWORD }, target.as)); // a new password removes it
        return target;
      },
      with: { currentPassword: PASSWORD, newPassword: 'una clave nueva' },
      fields: {
        currentPassword: { value: PASSWORD, shown: { has_pin: false }, answered: acknowledgement },
        newPassword: {
          value: 'otra clave nueva',
          shown: { has_pin: false },
          answered: acknowledgement,
          prove: async ({ read }) => {
            await expectStatus(200, api.post('/api/auth/login', { email: (await read()).email, password: 'otra clave nueva' }));
          },
        },
      },
    },
    'PUT /api/users/me/pin': {
      record: signedIn,
      with: { pin: '246813', password: PASSWORD },
      fields: {
        password: { value: PASSWORD, shown: { has_pin: true }, answered: acknowledgement },
        pin: {
          value: '246813',
          shown: { has_pin: true },
          answered: acknowledgement,
          prove: async ({ read }) => {
            await expectStatus(200, api.post('/api/auth/switch', { userId: (await read()).id, pin: '246813' }, clinic));
          },
        },
      },
    },
    'PATCH /api/users/:id': { record: user, fields: plain({ fullName: 'Carla Paz', phone: '+50370009999', licenseNumber: 'JVPO 4321', isActive: false }) },
    'PATCH /api/users/:id/role': { record: user, fields: plain({ appRole: 'doctor' }) },
    'PATCH /api/clinics/settings': {
      record: async () => {
        const target = await fresh('/api/clinics/settings')();
        await setUpMfa(api, target.as ?? clinic); // without a factor nothing could be read once one is required
        return target;
      },
      fields: {
        ...profile,
        ...plain({
          chat_phone_number_id: chatId(),
          chat_business_account_id: chatId(),
          chat_verify_token: 'palabra',
          bot_enabled: true,
          require_mfa_for_admins: true,
          cancellation_notice_hours: 24,
          cancellation_text: 'Avise un día antes',
          booking_no_show_limit: 3,
          booking_origins: ['https://www.example.com'],
        }),
        chat_access_token: { value: 'EAAG1234secret', shown: { chat_access_token: 'EAAG1234****' } },
      },
    },
    'PUT /api/clinics/profile': { record: fresh('/api/clinics/me'), fields: profile },
    'PUT /api/clinics/chat-config': {
      record: fresh('/api/clinics/settings'),
      fields: {
        phoneNumberId: { value: otherNumber, shown: { chat_phone_number_id: otherNumber }, answered: acknowledgement },
        businessAccountId: { value: '444', shown: { chat_business_account_id: '444' }, answered: acknowledgement },
        accessToken: { value: 'EAAG1234secret', shown: { chat_access_token: 'EAAG1234****' }, answered: acknowledgement },
        verifyToken: { value: 'palabra', shown: { chat_verify_token: 'palabra' }, answered: acknowledgement },
      },
    },
    'PUT /api/clinics/logo': {
      record: fresh('/api/clinics/settings'),
      fields: { [FILE]: { value: file.value, shown: { logo_url: expect.any(String) }, prove: servesImage('logo_url') } },
    },
    'PATCH /api/clinics/features': {
      record: fresh('/api/clinics/features'),
      fields: {
        features: { value: { analytics: false }, shown: { features: { analytics: false } } },
        guards: { value: { voids_need_admin: true }, shown: { guards: { voids_need_admin: true } } },
      },
    },
    'PUT /api/doctors/:id': { record: doctor, fields: doctorFields },
    'PATCH /api/doctors/:id': { record: doctor, fields: doctorFields },
    'PUT /api/doctors/:id/photo': {
      record: async () => {
        const { id } = await addDoctor(api, clinic);
        return at(`/api/doctors/${id}`, { id });
      },
      fields: { [FILE]: file },
    },
    'PATCH /api/patients/:id': {
      record: patient,
      fields: plain({
        fullName: 'Luisa Paz',
        phone: freshPhone(),
        dui: '01234567-8',
        email: 'luisa@example.com',
        birthDate: '1990-02-28',
        gender: 'female',
        address: 'Calle 2',
        notes: 'Nada',
      }),
    },
    'PATCH /api/appointments/:id': {
      record: appointment,
      fields: {
        ...plain({ notes: 'Trae radiografías' }),
        typeId: { value: otherType.id, shown: { appointment_types: { id: otherType.id } }, cleared: { appointment_types: null } },
      },
    },
    'PATCH /api/patients/:patientId/alerts/:id': {
      record: async () => {
        const path = `/api/patients/${booked.patient_id}/alerts`;
        const { id } = await post(path, { kind: 'allergy', severity: 'danger', text: randomUUID() });
        return {
          params: { patientId: booked.patient_id, id },
          read: () =>
            find(
              get(path).then(({ alerts }) => alerts),
              id,
            ),
        };
      },
      fields: plain({ kind: 'condition', severity: 'info', text: 'Asma' }),
    },
    'PATCH /api/patients/:patientId/notes/:id': {
      record: async () => {
        const { id } = await post(`/api/patients/${booked.patient_id}/notes`, { text: 'Control', tooth: 11 });
        return at(`/api/patients/${booked.patient_id}/notes/${id}`, { patientId: booked.patient_id, id });
      },
      fields: plain({ text: 'Dolor en la pieza 36', tooth: 36, appointmentId: booked.id }),
    },
    'PATCH /api/patients/:patientId/files/:id': {
      record: async () => {
        const path = `/api/patients/${booked.patient_id}/files`;
        const form = new FormData();
        form.set('file', new Blob(['%PDF-1.7\n']), 'carta.pdf');
        const { body } = await expectStatus(201, api.postForm(path, form, clinic));
        return at(`${path}/${body.id}`, { patientId: booked.patient_id, id: body.id });
      },
      fields: plain({ name: 'panorámica.pdf', kind: 'xray', description: 'Antes' }),
    },
    'PATCH /api/form-templates/:id': {
      record: async () => {
        const fields = [{ kind: 'signature', label: 'Firma' }];
        const { id } = await post('/api/form-templates', { title: randomUUID(), text: 'Antes de su cita', fields });
        return at(`/api/form-templates/${id}`, { id });
      },
      fields: {
        ...plain({ title: randomUUID(), text: 'Después de su cita', required: true, is_active: false }),
        fields: {
          value: [{ kind: 'date', label: 'Fecha' }],
          shown: { fields: [{ kind: 'date', label: 'Fecha', help: null, options: [], required: false, alert: null }] },
        },
      },
    },
    'PATCH /api/appointment-types/:id': {
      record: appointmentType,
      fields: plain({
        formTemplateIds: [(await post('/api/form-templates', { title: randomUUID(), fields: [{ kind: 'signature', label: 'Firma' }] })).id],
        name: randomUUID(),
        durationMinutes: 90,
        color: '#1565C0',
        doctorIds: [booked.doctor_id],
        resourceKind: 'room',
        onlineBookable: true,
        cancellationNoticeHours: 12,
        cancellationText: 'Avise con tiempo',
      }),
    },
    'PATCH /api/resources/:id': { record: resource, fields: plain({ name: randomUUID() }) },
    'PATCH /api/appointments/:id/status': {
      record: appointment,
      with: { status: 'cancelled' },
      fields: {
        ...plain({ status: 'no_show' }),
        cancellation_reason: { value: 'Viaje', shown: { cancellation_reason: 'Viaje' }, cleared: 'same' },
        cancelled_by_clinic: {
          value: true,
          shown: { status: 'cancelled', late_cancellation: false },
          cleared: 'same',
          async prove() {
            const isLate = async (more: Body) => {
              const { params } = await appointment();
              const path = `/api/appointments/${params?.id}/status`;
              return (await body(200, api.patch(path, { status: 'cancelled', ...more }, clinic))).late_cancellation;
            };
            await body(200, api.patch('/api/clinics/settings', { cancellation_notice_hours: 720 }, clinic));
            await waitFor(() => isLate({})); // scheduling learns of the settings by an event
            expect(await isLate({ cancelled_by_clinic: true })).toBe(false);
            await body(200, api.patch('/api/clinics/settings', { cancellation_notice_hours: 0 }, clinic));
          },
        },
      },
    },
    'PUT /api/agenda/subscription': { record: fresh('/api/agenda/subscription'), fields: plain({ enabled: true }) },
    'PATCH /api/analytics/report-subscription': {
      record: fresh('/api/analytics/report-subscription'),
      fields: plain({ weekly: true, monthly: true }),
    },
    'PUT /api/doctors/:doctorId/commission-rule': {
      record: async () => {
        const { id } = await addDoctor(api, clinic);
        const path = `/api/doctors/${id}/commission-rule`;
        await body(200, api.put(path, { type: 'percentage', value: 30 }, clinic));
        return at(path, { doctorId: id });
      },
      with: { type: 'percentage', value: 30 },
      fields: plain({ type: 'fixed', value: 12.5 }),
    },
    'PATCH /api/dental/settings': { record: fresh('/api/dental/settings'), fields: plain({ chart_colors: 'red_blue' }) },
    'PUT /api/dental/charts/:patientId/dentition': {
      record: async () => at(`/api/dental/charts/${booked.patient_id}/current`, { patientId: booked.patient_id }),
      fields: plain({ dentition: 'mixed' }),
    },
    'PATCH /api/dental/treatment-plans/:id': {
      record: plan,
      fields: {
        ...plain({ title: 'Otro', status: 'paused', notes: 'Otra' }),
        estimated_total: { value: 850.5, shown: { estimated_total: 850.5 }, cleared: { estimated_total: 0 } },
      },
    },
    'PATCH /api/dental/treatment-steps/:id': {
      record: step,
      fields: plain({ status: 'completed', notes: 'Otra', estimated_cost: 75.5, appointment_id: booked.id, procedure: 'Puente', step_order: 2 }),
    },
    'PUT /api/dental/prices': {
      record: fresh('/api/dental/prices'),
      fields: {
        prices: {
          value: [{ code: 'a', name: 'A', price: 12.5 }],
          shown: { prices: expect.arrayContaining([expect.objectContaining({ code: 'a', name: 'A', price: 12.5 })]) },
        },
      },
    },
    'PATCH /api/dental/payment-plans/:id': {
      record: paymentPlan,
      fields: plain({ description: 'Puente', status: 'cancelled', reminder_enabled: true, reminder_day_of_month: 5, notes: 'Otra' }),
    },
    'PATCH /api/dental/recall-campaigns/:id': {
      record: campaign,
      fields: plain({
        name: 'Anual',
        message_template: `${TEMPLATE}, le esperamos`,
        procedure_type: 'ortodoncia',
        recall_interval_days: 365,
        send_time: '10:30:00',
        max_attempts: 4,
        retry_interval_days: 21,
        is_active: false,
      }),
    },
    'PATCH /api/dental/patients/:id/recall-opt-out': { record: patient, fields: { [NO_BODY]: { value: undefined, shown: { recall_opted_out: true } } } },
    'PUT /api/dte/issuer': {
      record: issuer,
      with: ISSUER,
      replaces: true,
      fields: {
        ...plain({
          environment: 'production',
          nit: '06140303901031',
          nrc: '7654321',
          name: 'Otra Clínica',
          tradeName: 'La Otra',
          activity: '36000',
          address: OTHER_ADDRESS,
          phone: '22221111',
          email: 'otra@example.com',
          isLargeTaxpayer: true,
          pointsOfSale: [{ establishment: 'S002', code: 'P003' }],
          mailReceivers: false,
        }),
        responsible: {
          value: { ...ISSUER.responsible, name: 'Otra Responsable' },
          shown: { responsible: { name: 'Otra Responsable', document_type: '13', document_number: '012345678' } },
        },
        provider: { value: { user: 'usuario', password: 'clave' }, shown: { has_provider: true } },
      },
    },
    'PUT /api/dte/issuer/certificate': {
      record: certified,
      with: second,
      fields: {
        certificate: { value: second.certificate, shown: otherFingerprint },
        password: {
          value: second.password,
          shown: otherFingerprint,
          prove: async () => {
            await expectStatus(400, api.put('/api/dte/issuer/certificate', { ...second, password: PASSWORD }, clinic));
          },
        },
      },
    },
    'PUT /api/patients/:id/tax-profile': {
      record: async () => {
        const { id } = await addPatient(api, clinic);
        return at(`/api/patients/${id}/tax-profile`, { id });
      },
      with: { documentType: '13', documentNumber: '012345678' },
      replaces: true,
      fields: {
        ...plain({
          name: 'Otro Nombre',
          tradeName: 'Negocio',
          documentType: '37',
          documentNumber: '000162975',
          nrc: '7654321',
          activity: '36000',
          address: OTHER_ADDRESS,
          phone: '22221111',
          email: 'otro@example.com',
          isLargeTaxpayer: true,
        }),
      },
    },
    'PATCH /api/chat/texts': {
      record: fresh('/api/chat/texts'),
      fields: {
        texts: {
          value: [{ key: 'greeting', language: 'es', text: 'Hola' }],
          shown: { texts: expect.arrayContaining([expect.objectContaining({ key: 'greeting', language: 'es', text: 'Hola', is_custom: true })]) },
        },
      },
    },
    'PATCH /api/chat/reminders': { record: fresh('/api/chat/reminders'), fields: plain({ is_enabled: false, quiet_from: '19:30', quiet_until: '07:30' }) },
    'PUT /api/faq/:id': {
      record: faq,
      fields: {
        ...plain({ category: 'hours', question: '¿Horario?', answer: 'De 8 a 5', keywords: ['horario', 'hora'] }),
        is_active: { value: false, shown: { is_active: false }, read: undefined }, // the list shows active entries only
      },
    },
    'PATCH /api/webhook-endpoints/:id': {
      record: webhookEndpoint,
      fields: plain({ url: 'https://agenda.example/after', events: ['payment.recorded'], description: 'Contabilidad', isActive: false }),
    },
    'PUT /api/canned-replies/:id': { record: cannedReply, fields: plain({ title: randomUUID(), body: 'Adiós' }) },
    'PATCH /api/assistant/settings': { record: fresh('/api/assistant/settings'), fields: plain({ send_names: true }) },
    'PATCH /api/superadmin/clinics/:clinicId': {
      record: trialClinic,
      fields: {
        plan: { value: 'pro', shown: { subscription_plan: 'pro' } },
        expiresInDays: { value: 3650, shown: { subscription_expires_at: expect.stringMatching(TEN_YEARS) } },
        is_active: { value: false, shown: { is_active: false } },
      },
    },
    'PATCH /api/superadmin/clinics/:clinicId/limits': {
      record: async () => {
        const { id } = await newClinic(api);
        return { params: { clinicId: id }, read: () => get(`/api/superadmin/clinics/${id}/limits`, api.operator), as: api.operator };
      },
      fields: plain({ read_only: true, requests_per_minute: 900, concurrent_requests: 9 }),
    },
    'PUT /api/superadmin/maintenance': {
      record: async () => {
        await body(200, api.put('/api/superadmin/maintenance', FAR, api.operator));
        return { read: () => get('/api/superadmin/maintenance', api.operator), as: api.operator };
      },
      with: FAR,
      replaces: true,
      fields: {
        from: { value: '2199-01-02T00:00:00Z', shown: { from: expect.stringMatching('2199-01-02') } },
        until: { value: '2199-01-03T00:00:00Z', shown: { until: expect.stringMatching('2199-01-03') } },
        message: { value: 'Mantenimiento', shown: { message: 'Mantenimiento' }, cleared: { message: '' } },
      },
    },
    'PATCH /api/superadmin/invite-codes/:id/revoke': {
      record: code,
      fields: { [NO_BODY]: { value: undefined, answered: acknowledgement, shown: { revoked_at: expect.any(String) } } },
    },
  };
}
