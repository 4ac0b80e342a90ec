// The wiring of charts, periodontics and recall, which service.ts puts beside that of plans and payments.
import type { Consumer } from '@clinic/lib/events.ts';
import type { Job } from '@clinic/lib/jobs.ts';
import { type Implementation, implement } from '@clinic/lib/rpc/pipeline.ts';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from './app.ts';
import { onAppointmentBookedForRecall } from './consumers/on-appointment-booked-for-recall.ts';
import { onAppointmentReassignedForRecall } from './consumers/on-appointment-reassigned-for-recall.ts';
import { onAppointmentRescheduledForRecall } from './consumers/on-appointment-rescheduled-for-recall.ts';
import { onAppointmentStatusChangedForRecall } from './consumers/on-appointment-status-changed-for-recall.ts';
import { onClinicRegisteredForRecall } from './consumers/on-clinic-registered-for-recall.ts';
import { onClinicUpdatedForRecall } from './consumers/on-clinic-updated-for-recall.ts';
import { onOutboundMessageUpdated } from './consumers/on-outbound-message-updated.ts';
import { onPatientCreatedForRecall } from './consumers/on-patient-created-for-recall.ts';
import { onPatientReplied } from './consumers/on-patient-replied.ts';
import { onPatientUpdatedForRecall } from './consumers/on-patient-updated-for-recall.ts';
import { onPatientsChangedForRecall } from './consumers/on-patients-changed-for-recall.ts';
import { addChartEntry } from './handlers/add-chart-entry.ts';
import { addPeriodontalExam } from './handlers/add-periodontal-exam.ts';
import { comparePeriodontalExams } from './handlers/compare-periodontal-exams.ts';
import { createRecallCampaign } from './handlers/create-recall-campaign.ts';
import { deleteRecallCampaign } from './handlers/delete-recall-campaign.ts';
import { drawChart } from './handlers/draw-chart.ts';
import { drawPeriodontalExam } from './handlers/draw-periodontal-exam.ts';
import { getChart } from './handlers/get-chart.ts';
import { getChartHistory } from './handlers/get-chart-history.ts';
import { getPeriodontalExam } from './handlers/get-periodontal-exam.ts';
import { getRecallCampaign } from './handlers/get-recall-campaign.ts';
import { getRecallStats } from './handlers/get-recall-stats.ts';
import { listFindings } from './handlers/list-findings.ts';
import { listPeriodontalExams } from './handlers/list-periodontal-exams.ts';
import { listRecallCampaigns } from './handlers/list-recall-campaigns.ts';
import { listRecallContacts } from './handlers/list-recall-contacts.ts';
import { listRecallEligible } from './handlers/list-recall-eligible.ts';
import { rebuildRecallVisits } from './handlers/rebuild-recall-visits.ts';
import { renderRecallMessage } from './handlers/render-recall-message.ts';
import { setDentition } from './handlers/set-dentition.ts';
import { updateRecallCampaign } from './handlers/update-recall-campaign.ts';
import { voidChartEntry } from './handlers/void-chart-entry.ts';
import { queueRecall } from './jobs/queue-recall.ts';
import { rebuildRecall } from './jobs/rebuild-recall.ts';
import { releaseRecall } from './jobs/release-recall.ts';

export function charting(app: App): { implementations: Implementation[]; consumers: Consumer[]; jobs: Job[] } {
  return {
    implementations: [
      implement(app, ChartService, { getChart, drawChart, getChartHistory, addChartEntry, voidChartEntry, setDentition, listFindings }),
      implement(app, PeriodonticsService, { addPeriodontalExam, listPeriodontalExams, getPeriodontalExam, drawPeriodontalExam, comparePeriodontalExams }),
      implement(app, RecallService, {
        listRecallCampaigns,
        getRecallCampaign,
        createRecallCampaign,
        updateRecallCampaign,
        deleteRecallCampaign,
        listRecallContacts,
        listRecallEligible,
        getRecallStats,
        renderRecallMessage,
        rebuildRecallVisits,
      }),
    ],
    consumers: [
      onPatientCreatedForRecall(app),
      onPatientUpdatedForRecall(app),
      onPatientsChangedForRecall(app),
      onAppointmentBookedForRecall(app),
      onAppointmentStatusChangedForRecall(app),
      onAppointmentReassignedForRecall(app),
      onAppointmentRescheduledForRecall(app),
      onClinicRegisteredForRecall,
      onClinicUpdatedForRecall,
      onOutboundMessageUpdated(app),
      onPatientReplied(app),
    ],
    jobs: [queueRecall(app), releaseRecall(app), rebuildRecall(app)],
  };
}
