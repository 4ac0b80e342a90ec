// The free days and times to which the holder of a manage link may move the appointment, with the same length and doctor. Its own time counts as free.
import { create } from '@bufbuild/protobuf';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { ListAvailabilityRequestSchema, ListSlotsRequestSchema } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { ListManagedDaysRequest, ListManagedSlotsRequest } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import type { App } from '../app.ts';
import { findAppointment } from '../appointments/appointments.sql.ts';
import { listAvailability, listSlots } from '../slots/list-slots.ts';
import { openLink } from './open-link.ts';

export async function listManagedDays(app: App, { token, month }: ListManagedDaysRequest, call: Call) {
  const { wanted, own } = await openTimes(app, token, call);
  return listAvailability(app, create(ListAvailabilityRequestSchema, { ...wanted, month }), own);
}

export async function listManagedSlots(app: App, { token, date }: ListManagedSlotsRequest, call: Call) {
  const { wanted, own } = await openTimes(app, token, call);
  return listSlots(app, create(ListSlotsRequestSchema, { ...wanted, date }), own);
}

async function openTimes(app: App, token: string, call: Call) {
  const { id, call: own } = await openLink(app, token, call);
  const { doctor_id: doctorId } = found(await findAppointment(app.db, clinicOf(own).id, id), 'Appointment');
  return { wanted: { doctorId, appointmentId: id }, own };
}
