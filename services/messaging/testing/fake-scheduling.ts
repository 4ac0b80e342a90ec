// An in-memory fake of scheduling: doctors with half-hour slots from 8:00 to 12:00 every day, in San Salvador.
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, clinicOf, type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { ManageLinkService } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { v7 } from 'uuid';

const TIMES = ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
const UTC_MINUS_6 = 6 * 3_600_000;
const DRAFT_MS = 5 * 60_000;

type Doctor = { clinicId: string; id: string; fullName: string; specialty?: string };
type Patient = { clinicId: string; id: string; fullName: string; phone: string; recallOptedOut: boolean; guardianId?: string };
type Type = { clinicId: string; id: string; name: string; durationMinutes: number; doctorIds: string[] };
export type Booked = {
  clinicId: string;
  id: string;
  doctorId: string;
  patientId: string;
  date: string;
  time: string;
  status: string;
  source: string;
  notes?: string | undefined;
  typeId?: string | undefined;
  seriesId?: string | undefined;
  revision: number;
  changedAt: Date;
  isPatientComing?: boolean;
};
type Draft = { clinicId: string; id: string; doctorId: string; date: string; time: string; expiresAt: number };
type Offer = { clinicId: string; entryId: string; offerId: string; patientId: string; doctorId: string; date: string; time: string; open: boolean };

type Waiting = { clinicId: string; patientId: string; doctorId: string; dateFrom: string; dateTo: string; notes?: string; typeId?: string };

export const startOf = (date: string, time: string) => new Date(Date.parse(`${date}T${time}:00Z`) + UTC_MINUS_6);

