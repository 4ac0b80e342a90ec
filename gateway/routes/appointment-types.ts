import { COLOR } from '@clinic/lib/formats/color.ts';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { cancellationText, clearable, clearableNumber, maybe, minutes, noticeHours, pages, text, trueOrFalse, uuid } from './schemas.ts';

const { method } = AppointmentTypeService;
const kind = z.enum(['chair', 'room']);
const color = z
  .string()
  .regex(COLOR, 'must be #RRGGBB')
  .meta({ examples: ['#2E7D32'] });
const doctorIds = z.array(uuid).max(500);
const formTemplateIds = z.array(uuid).max(20);

export const appointmentTypes = area({
  prefix: '/api/appointment-types',
  tag: 'Appointment types',
  about:
    'Kinds of appointments: how long one lasts, which doctors offer it, whether it takes a chair or a room, whether patients can book it online, and which forms they are asked to sign for it.',
  all: { scope: 'appointments', notFound: 'Appointment type not found' },
  routes: [
    {
      method: 'get',
      path: '/api/appointment-types',
      rpc: method.listAppointmentTypes,
      query: { online_bookable: trueOrFalse.optional(), doctor_id: uuid.optional(), ...pages },
    },
    {
      method: 'post',
      path: '/api/appointment-types',
      rpc: method.createAppointmentType,
      body: {
        name: text(80),
        durationMinutes: minutes,
        color,
        doctorIds: doctorIds.nullish(),
        resourceKind: maybe(kind),
        onlineBookable: z.boolean().nullish(),
        cancellationNoticeHours: maybe(noticeHours),
        cancellationText: maybe(cancellationText),
        formTemplateIds: formTemplateIds.nullish(),
      },
      creates: true,
      errors: ['APPOINTMENT_TYPE_EXISTS', 'NOT_FOUND'],
      example: { name: 'Limpieza', durationMinutes: 45, color: '#2E7D32', onlineBookable: true },
    },
    {
      method: 'patch',
      path: '/api/appointment-types/:id',
      rpc: method.updateAppointmentType,
      body: {
        name: text(80).optional(),
        durationMinutes: minutes.optional(),
        color: color.optional(),
        doctorIds: doctorIds.optional(),
        resourceKind: clearable(kind),
        onlineBookable: z.boolean().optional(),
        cancellationNoticeHours: clearableNumber(noticeHours, -1),
        cancellationText: clearable(cancellationText),
        formTemplateIds: formTemplateIds.optional(),
      },
      errors: ['APPOINTMENT_TYPE_EXISTS'],
      example: { durationMinutes: 60 },
    },
    { method: 'delete', path: '/api/appointment-types/:id', rpc: method.deleteAppointmentType },
  ],
});
