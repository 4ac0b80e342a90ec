import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../app.ts';
import { onOutboundMessageUpdated } from './consumers/on-outbound-message-updated.ts';
import { onPatientReplied } from './consumers/on-patient-replied.ts';
import {
  onAppointmentBooked,
  onAppointmentReassigned,
  onAppointmentRescheduled,
  onAppointmentStatusChanged,
  onAppointmentsUpdated,
} from './consumers/project-appointments.ts';
import { onClinicRegistered, onClinicUpdated } from './consumers/project-clinics.ts';
import { onPatientCreated, onPatientsChanged, onPatientUpdated } from './consumers/project-patients.ts';
import { queueContactsJob } from './queue-contacts.ts';
import { rebuildProjectionJob } from './rebuild-projection.ts';
import { releaseContactsJob } from './release-contacts.ts';
import { getRecallCampaign, listRecallContacts } from './rpcs/get-recall-campaign.ts';
import { getRecallStats } from './rpcs/get-recall-stats.ts';
import { listRecallEligible } from './rpcs/list-recall-eligible.ts';
import { rebuildRecallVisits } from './rpcs/rebuild-recall.ts';
import { createRecallCampaign, deleteRecallCampaign, listRecallCampaigns, updateRecallCampaign } from './rpcs/recall-campaigns.ts';
import { renderRecallMessage } from './rpcs/render-recall-message.ts';

const STATISTICS = 'ids and dates only, for statistics';

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
    onPatientCreated(app),
    onPatientUpdated(app),
    onPatientsChanged(app),
    onAppointmentBooked(app),
    onAppointmentStatusChanged(app),
    onAppointmentReassigned(app),
    onAppointmentRescheduled(app),
    onAppointmentsUpdated(),
    onClinicRegistered,
    onClinicUpdated,
    onOutboundMessageUpdated(app),
    onPatientReplied(app),
  ],
  jobs: (app) => [queueContactsJob(app), releaseContactsJob(app), rebuildProjectionJob(app)],
  personal: [
    { table: 'recall_contacts', ofPatient: 'patient_id = any($ids)', why: STATISTICS },
    { table: 'recall_patients', ofPatient: 'patient_id = any($ids)', why: STATISTICS },
    { table: 'recall_visits', ofPatient: 'patient_id = any($ids)', why: STATISTICS },
    { table: 'recall_campaigns' },
    { table: 'recall_runs' },
    { table: 'recall_clinics' },
  ],
};
