import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../app.ts';
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
import { queueContactsJob } from './queue-contacts.ts';
import { rebuildProjectionJob } from './rebuild-projection.ts';
import { releaseContactsJob } from './release-contacts.ts';
import { createRecallCampaign } from './rpcs/create-recall-campaign.ts';
import { deleteRecallCampaign } from './rpcs/delete-recall-campaign.ts';
import { getRecallCampaign } from './rpcs/get-recall-campaign.ts';
import { getRecallStats } from './rpcs/get-recall-stats.ts';
import { listRecallCampaigns } from './rpcs/list-recall-campaigns.ts';
import { listRecallContacts } from './rpcs/list-recall-contacts.ts';
import { listRecallEligible } from './rpcs/list-recall-eligible.ts';
import { rebuildRecallVisits } from './rpcs/rebuild-recall-visits.ts';
import { renderRecallMessage } from './rpcs/render-recall-message.ts';
import { updateRecallCampaign } from './rpcs/update-recall-campaign.ts';

const FIGURES = 'ids and days alone, for the statistics';

export const recall: Module<App> = {
  rpcs: [
    rpcs(RecallService, {
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
  consumers: (app) => [
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
  jobs: (app) => [queueContactsJob(app), releaseContactsJob(app), rebuildProjectionJob(app)],
  personal: [
    { table: 'recall_contacts', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'recall_patients', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'recall_visits', ofPatient: 'patient_id = any($ids)', why: FIGURES },
    { table: 'recall_campaigns' },
    { table: 'recall_runs' },
    { table: 'recall_clinics' },
  ],
};
