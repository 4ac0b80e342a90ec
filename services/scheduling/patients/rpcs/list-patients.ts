// Active or archived patients by name, found by name, phone or exact DUI; the DUI is masked.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPatientsRequest } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { duiIndexes, toMaskedProto } from '../encrypted-dui.ts';
import { parsePatientSearch } from '../patient-search-rules.ts';
import { searchPatients } from '../sql/patient-search.sql.ts';

export async function listPatients(app: App, request: ListPatientsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const search = parsePatientSearch(parseOptionalText('search', request.search, 200) ?? '');
  const indexes = search.kind === 'dui' ? duiIndexes(app.keys, id, search.dui) : [];
  const { rows, total } = await searchPatients(app.db, id, search, indexes, { archived: request.archived, limit, offset });
  return { patients: rows.map((patient) => toMaskedProto(app.keys, patient)), total, page, limit };
}
