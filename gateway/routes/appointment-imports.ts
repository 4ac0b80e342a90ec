// Must precede routes/appointments.ts in areas.ts, whose `/:id` would match `/import`.

import { AppointmentImportService } from '@clinic/proto/scheduling/v1/appointment_import_pb.js';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { area } from './area.ts';
import { csvUpload } from './patients-bulk.ts';
import { flag } from './schemas.ts';

const { method } = AppointmentImportService;
const { method: bulk } = PatientBulkService;

const errors = { summary: 'Download the errors of an import', download: 'errores.csv' };

export const appointmentImports = area({
  prefix: '/api/appointments',
  tag: 'Import of past appointments',
  about: 'Import of past appointments from CSV, for clinics that move from another system.',
  all: { scope: 'appointments', feature: 'csv_import', notFound: 'Import not found' },
  routes: [
    {
      method: 'post',
      path: '/api/appointments/import',
      rpc: method.finishAppointmentImport,
      summary: 'Import past appointments',
      query: { dryRun: flag },
      upload: csvUpload,
    },
    { method: 'get', path: '/api/appointments/imports/:id', rpc: bulk.getPatientImport, operation: 'getAppointmentImport' },
    {
      method: 'get',
      path: '/api/appointments/imports/:id/errors.csv',
      rpc: bulk.exportPatientImportErrors,
      operation: 'exportAppointmentImportErrors',
      ...errors,
    },
  ],
});

export const balanceImports = area({
  prefix: '/api/dental',
  tag: 'Import of balances',
  about: 'Import of what patients owe from CSV, for dental clinics that move from another system.',
  all: { scope: 'payments', feature: 'csv_import', dental: true, notFound: 'Import not found' },
  routes: [
    {
      method: 'post',
      path: '/api/dental/balances/import',
      rpc: method.finishBalanceImport,
      summary: 'Import balances',
      query: { dryRun: flag },
      upload: csvUpload,
    },
    { method: 'get', path: '/api/dental/balances/imports/:id', rpc: bulk.getPatientImport, operation: 'getBalanceImport' },
    {
      method: 'get',
      path: '/api/dental/balances/imports/:id/errors.csv',
      rpc: bulk.exportPatientImportErrors,
      operation: 'exportBalanceImportErrors',
      ...errors,
    },
  ],
});
