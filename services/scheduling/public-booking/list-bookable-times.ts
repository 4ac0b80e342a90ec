// The free days and times of a type, of one doctor or of all who offer it.
import { create } from '@bufbuild/protobuf';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ListAvailabilityRequestSchema, ListSlotsRequestSchema } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { ListBookableDaysRequest, ListBookableSlotsRequest } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import type { App } from '../app.ts';
import { listFreeTimes, listSlots } from '../slots/list-slots.ts';
import { doctorsOf, openClinic } from './open-clinic.ts';

export async function listBookableDays(app: App, { slug, typeId, doctorId: wanted, month }: ListBookableDaysRequest, call: Call) {
  const { clinic, call: own } = await openClinic(app, slug, call);
  const doctors = await doctorsOf(app, clinic.clinicId, typeId, wanted);
  const listed = await Promise.all(doctors.map((doctorId) => listFreeTimes(app, create(ListAvailabilityRequestSchema, { doctorId, typeId, month }), own)));
  const free = new Map<string, Set<string>>();
  for (const { date, times } of listed.flat()) free.set(date, new Set([...(free.get(date) ?? []), ...times]));
  return { days: [...free].map(([date, times]) => ({ date, free: times.size })) };
}

export async function listBookableSlots(app: App, { slug, typeId, doctorId: wanted, date }: ListBookableSlotsRequest, call: Call) {
  const { clinic, call: own } = await openClinic(app, slug, call);
  const doctors = await doctorsOf(app, clinic.clinicId, typeId, wanted);
  const listed = await Promise.all(doctors.map((doctorId) => listSlots(app, create(ListSlotsRequestSchema, { doctorId, typeId, date }), own)));
  const slots = new Map(listed.flatMap(({ slots: some }) => some).map((slot) => [slot.startTime, slot]));
  return { slots: [...slots.values()].toSorted((a, b) => a.startTime.localeCompare(b.startTime)) };
}
