// The wiring of charts, periodontics and recall, which service.ts puts beside that of plans and payments.
import type { Consumer } from '@clinic/lib/events.ts';
import type { Job } from '@clinic/lib/jobs.ts';
import { type Implementation, implement } from '@clinic/lib/rpc/pipeline.ts';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from './app.ts';
import { addChartEntry } from './charts/rpcs/add-chart-entry.ts';
import { drawChart } from './charts/rpcs/draw-chart.ts';
import { getChart } from './charts/rpcs/get-chart.ts';
import { getChartHistory } from './charts/rpcs/get-chart-history.ts';
import { listFindings } from './charts/rpcs/list-findings.ts';
import { setDentition } from './charts/rpcs/set-dentition.ts';
import { voidChartEntry } from './charts/rpcs/void-chart-entry.ts';
import { addPeriodontalExam } from './periodontics/add-periodontal-exam.ts';
import { comparePeriodontalExams } from './periodontics/compare-periodontal-exams.ts';
import { drawPeriodontalExam } from './periodontics/draw-periodontal-exam.ts';
import { getPeriodontalExam } from './periodontics/get-periodontal-exam.ts';
import { listPeriodontalExams } from './periodontics/list-periodontal-exams.ts';
import { onAppointmentBookedForRecall } from './recall/consumers/on-appointment-booked-for-recall.ts';
import { onAppointmentReassignedForRecall } from './recall/consumers/on-appointment-reassigned-for-recall.ts';
import { onAppointmentRescheduledForRecall } from './recall/consumers/on-appointment-rescheduled-for-recall.ts';
import { onAppointmentStatusChangedForRecall } from './recall/consumers/on-appointment-status-changed-for-recall.ts';
import { onClinicRegisteredForRecall } from './recall/consumers/on-clinic-registered-for-recall.ts';
import { onClinicUpdatedForRecall } from './recall/consumers/on-clinic-updated-for-recall.ts';
import { onOutboundMessageUpdated } from './recall/consumers/on-outbound-message-updated.ts';
import { onPatientCreatedForRecall } from './recall/consumers/on-patient-created-for-recall.ts';
import { onPatientReplied } from './recall/consumers/on-patient-replied.ts';
import { onPatientUpdatedForRecall } from './recall/consumers/on-patient-updated-for-recall.ts';
import { onPatientsChangedForRecall } from './recall/consumers/on-patients-changed-for-recall.ts';
import { queueRecall } from './recall/queue-recall.ts';
import { rebuildRecall } from './recall/rebuild-recall.ts';
import { releaseRecall } from './recall/release-recall.ts';
import { createRecallCampaign } from './recall/rpcs/create-recall-campaign.ts';
import { deleteRecallCampaign } from './recall/rpcs/delete-recall-campaign.ts';
import { getRecallCampaign } from './recall/rpcs/get-recall-campaign.ts';
import { getRecallStats } from './recall/rpcs/get-recall-stats.ts';
import { listRecallCampaigns } from './recall/rpcs/list-recall-campaigns.ts';
import { listRecallContacts } from './recall/rpcs/list-recall-contacts.ts';
import { listRecallEligible } from './recall/rpcs/list-recall-eligible.ts';
import { rebuildRecallVisits } from './recall/rpcs/rebuild-recall-visits.ts';
import { renderRecallMessage } from './recall/rpcs/render-recall-message.ts';
import { updateRecallCampaign } from './recall/rpcs/update-recall-campaign.ts';

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
