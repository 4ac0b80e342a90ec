// A day by doctor, with appointments and gaps, for the screen and for the mail.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAgendaRequest } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { toRefs } from '../appointments/appointment-row.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { type LocalDay, localDay, timeOf } from '../clinics/local-day-rules.ts';
import { toProto as toAlert } from '../medical-alerts/medical-alerts.sql.ts';
import { type Interval, openIntervals, subtract } from '../slots/interval-rules.ts';
import { type AgendaAppointmentRow, type AgendaDoctorRow, listAgendaAppointments, listAgendaDoctors } from './agenda.sql.ts';

export async function getAgenda(app: App, request: GetAgendaRequest, call: Call) {
  const clinic = clinicOf(call);
  const requested = request.date === undefined ? undefined : parseLocalDate('date', request.date);
  const doctorId = request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId);
  return inTenant(app.db, clinic.id, async (tx) => {
    const timezone = await findZoneIn(tx, clinic.id, clinic.timezone);
    return buildAgenda(tx, timezone, requested ?? dateIn(timezone, app.clock.now()), doctorId);
  });
}

const MINUTE = 60_000;

/** `date` is a date in `zone`. Throws NOT_FOUND when `doctorId` is not a doctor of the clinic. */
export async function buildAgenda(tx: TenantTx, zone: string, date: string, doctorId: string | null) {
  const day = localDay(zone, date);
  const [rows, appointments] = await Promise.all([
    listAgendaDoctors(tx, date, day.weekday, doctorId),
    listAgendaAppointments(tx, date, new Date(day.start), doctorId),
  ]);
  if (doctorId) found(rows[0], 'Doctor');
  const byDoctor = Map.groupBy(appointments, ({ doctor_id }) => doctor_id);
  const doctors = rows.map((doctor) => toDoctor(doctor, byDoctor.get(doctor.id) ?? [], date, day));
  return { date, doctors, totals: doctors.map(({ totals }) => totals).reduce(add, count([], [])) };
}

/** `all` may include appointments of the day before: they occupy time of this day, and are not listed. */
function toDoctor(doctor: AgendaDoctorRow, all: AgendaAppointmentRow[], date: string, day: LocalDay) {
  const ofDay = all.filter(({ appointment_date }) => appointment_date === date);
  const appointments = ofDay.filter(({ status }) => status !== 'cancelled');
  const open = doctor.on_vacation ? [] : openIntervals(doctor.hours, doctor.breaks, day);
  const busy = all
    .filter(({ status }) => status !== 'cancelled' && status !== 'no_show') // a no-show leaves its time free
    .map(({ starts_at, busy_until }) => ({ start: starts_at.getTime(), end: busy_until.getTime() }));
  const gaps = subtract(open, busy).map((interval) => toSpan(interval, day));
  return {
    ...toFields(doctor),
    doctorId: doctor.id,
    hours: open.map((interval) => toSpan(interval, day)),
    visits: appointments.map(toAppointment), // plain-words: visits is public JSON
    gaps,
    totals: count(ofDay, gaps),
  };
}

/** The end of the day is 24:00:00, as in working hours. */
const toSpan = ({ start, end }: Interval, day: LocalDay) => ({
  startTime: `${timeOf(day.clockAt(start))}:00`,
  endTime: end === day.end ? '24:00:00' : `${timeOf(day.clockAt(end))}:00`,
  minutes: (end - start) / MINUTE,
});

const toAppointment = (appointment: AgendaAppointmentRow) => ({
  ...toFields(appointment),
  patients: { id: appointment.patient_id, fullName: appointment.patient_name, phone: appointment.patient_phone ?? undefined },
  ...toRefs(appointment),
  alerts: appointment.alerts.map(toAlert),
  missingForms: appointment.missing_forms.map(toFields),
});

function count(appointments: AgendaAppointmentRow[], gaps: { minutes: number }[]) {
  const withStatus = (status: string) => appointments.filter((appointment) => appointment.status === status).length;
  return {
    visits: appointments.length - withStatus('cancelled'), // plain-words: visits is public JSON
    confirmed: withStatus('confirmed'),
    pending: withStatus('pending'),
    completed: withStatus('completed'),
    noShow: withStatus('no_show'),
    cancelled: withStatus('cancelled'),
    checkedIn: appointments.filter(({ status, checked_in_at }) => status !== 'cancelled' && checked_in_at).length,
    gapMinutes: gaps.reduce((sum, { minutes }) => sum + minutes, 0),
  };
}

type Totals = ReturnType<typeof count>;

const add = (a: Totals, b: Totals) => Object.fromEntries(Object.entries(a).map(([name, value]) => [name, value + b[name as keyof Totals]])) as Totals;
