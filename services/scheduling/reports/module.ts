// The dashboard of each week or month by mail.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ReportService } from '@clinic/proto/scheduling/v1/report_pb.js';
import type { App } from '../app.ts';
import { mailReportJob, markReportsJob } from './mail-reports.ts';
import { getReportSubscription, updateReportSubscription } from './report-subscription.ts';

export const reports: Module<App> = {
  rpcs: [rpcs(ReportService, { getReportSubscription, updateReportSubscription })],
  jobs: (app) => [markReportsJob(app), mailReportJob(app)],
  personal: [{ table: 'report_mails' }, { table: 'report_subscriptions' }],
};
