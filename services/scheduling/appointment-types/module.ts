// Kinds of appointments with a length, doctors, and a chair or a room.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import type { App } from '../app.ts';
import { createAppointmentType, deleteAppointmentType, listAppointmentTypes, updateAppointmentType } from './manage-types.ts';

export const appointmentTypes: Module<App> = {
  rpcs: [rpcs(AppointmentTypeService, { listAppointmentTypes, createAppointmentType, updateAppointmentType, deleteAppointmentType })],
  personal: [{ table: 'appointment_type_doctors' }, { table: 'appointment_types' }],
};
