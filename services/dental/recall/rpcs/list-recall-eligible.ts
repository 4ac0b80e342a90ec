// Whom a campaign would invite as things stand.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListRecallEligibleRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { findPatients } from '../../patients/find-patients.ts';
import { getCampaign } from '../list-contacts.ts';
import { recallDay } from '../rules/recall-day.ts';
import { listEligibleStatement } from '../sql/recall-eligible.sql.ts';

export async function listRecallEligible(app: App, request: ListRecallEligibleRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const campaign = await getCampaign(app, call, request.id);
  const now = app.clock.now();
  const listed = await readTenant(app.db, id, listEligibleStatement, [id, now, recallDay(now), campaign.id, limit, offset]);
  const eligible = listed.filter((one) => one.patient_id !== null);
  const known = await findPatients(
    app,
    call,
    eligible.map(({ patient_id }) => patient_id),
  );
  const patients = eligible.map((one) => ({
    patientId: one.patient_id,
    patientName: known.get(one.patient_id)?.fullName,
    patientPhone: known.get(one.patient_id)?.reachablePhone,
    lastVisit: one.last_visit,
    attempts: one.attempts,
    lastAttempt: one.last_day ?? undefined,
  }));
  return { patients, total: listed[0]?.total ?? 0, page, limit };
}
