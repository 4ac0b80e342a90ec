// The use of the product by clinic and day.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { storageJob } from '@clinic/lib/usage/storage.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { UsageService } from '@clinic/proto/identity/v1/operations_pb.js';
import type { App } from '../app.ts';
import { addUsage } from './add-usage.ts';
import { getClinicUsage } from './get-clinic-usage.ts';
import { getTopUsage } from './get-top-usage.ts';
import { dayOf } from './period-rules.ts';
import { reportStorage } from './report-storage.ts';
import { purgeUsage, setStorage } from './usage.sql.ts';

const RETAINED_DAYS = 800;

export const usage: Module<App> = {
  rpcs: [rpcs(UsageService, { getClinicUsage, getTopUsage }), rpcs(UsageReportService, { addUsage, reportStorage })],
  jobs: ({ db, clock }) => [
    // As the system: over all clinics.
    job('purge-usage', { cron: '40 9 * * *' }, () => asSystem(db, (tx) => purgeUsage(tx, dayOf(clock.now(), RETAINED_DAYS), clock.now()))),
    storageJob(db, ['pictures.content'], (stored) => asSystem(db, (tx) => setStorage(tx, 'identity', stored, clock.now()))),
  ],
  personal: [
    { table: 'clinic_usage' },
    { table: 'clinic_storage' },
    { table: 'usage_reports', ofClinic: null, why: 'ids of reports, which are deleted after a day' },
  ],
};