export function fakeScheduling(clock: Clock) {
  const doctors: Doctor[] = [];
  /** Patients can book all types. */
  const types: Type[] = [];
  const patients: Patient[] = [];
  const booked: Booked[] = [];
  let drafts: Draft[] = [];
  const offers: Offer[] = [];
  const waiting: Waiting[] = [];
  const first = new Map<string, unknown>();
  /**
   * `closed`: dates without free times. `off`: dates on which no doctor works. `booked`: clinics without a free time. `strict`: clinics whose
   * patients cannot move or cancel appointments.
   */
  const state: {
    unavailable: boolean;
    doctorLists: number;
    closed: Set<string>;
    off: Set<string>;
    booked: Set<string>;
    strict: Set<string>;
    offered: { id: string; until: Date; patientId: string; offer: object }[];
    /** How often an offer was started. */
    offerStarts: number;
    prescriptions: Map<string, object>;
    /** By the id of the patient, or of the appointment for which it was given. */
    emails: Map<string, string>;
    /** By the id of the form, or of the appointment that requires it. */
    forms: Map<string, { patientId: string; title: string; link: string }>;
  } = {
    unavailable: false,
    doctorLists: 0,
    closed: new Set(),
    off: new Set(),
    booked: new Set(),
    strict: new Set(),
    offered: [],
    offerStarts: 0,
    prescriptions: new Map(),
    forms: new Map(),
    emails: new Map(),
  };

  const active = ({ status }: Booked) => status === 'confirmed' || status === 'pending';
  /** The half hours that a slot takes; undefined after the end of the day. A draft, which has no type, takes one. */
  const halfHours = ({ time, typeId }: { time: string; typeId?: string | undefined }) => {
    const count = Math.ceil((types.find(({ id }) => id === typeId)?.durationMinutes ?? 30) / 30);
    return Array.from({ length: count }, (_, index) => TIMES[TIMES.indexOf(time) + index]);
  };
  type Slot = { clinicId: string; doctorId: string; date: string; time: string; typeId?: string | undefined };
  const isTaken = (slot: Slot, except: { appointmentId?: string | undefined; draftId?: string | undefined } = {}) =>
    [
      ...booked.filter((one) => active(one) && one.id !== except.appointmentId),
      ...drafts.filter(({ id, expiresAt }) => id !== except.draftId && expiresAt > clock.now().getTime()),
    ]
      .filter((one: Slot) => one.clinicId === slot.clinicId && one.doctorId === slot.doctorId && one.date === slot.date)
      .some((one: Slot) => halfHours(one).some((half) => halfHours(slot).includes(half)));
  type Wanted = { doctorId: string; typeId?: string; appointmentId?: string };
  const timesOf = (clinicId: string, { doctorId, typeId, appointmentId }: Wanted, date: string) => {
    const moved = booked.find(({ id }) => id === appointmentId);
    const isOwn = (time: string) => moved?.doctorId === doctorId && moved.date === date && moved.time === time;
    const isFree = (time: string) =>
      startOf(date, time) > clock.now() &&
      !halfHours({ time, typeId }).includes(undefined) &&
      !isTaken({ clinicId, doctorId, date, time, typeId }, { appointmentId });
    return state.closed.has(date) || state.off.has(date) || state.booked.has(clinicId) ? [] : TIMES.filter((time) => isFree(time) && !isOwn(time));
  };
  const claim = ({ clinicId, doctorId, date, time, typeId }: Slot, except = {}) => {
    found(
      doctors.find((one) => one.clinicId === clinicId && one.id === doctorId),
      'Doctor',
    );
    if (!TIMES.includes(time) || startOf(date, time) <= clock.now() || state.closed.has(date) || state.off.has(date)) fail('SLOT_UNAVAILABLE');
    if (isTaken({ clinicId, doctorId, date, time, typeId }, except)) fail('SLOT_TAKEN');
  };
  const own = (call: Call, id: string) =>
    found(
      booked.find((one) => one.clinicId === clinicOf(call).id && one.id === id),
      'Appointment',
    );
  const shown = (one: Booked) => {
    const patient = patients.find(({ id }) => id === one.patientId);
    const doctor = doctors.find(({ id }) => id === one.doctorId);
    return {
      id: one.id,
      clinicId: one.clinicId,
      doctorId: one.doctorId,
      patientId: one.patientId,
      appointmentDate: one.date,
      startTime: `${one.time}:00`,
      startsAt: timestampFromDate(startOf(one.date, one.time)),
      seriesId: one.seriesId,
      status: one.status,
      source: one.source,
      notes: one.notes,
      patients: { id: one.patientId, fullName: patient?.fullName ?? '', ...(patient && { phone: patient.phone }) },
      doctors: { id: one.doctorId, fullName: doctor?.fullName ?? '' },
      appointmentTypes: types.find(({ id }) => id === one.typeId),
    };
  };
  /** Runs `work` once for each idempotency key. */
  async function once<T>(call: Call, work: () => T): Promise<T> {
    const key = call.idempotencyKey;
    if (key !== undefined && first.has(key)) return first.get(key) as T;
    const result = work();
    if (key !== undefined) first.set(key, result);
    return result;
  }
  function book(appointment: Omit<Booked, 'id' | 'status' | 'revision' | 'changedAt'>): Booked {
    const one = { ...appointment, id: v7(), status: 'confirmed', revision: 1, changedAt: clock.now() };
    booked.push(one);
    return one;
  }
  function patient(clinicId: string, phone: string, fullName: string): Patient {
    const known = patients.find((one) => one.clinicId === clinicId && one.phone === phone) ?? { clinicId, id: v7(), fullName, phone, recallOptedOut: false };
    if (!patients.includes(known)) patients.push(known);
    return Object.assign(known, { fullName });
  }
  const reachedBy = (phone: string) => patients.filter((one) => (patients.find(({ id }) => id === one.guardianId) ?? one).phone === phone);
  const change = (one: Booked, changes: Partial<Booked>) => Object.assign(one, changes, { revision: one.revision + 1, changedAt: clock.now() });

  const contracts = {
    agenda: {
      getAgenda: async (_call: Call, { doctorId, date }: { doctorId: string; date: string }) => ({
        date,
        doctors: [{ doctorId, hours: state.off.has(date) ? [] : [{ startTime: '08:00:00', endTime: '12:00:00', minutes: 240 }] }],
      }),
    },
    doctors: {
      getDoctor: async (_call: Call, { id }: { id: string }) =>
        found(
          doctors.find((one) => one.id === id),
          'Doctor',
        ),
      listDoctors: async (call: Call) => {
        state.doctorLists++;
        return { doctors: doctors.filter(({ clinicId }) => clinicId === clinicOf(call).id).sort((a, b) => (a.fullName < b.fullName ? -1 : 1)) };
      },
      listSlots: async (call: Call, { date, ...wanted }: Wanted & { date: string }) => ({
        slots: timesOf(clinicOf(call).id, wanted, date).map((startTime) => ({ startTime, endTime: startTime })),
      }),
      listAvailability: async (call: Call, { month, ...wanted }: Wanted & { month: string }) => ({
        days: Array.from({ length: 28 }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`).map((date) => ({
          date,
          free: timesOf(clinicOf(call).id, wanted, date).length,
        })),
      }),
    },
    types: {
      listAppointmentTypes: async (call: Call) => ({ appointmentTypes: types.filter(({ clinicId }) => clinicId === clinicOf(call).id) }),
    },
    drafts: {
      createSlotDraft: (call: Call, { doctorId, appointmentDate: date, startTime: time }: Record<'doctorId' | 'appointmentDate' | 'startTime', string>) =>
        once(call, () => {
          const clinicId = clinicOf(call).id;
          claim({ clinicId, doctorId, date, time });
          const draft = { clinicId, id: v7(), doctorId, date, time, expiresAt: clock.now().getTime() + DRAFT_MS };
          drafts.push(draft);
          return { id: draft.id };
        }),
      deleteSlotDraft: async (_call: Call, { id }: { id: string }) => {
        if (!drafts.some((one) => one.id === id)) fail('NOT_FOUND');
        drafts = drafts.filter((one) => one.id !== id);
        return {};
      },
    },
    appointments: {
      bookAppointment: (
        call: Call,
        given: Record<'doctorId' | 'appointmentDate' | 'startTime' | 'patientName' | 'patientPhone', string> &
          Partial<Record<'slotDraftId' | 'notes' | 'patientId' | 'typeId', string>>,
      ) =>
        once(call, () => {
          const clinicId = clinicOf(call).id;
          const { doctorId, appointmentDate: date, startTime: time, slotDraftId } = given;
          claim({ clinicId, doctorId, date, time, typeId: given.typeId }, { draftId: slotDraftId });
          if (slotDraftId && !drafts.some(({ id }) => id === slotDraftId)) fail('NOT_FOUND', 'Slot draft not found');
          drafts = drafts.filter(({ id }) => id !== slotDraftId);
          const patientId = given.patientId ?? patient(clinicId, given.patientPhone, given.patientName).id;
          const source = call.caller.kind === 'service' ? 'chat' : 'manual';
          return shown(book({ clinicId, doctorId, patientId, date, time, source, notes: given.notes, typeId: given.typeId }));
        }),
      listAppointments: async (call: Call, { seriesId, status, start }: { seriesId: string; status: string; start: string }) => ({
        appointments: booked
          .filter((one) => one.clinicId === clinicOf(call).id && one.seriesId === seriesId && one.status === status && one.date >= start)
          .sort((a, b) => (a.date < b.date ? -1 : 1))
          .map(shown),
      }),
      getAppointment: async (call: Call, { id }: { id: string }) => shown(own(call, id)),
      updateAppointmentStatus: async (call: Call, { id, status }: { id: string; status: string }) => {
        const one = own(call, id);
        if (status === 'cancelled' && state.strict.has(one.clinicId)) fail('INSIDE_CANCELLATION_NOTICE');
        if (one.status !== status) change(one, { status });
        return shown(one);
      },
      recordPatientConfirmation: async (call: Call, { id }: { id: string }) => {
        const one = own(call, id);
        if (one.status !== 'confirmed') fail('APPOINTMENT_NOT_ACTIVE');
        return shown(change(one, { isPatientComing: true }));
      },
      rescheduleAppointment: async (call: Call, { id, doctorId, appointmentDate: date, startTime: time }: Record<string, string>) => {
        const one = own(call, id ?? '');
        if (!active(one)) fail('APPOINTMENT_NOT_ACTIVE');
        if (state.strict.has(one.clinicId)) fail('INSIDE_CANCELLATION_NOTICE');
        const to = { doctorId: doctorId ?? one.doctorId, date: date ?? '', time: time ?? '' };
        claim({ ...to, clinicId: one.clinicId, typeId: one.typeId }, { appointmentId: one.id });
        return shown(change(one, to));
      },
    },
    lookup: {
      listUpcomingAppointments: async (call: Call, { phone }: { phone: string }) => ({
        appointments: booked
          .filter((one) => one.clinicId === clinicOf(call).id && active(one) && startOf(one.date, one.time) > clock.now())
          .filter(({ patientId }) => reachedBy(phone).some(({ id }) => id === patientId))
          .sort((a, b) => (a.date + a.time < b.date + b.time ? -1 : 1))
          .map(shown),
      }),
      findAppointmentWithContact: async (call: Call, { id }: { id: string }) => {
        const { patients: patient, doctors: doctor, ...appointment } = shown(own(call, id));
        return {
          ...appointment,
          doctorName: doctor.fullName,
          missingForms: state.forms.has(id) ? 1 : 0,
          patientName: patient.fullName,
          reachablePhone: patient.phone || undefined,
          reachableEmail: state.emails.get(patient.id),
          bookingEmail: state.emails.get(id),
        };
      },
      findPatientByPhone: async (call: Call, { phone }: { phone: string }) => ({
        patient: patients.find((one) => one.clinicId === clinicOf(call).id && one.phone === phone),
        dependants: reachedBy(phone).filter((one) => one.clinicId === clinicOf(call).id && one.guardianId),
      }),
      findPatient: async (call: Call, { id }: { id: string }) => {
        const one = found(
          patients.find((known) => known.clinicId === clinicOf(call).id && known.id === id),
          'Patient',
        );
        return { ...one, reachablePhone: one.phone || undefined, reachableEmail: state.emails.get(id) };
      },
      setRecallOptOut: async (call: Call, { phone, optIn }: { phone: string; optIn: boolean }) => {
        const one = patients.find((known) => known.clinicId === clinicOf(call).id && known.phone === phone && !known.guardianId);
        if (one) one.recallOptedOut = !optIn;
        return { id: one?.id };
      },
    },
    waitlist: {
      joinWaitlist: (
        call: Call,
        given: Record<'doctorId' | 'dateFrom' | 'dateTo' | 'patientName' | 'patientPhone', string> & Partial<Record<'patientId' | 'notes' | 'typeId', string>>,
      ) =>
        once(call, () => {
          const clinicId = clinicOf(call).id;
          const { doctorId, dateFrom, dateTo, notes, typeId } = given;
          const patientId = given.patientId ?? patient(clinicId, given.patientPhone, given.patientName).id;
          const same = waiting.some(
            (one) => one.patientId === patientId && one.doctorId === doctorId && one.dateFrom === dateFrom && one.dateTo === dateTo && one.typeId === typeId,
          );
          if (same) fail('WAITLIST_ENTRY_EXISTS');
          waiting.push({ clinicId, patientId, doctorId, dateFrom, dateTo, ...(notes && { notes }), ...(typeId && { typeId }) });
          return { id: v7() };
        }),
      startOffer: async (_call: Call, { id }: { id: string }) => {
        state.offerStarts++;
        return state.offered.find((entry) => entry.id === id && entry.until > clock.now()) ?? fail('OFFER_NOT_OPEN');
      },
      listWaitlist: async () => ({
        entries: state.offered.map(({ id, until, patientId, offer }) => ({
          id,
          patientId,
          status: 'offered',
          offer: { ...offer, expiresAt: timestampFromDate(until) },
        })),
      }),
      acceptOffer: (call: Call, { id, offerId }: { id: string; offerId?: string }) =>
        once(call, () => {
          const offer = offers.find((one) => one.entryId === id && one.offerId === offerId && one.open) ?? fail('OFFER_NOT_OPEN');
          offer.open = false;
          return shown(book({ ...offer, source: 'waitlist' }));
        }),
      declineOffer: (call: Call, { id, offerId }: { id: string; offerId?: string }) =>
        once(call, () => {
          const offer = offers.find((one) => one.entryId === id && one.offerId === offerId && one.open) ?? fail('OFFER_NOT_OPEN');
          offer.open = false;
          return { id };
        }),
    },
    manageLinks: {
      getManageLink: async (_call: Call, { appointmentId }: { appointmentId: string }) => ({ link: `https://clinic.example/manage/${appointmentId}` }),
    },
    forms: {
      getFormMessage: async (_call: Call, { id }: { id: string }) => found(state.forms.get(id), 'Form'),
      requestAppointmentForms: async (_call: Call, { appointmentId }: { appointmentId: string }) => found(state.forms.get(appointmentId), 'Form'),
    },
    prescriptions: {
      getPrescriptionMessage: async (_call: Call, { linkId }: { linkId: string }) => found(state.prescriptions.get(linkId), 'Link'),
    },
  };
  type Answers = Record<string, (call: Call, request: never) => Promise<object>>;
  const log = createLog('test', 'silent');
  const services = [
    [AgendaService, contracts.agenda],
    [DoctorService, contracts.doctors],
    [AppointmentTypeService, contracts.types],
    [SlotDraftService, contracts.drafts],
    [AppointmentService, contracts.appointments],
    [LookupService, contracts.lookup],
    [WaitlistService, contracts.waitlist],
    [PrescriptionService, contracts.prescriptions],
    [FormService, contracts.forms],
    [ManageLinkService, contracts.manageLinks],
  ] as const;
  const transport = localTransport(
    services.map(([contract, answers]) => {
      const handlers = contract.methods.map((method) => [
        method.localName,
        async (_app: unknown, request: never, call: Call) => {
          if (state.unavailable) fail('UNAVAILABLE');
          return ((answers as Answers)[method.localName] ?? (() => fail('NOT_FOUND')))(call, request);
        },
      ]);
      return implement({ log, constraints: {} }, contract, Object.fromEntries(handlers) as Handlers<unknown, typeof contract>);
    }),
  );
  return { transport, doctors, types, patients, booked, offers, waiting, drafts: () => drafts, state, book, patient, change, timesOf, instant: timestampDate };
}
