// Patients by name, found by name, phone or exact DUI; the DUI is shown masked.

import { readSystem, readTenant } from '@clinic/lib/db/db.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPatientsRequest } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { maskDui } from '../rules/dui.ts';
import { type Wanted, wantedBy } from '../rules/patient-search.ts';
import { duiIndexes, openDui } from '../sealed-dui.ts';
import { findPatientIdsStatements, listPatientsStatement } from '../sql/patient-search.sql.ts';
import { toProto } from '../sql/patients.sql.ts';

export async function listPatients(app: App, request: ListPatientsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const wanted = wantedBy(parseOptionalText('search', request.search, 200) ?? '');
  // As the system: where an index helps, and for ids alone.
  const [found] = await readSystem(app.db, findPatientIdsStatements[wanted.kind], [id, limit, offset, ...searchValues(app, id, wanted)]);
  const patients = found?.ids.length ? await readTenant(app.db, id, listPatientsStatement, [id, found.ids]) : [];
  const listed = patients.map((patient) => {
    const dui = openDui(app.keys, patient);
    return toProto(patient, dui && maskDui(dui));
  });
  return { patients: listed, total: found?.total ?? 0, page, limit };
}

function searchValues(app: App, clinicId: string, wanted: Wanted): unknown[] {
  if (wanted.kind === 'all') return [];
  return wanted.kind === 'dui' ? [wanted.pattern, duiIndexes(app.keys, clinicId, wanted.dui)] : [wanted.pattern];
}
