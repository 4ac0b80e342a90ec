// Adds a doctor under the plan's limit.

import { audit } from '@clinic/lib/audit/audit.ts';
import { found, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { parseMinutes } from '@clinic/lib/formats/duration.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateDoctorRequest, DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { enforceDoctorLimit } from './doctor-limit.ts';
import { findDoctor, insertDoctor, toProto } from './doctors.sql.ts';
import { hoursFault } from './hours-rules.ts';
import { parsePhotoUrl } from './photo-url-rules.ts';
import { replaceBreaks, replaceWorkingHours } from './working-hours.sql.ts';

export async function createDoctor(app: App, request: CreateDoctorRequest, call: Call) {
  const clinic = clinicOf(call);
  const doctor = {
    full_name: parseText('fullName', request.fullName, 200),
    specialty: parseOptionalText('specialty', request.specialty, 200),
    bio: parseOptionalText('bio', request.bio, 5000),
    photo_url: parsePhotoUrl(request.photoUrl),
    consultation_duration_minutes: parseMinutes('consultationDurationMinutes', request.consultationDurationMinutes ?? 30),
    buffer_time_minutes: parseInteger('bufferTimeMinutes', request.bufferTimeMinutes ?? 0, 0, 240),
    online_bookable: request.onlineBookable ?? true,
  };
  throwIfInvalid(hoursFault(request.workingHours, 'workingHours') ?? hoursFault(request.breaks, 'breaks'));
  return idempotent(app.db, call, DoctorService.method.createDoctor, request, async (tx) => {
    await enforceDoctorLimit(tx, clinic);
    const id = v7();
    const [, , , created] = await Promise.all([
      insertDoctor(tx, id, doctor),
      replaceWorkingHours(tx, id, request.workingHours),
      replaceBreaks(tx, id, request.breaks),
      findDoctor(tx, id),
      audit(tx, clinic.id, call.caller, { action: 'doctor.created', entityId: id }),
    ]);
    return toProto(app, found(created, 'Doctor'));
  });
}
