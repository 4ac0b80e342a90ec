// What scheduling keeps sealed, for the rotation of keys.
import type { SealedColumn } from '@clinic/lib/reseal.ts';
import { feedTokenContext } from './calendar/feed-token.ts';
import { sealContext } from './patient-imports/import-patients.ts';
import { columnContext, rowContext } from './patients/sealed-dui.ts';

export default [
  {
    table: 'patients',
    key: ['clinic_id', 'id'],
    column: 'dui_sealed',
    context: ({ clinic_id, id }) => rowContext(clinic_id, id),
    index: { column: 'dui_index', context: ({ clinic_id }) => columnContext(clinic_id) },
  },
  { table: 'doctors', key: ['clinic_id', 'id'], column: 'feed_token_sealed', context: ({ clinic_id, id }) => feedTokenContext(clinic_id, id) },
  {
    table: 'patient_import_chunks',
    key: ['clinic_id', 'import_id', 'seq'],
    column: 'content_sealed',
    context: ({ clinic_id, import_id, seq }) => sealContext(clinic_id, import_id, Number(seq)),
  },
] satisfies SealedColumn[];
