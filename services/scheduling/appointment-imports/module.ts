// Imports of past appointments and of opening balances from CSV files. The files and their progress are stored by patient-imports.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AppointmentImportService } from '@clinic/proto/scheduling/v1/appointment_import_pb.js';
import type { App } from '../app.ts';
import { finishUpload } from '../patient-imports/finish-upload.ts';
import { importJob } from '../patient-imports/run-import.ts';
import { APPOINTMENTS } from './appointments-kind.ts';
import { BALANCES } from './balances-kind.ts';

export const appointmentImports: Module<App> = {
  rpcs: [rpcs(AppointmentImportService, { finishAppointmentImport: finishUpload(APPOINTMENTS), finishBalanceImport: finishUpload(BALANCES) })],
  jobs: (app) => [importJob(app, APPOINTMENTS), importJob(app, BALANCES)],
};
