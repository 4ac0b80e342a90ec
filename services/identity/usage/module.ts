// Usage of the product by clinic and day.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { UsageService } from '@clinic/proto/identity/v1/operations_pb.js';
import type { App } from '../app.ts';
import { addUsage, reportStorage } from './add-reports.ts';
import { getClinicUsage, getTopUsage } from './get-usage.ts';
import { usageJobs } from './jobs.ts';

export const usage: Module<App> = {
  rpcs: [rpcs(UsageService, { getClinicUsage, getTopUsage }), rpcs(UsageReportService, { addUsage, reportStorage })],
  jobs: usageJobs,
  personal: [
    { table: 'clinic_usage' },
    { table: 'clinic_storage' },
    { table: 'usage_reports', ofClinic: null, why: 'ids of reports, which are deleted after a day' },
  ],
};
