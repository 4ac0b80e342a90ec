// Vacations of a doctor.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { dateIn, parseDayRange } from '@clinic/lib/formats/local-date.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateVacationRequest, type DeleteVacationRequest, DoctorService, type ListVacationsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { listConflicts } from '../slots/timetable.sql.ts';
import { insertVacation, listVacations as list, deleteVacation as remove, toProto, type VacationRow } from './vacations.sql.ts';

/** Vacations, newest first. */
export async function listVacations(app: App, request: ListVacationsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { rows, total } = found(await list(app.db, clinicOf(call).id, request.doctorId, limit, offset), 'Doctor');
  return { vacations: rows.map((vacation) => toProto(vacation)), total, page, limit };
}

/** Booked appointments stay; the response lists those within the vacation. */
export async function createVacation(app: App, request: CreateVacationRequest, call: Call) {
  const clinic = clinicOf(call);
  const { from: start_date, to: end_date } = parseDayRange(request.startDate, request.endDate, ['startDate', 'endDate']);
  const reason = parseOptionalText('reason', request.reason, 500);
  if (!isUuid(request.doctorId)) fail('NOT_FOUND', 'Doctor not found');
  return idempotent(app.db, call, DoctorService.method.createVacation, request, async (tx) => {
    const now = app.clock.now();
    const [, timezone] = await Promise.all([lockDay(tx, request.doctorId), findZoneIn(tx, clinic.id, clinic.timezone)]);
    const vacation = found(await insertVacation(tx, { id: v7(), doctor_id: request.doctorId, start_date, end_date, reason }), 'Doctor');
    const [conflicts] = await Promise.all([
      listConflicts(tx, vacation.doctor_id, timezone, dateIn(timezone, now), now),
      audit(tx, clinic.id, call.caller, { action: 'vacation.created', entityId: vacation.id, changes: audited(vacation) }),
    ]);
    const within = conflicts.filter(({ appointmentDate = '' }) => start_date <= appointmentDate && appointmentDate <= end_date);
    return toProto(vacation, within);
  });
}

/** The days of the vacation have slots again. */
export async function deleteVacation(app: App, request: DeleteVacationRequest, call: Call) {
  const { doctorId, vacationId } = request;
  if (!isUuid(doctorId) || !isUuid(vacationId)) fail('NOT_FOUND', 'Vacation not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const vacation = found(await remove(tx, doctorId, vacationId), 'Vacation');
    await audit(tx, tx.clinicId, call.caller, { action: 'vacation.deleted', entityId: vacation.id, changes: audited(vacation) });
    return { message: 'Vacation deleted' };
  });
}

const audited = ({ doctor_id, start_date, end_date }: VacationRow) => ({ doctor_id, start_date, end_date });
