// Changes of doctors, patients, appointments and everything around them.
import { randomUUID } from 'node:crypto';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect } from '@jest/globals';
import { type Body, expectStatus } from '../api.ts';
import { addDoctor, book, booking, freshPhone } from '../clinic.ts';
import { type Changes, type Context, FILE, type Field, plain, type Target } from './change.ts';

const range = (dayOfWeek: number) => ({ dayOfWeek, startTime: '09:00', endTime: '10:00' });
const shownRange = (dayOfWeek: number) => ({ day_of_week: dayOfWeek, start_time: '09:00:00', end_time: '10:00:00' });

export async function schedulingChanges({ api, clinic, booked, patient, file, body, get, post, find, fresh, at }: Context): Promise<Changes> {
  const doctor = async (): Promise<Target> => {
    const { id } = await addDoctor(api, clinic, { specialty: 'Endodoncia', bio: 'Quince años', photoUrl: 'https://example.com/old.png' });
    return at(`/api/doctors/${id}`, { id });
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
  };
}
