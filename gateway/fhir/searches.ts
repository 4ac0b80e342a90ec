// Reads and searches of each resource, with the RPCs that the REST API uses.
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { addDays, dateIn, daysBetween, isLocalDate } from '@clinic/lib/formats/local-date.ts';
import { MAX_PHONE_LENGTH, phoneDigits } from '@clinic/lib/formats/phone.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { type Doctor, DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { Transport } from '@connectrpc/connect';
import { call } from '../http/rpc.ts';
import type { ResourceType } from './capability.ts';
import { type Resource, STATUSES, toAppointment, toPatient, toPractitioner, toSchedule, toSlot } from './resources.ts';
import { type Page, type Parameters, parseCode, parseDays, parseId, parseReference } from './search.ts';

/** `base` is the address of this API. */
export type Context = { scheduling: Transport; caller: Caller; now: Date; base: string };
export type Found = { resources: Resource[]; total: number };
type Search = {
  read(context: Context, id: string): Promise<Resource>;
  search(context: Context, parameters: Parameters, page: Page): Promise<Found>;
  repeated?: string[];
};

const { getPatient, listPatients } = PatientService.method;
const { getDoctor, listDoctors, listSlots } = DoctorService.method;
const { getAppointment, listAppointments } = AppointmentService.method;

const SLOT_DAYS = 7;
const MAX_SLOT_DAYS = 14;
const BOOLEANS = { true: true, false: false };
const one = (resource: Resource): Found => ({ resources: [resource], total: 1 });
const NONE: Found = { resources: [], total: 0 };

/** A search that names an unknown record finds nothing (https://hl7.org/fhir/R4/search.html#errors). */
const noneIfUnknown = (error: { reason?: string }): Found => {
  if (error.reason === 'NOT_FOUND') return NONE;
  throw error;
};

/** A search by id finds one record or none. */
const byId = async (read: Search['read'], context: Context, id: string): Promise<Found> =>
  isUuid(id) ? read(context, id.toLowerCase()).then(one, noneIfUnknown) : NONE;

const MAX_NAME_LENGTH = 200;

/** The search of listPatients, which takes digits for a phone or a DUI, digits with a plus for a phone, and anything else for a name. */
function toPatientSearch(name: string | undefined, phone: string | undefined): string | undefined {
  if (phone === undefined) return name !== undefined && phoneDigits(name) ? undefined : (name ?? '');
  const digits = phoneDigits(phone);
  return digits && `+${digits}`;
}

const patient: Search = {
  read: async ({ scheduling, caller }, id) => toPatient(await call(scheduling, getPatient, { id }, caller)),
  async search(context, parameters, page) {
    const id = parseId(parameters);
    if (id !== undefined) return byId(patient.read, context, id);
    const { name: [name] = [], phone: [phone] = [] } = parameters;
    if (name !== undefined && phone !== undefined) invalid('name', 'must not be combined with phone');
    // The error of listPatients would name its own field.
    parseOptionalText('name', name, MAX_NAME_LENGTH);
    parseOptionalText('phone', phone, MAX_PHONE_LENGTH);
    const search = toPatientSearch(name, phone);
    if (search === undefined) return NONE;
    const { patients, total } = await call(context.scheduling, listPatients, { search, ...page }, context.caller);
    return { resources: patients.map(toPatient), total };
  },
};

/** Doctors, as practitioners or as schedules. */
const doctors = (toResource: (doctor: Doctor) => Resource): Search => {
  const read: Search['read'] = async ({ scheduling, caller }, id) => toResource(await call(scheduling, getDoctor, { id }, caller));
  return {
    read,
    async search(context, parameters, page) {
      const id = parseId(parameters) ?? parseReference('actor', 'Practitioner', parameters.actor, context.base);
      const isActive = parseCode('active', parameters.active, BOOLEANS);
      if (id !== undefined && isActive !== undefined) invalid('active', 'must not be combined with actor');
      if (id !== undefined) return byId(read, context, id);
      const { doctors, total } = await call(context.scheduling, listDoctors, { isActive, ...page }, context.caller);
      return { resources: doctors.map(toResource), total };
    },
  };
};

const zoneOf = ({ caller }: Context) => caller.clinic?.timezone ?? 'UTC';

const slotsOf = async (context: Context, doctorId: string, date: string) => {
  const { slots } = await call(context.scheduling, listSlots, { doctorId, date }, context.caller);
  return slots.map((times) => toSlot(doctorId, date, times, zoneOf(context)));
};

const slot: Search = {
  repeated: ['start'],
  async read(context, id) {
    const [doctorId = '', time = ''] = id.split('.');
    const date = time.replace(/^(\d{4})(\d\d)(\d\d)\d{4}$/, '$1-$2-$3');
    const slots = isUuid(doctorId) && isLocalDate(date) ? await slotsOf(context, doctorId, date) : [];
    return slots.find((one) => one.id === id) ?? fail('NOT_FOUND', 'The time is not free');
  },
  async search(context, parameters, { page, limit }) {
    const doctorId = parseReference('schedule', 'Schedule', parameters.schedule, context.base) ?? invalid('schedule', 'is required');
    const isFree = parseCode('status', parameters.status, { free: true, busy: false, 'busy-unavailable': false, 'busy-tentative': false }) ?? true;
    const requested = parseDays('start', parameters.start);
    const today = dateIn(zoneOf(context), context.now);
    const from = requested.from !== undefined && requested.from > today ? requested.from : today;
    const to = requested.to ?? addDays(from, SLOT_DAYS - 1);
    const days = daysBetween(from, to) + 1;
    if (days > MAX_SLOT_DAYS) invalid('start', `must not cover more than ${MAX_SLOT_DAYS} days`);
    if (!isFree || days < 1) return NONE;
    const found = Promise.all(Array.from({ length: days }, (_, day) => slotsOf(context, doctorId, addDays(from, day))));
    return found.then((lists) => {
      const slots = lists.flat();
      return { resources: slots.slice((page - 1) * limit, page * limit), total: slots.length };
    }, noneIfUnknown);
  },
};

const appointment: Search = {
  repeated: ['date'],
  read: async ({ scheduling, caller }, id) => toAppointment(await call(scheduling, getAppointment, { id }, caller)),
  async search(context, parameters, page) {
    const id = parseId(parameters);
    if (id !== undefined) return byId(appointment.read, context, id);
    const { from: start, to: end } = parseDays('date', parameters.date);
    const status = parseCode('status', parameters.status, STATUSES);
    const patientId = parseReference('patient', 'Patient', parameters.patient, context.base);
    const doctorId = parseReference('practitioner', 'Practitioner', parameters.practitioner, context.base);
    if (start !== undefined && end !== undefined && start > end) return NONE; // no day meets all of the dates
    const filter = { start, end, status, patientId, doctorId };
    const { appointments, total } = await call(context.scheduling, listAppointments, { ...filter, ...page }, context.caller);
    return { resources: appointments.map(toAppointment), total };
  },
};

export const searches: Record<ResourceType, Search> = {
  Patient: patient,
  Practitioner: doctors(toPractitioner),
  Schedule: doctors(toSchedule),
  Slot: slot,
  Appointment: appointment,
};
