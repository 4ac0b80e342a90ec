// A day by doctor as the screen and the mail show it.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { DateTime } from 'luxon';
import { type LocalDay, localDay, timeOf } from '../clinics/local-day-rules.ts';
import { type Interval, openIntervals, subtract } from '../slots/interval-rules.ts';
import { type AgendaDoctorRow, type AgendaVisitRow, listAgendaDoctors, listAgendaVisits } from './agenda.sql.ts';

/** `date` is YYYY-MM-DD in `zone`. NOT_FOUND when a doctor is named whom the clinic does not have. */
export async function readAgenda(tx: TenantTx, zone: string, date: string, doctorId: string | null) {
  const day = localDay(zone, date);
  const [rows, visits] = await Promise.all([listAgendaDoctors(tx, date, day.weekday, doctorId), listAgendaVisits(tx, date, doctorId)]);
  if (doctorId) found(rows[0], 'Doctor');
  const byDoctor = Map.groupBy(visits, ({ doctor_id }) => doctor_id);
  const doctors = rows.map((doctor) => tellDoctor(doctor, byDoctor.get(doctor.id) ?? [], day, zone));
  return { date, doctors, totals: doctors.map(({ totals }) => totals).reduce(add, count([], [])) };
}

function tellDoctor(doctor: AgendaDoctorRow, all: AgendaVisitRow[], day: LocalDay, zone: string) {
  const visits = all.filter(({ status }) => status !== 'cancelled');
  const open = doctor.on_vacation ? [] : openIntervals(doctor.hours, doctor.breaks, day);
  // A missed visit leaves its time free.
  const taken = visits.filter(({ status }) => status !== 'no_show').map((visit) => ({ start: visit.starts_at.getTime(), end: visit.busy_until.getTime() }));
  const gaps = subtract(open, taken).map((span) => tellSpan(span, day));
  return {
    doctorId: doctor.id,
    fullName: doctor.full_name,
    specialty: doctor.specialty ?? undefined,
    onVacation: doctor.on_vacation,
    hours: open.map((span) => tellSpan(span, day)),
    visits: visits.map((visit) => tellVisit(visit, zone)),
    gaps,
    totals: count(all, gaps),
  };
}

const MINUTE = 60_000;

const tellSpan = ({ start, end }: Interval, day: LocalDay) => ({
  startTime: `${timeOf(day.clockAt(start))}:00`,
  endTime: `${timeOf(day.clockAt(end))}:00`,
  minutes: (end - start) / MINUTE,
});

function tellVisit(visit: AgendaVisitRow, zone: string) {
  return {
    id: visit.id,
    startTime: visit.start_time,
    endTime: visit.end_time,
    status: visit.status,
    source: visit.source,
    notes: visit.notes ?? undefined,
    checkedInTime: visit.checked_in_at ? DateTime.fromJSDate(visit.checked_in_at, { zone }).toFormat('HH:mm:ss') : undefined,
    patients: { id: visit.patient_id, fullName: visit.patient_name, phone: visit.patient_phone ?? undefined },
  };
}

function count(visits: AgendaVisitRow[], gaps: { minutes: number }[]) {
  const of = (status: string) => visits.filter((visit) => visit.status === status).length;
  return {
    visits: visits.length - of('cancelled'),
    confirmed: of('confirmed'),
    pending: of('pending'),
    completed: of('completed'),
    noShow: of('no_show'),
    cancelled: of('cancelled'),
    checkedIn: visits.filter(({ status, checked_in_at }) => status !== 'cancelled' && checked_in_at).length,
    gapMinutes: gaps.reduce((sum, { minutes }) => sum + minutes, 0),
  };
}

type Totals = ReturnType<typeof count>;

const add = (a: Totals, b: Totals): Totals => ({
  visits: a.visits + b.visits,
  confirmed: a.confirmed + b.confirmed,
  pending: a.pending + b.pending,
  completed: a.completed + b.completed,
  noShow: a.noShow + b.noShow,
  cancelled: a.cancelled + b.cancelled,
  checkedIn: a.checkedIn + b.checkedIn,
  gapMinutes: a.gapMinutes + b.gapMinutes,
});
