// A page of the patients whom a campaign may contact now.
import { DEFAULT_ZONE, dateIn } from '@clinic/lib/formats/local-date.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListRecallEligibleRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { findPatients } from '../../patients/find-patients.ts';
import { getCampaign } from '../list-contacts.ts';
import { findEligiblePage } from '../sql/recall-eligible.sql.ts';

export async function listRecallEligible(app: App, request: ListRecallEligibleRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const campaign = await getCampaign(app, call, request.id);
  const now = app.clock.now();
  const { rows, total } = await findEligiblePage(app.db, clinicOf(call).id, now, dateIn(DEFAULT_ZONE, now), campaign.id, limit, offset);
  const ids = rows.map(({ id }) => id);
  const known = await findPatients(app, call, ids);
  const patients = rows.map(({ id, last_visit, attempts, last_day }) => ({
    patientId: id,
    patientName: known.get(id)?.fullName,
    patientPhone: known.get(id)?.reachablePhone,
    lastVisit: last_visit,
    attempts,
    lastAttempt: last_day ?? undefined,
  }));
  return { patients, total, page, limit };
}
