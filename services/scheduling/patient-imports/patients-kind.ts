// Imports of patients.

import { PATIENT_COLUMNS, type PatientColumn } from './import-columns-rules.ts';
import type { Kind } from './import-kind.ts';
import { type PatientRow, parseImportRow, phoneKey } from './parse-import-row.ts';
import { writeBatch } from './write-import-batch.ts';

export const PATIENTS: Kind<PatientRow, PatientColumn> = {
  name: 'patients',
  job: 'import-patients',
  action: 'patient_import.finished',
  columns: PATIENT_COLUMNS,
  missing(columns) {
    if (!columns.full_name && !columns.first_name) return 'must have a header line with a column for the name, for example nombre or full_name';
    if (!columns.phone) return 'must have a header line with a column for the phone, for example telefono or phone';
    return undefined;
  },
  parse: (row, cells, columns, { country, today }) => parseImportRow(row, cells, columns, country, today),
  keyOf: ({ fields, guardianPhone }) => (fields.phone ? phoneKey(fields.phone) : `${guardianPhone}${fields.search_name}`),
  repeated: (columns, first, { guardianPhone }) =>
    guardianPhone
      ? { column: columns.guardian_phone?.header ?? '', message: `is in row ${first} already, with the same name` }
      : { column: columns.phone?.header ?? '', message: `is in row ${first} already: one of a family has the phone, the others telefono_responsable` },
  prepare: async (app, job, rows, seen) => (tx) => writeBatch(app, tx, job, rows, seen),
};
