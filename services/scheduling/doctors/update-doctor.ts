// Changes a doctor. Booked appointments stay as they are when the hours change.

import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { parseMinutes } from '@clinic/lib/formats/duration.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateDoctorRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { listConflicts } from '../slots/timetable.sql.ts';
import { enforceDoctorLimit } from './doctor-limit.ts';
import { replacePhoto } from './doctor-photos.sql.ts';
import { type DoctorFields, type DoctorRow, findDoctor, lockDoctor, photoUrlOf, toProto, updateDoctor as update } from './doctors.sql.ts';
import { hoursFault } from './hours-rules.ts';
import { parsePhotoUrl } from './photo-url-rules.ts';
import { replaceBreaks, replaceWorkingHours } from './working-hours.sql.ts';

export async function updateDoctor(app: App, request: UpdateDoctorRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Doctor not found');
  throwIfInvalid(hoursFault(request.workingHours?.ranges ?? [], 'workingHours') ?? hoursFault(request.breaks?.ranges ?? [], 'breaks'));
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await lockDoctor(tx, request.id), 'Doctor');
    // A client may send a doctor back as it was returned, with the address of the uploaded photo.
    const photoUrl = request.photoUrl === photoUrlOf(before, app.publicUrl) ? undefined : request.photoUrl;
    const fields = changedFields(before, { ...request, photoUrl });
    if (fields.is_active && !before.is_active) await enforceDoctorLimit(tx, clinic);
    const [, , , , updated] = await Promise.all([
      photoUrl !== undefined && before.photo_id && replacePhoto(tx, before.id, undefined, app.clock.now()),
      update(tx, before.id, fields, app.clock.now()),
      request.workingHours && replaceWorkingHours(tx, before.id, request.workingHours.ranges),
      request.breaks && replaceBreaks(tx, before.id, request.breaks.ranges),
      findDoctor(tx, before.id),
    ]);
    const after = found(updated, 'Doctor');
    const now = app.clock.now();
    const hoursChanged = request.workingHours || request.breaks;
    const timezone = await findZone(tx, clinic.id, clinic.timezone);
    const [conflicts] = await Promise.all([
      hoursChanged ? listConflicts(tx, after.id, timezone, dateIn(timezone, now), now) : [],
      audit(tx, clinic.id, call.caller, { action: 'doctor.updated', entityId: after.id, changes: maskChanges(before, after, ['feed_token_sealed']) }),
    ]);
    return toProto(app, after, conflicts);
  });
}

function changedFields(
  before: DoctorRow,
  request: Omit<UpdateDoctorRequest, 'photoUrl'> & { photoUrl: string | undefined },
): DoctorFields & { is_active: boolean } {
  const { fullName, specialty, bio, photoUrl, consultationDurationMinutes, bufferTimeMinutes } = request;
  return {
    full_name: fullName === undefined ? before.full_name : parseText('fullName', fullName, 200),
    specialty: specialty === undefined ? before.specialty : parseOptionalText('specialty', specialty, 200),
    bio: bio === undefined ? before.bio : parseOptionalText('bio', bio, 5000),
    photo_url: photoUrl === undefined ? before.photo_url : parsePhotoUrl(photoUrl),
    consultation_duration_minutes: parseMinutes('consultationDurationMinutes', consultationDurationMinutes ?? before.consultation_duration_minutes),
    buffer_time_minutes: parseInteger('bufferTimeMinutes', bufferTimeMinutes ?? before.buffer_time_minutes, 0, 240),
    is_active: request.isActive ?? before.is_active,
    online_bookable: request.onlineBookable ?? before.online_bookable,
  };
}
