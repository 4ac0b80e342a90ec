// Prescriptions: numbered, never changed, as PDF, sent as a link.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import type { App } from '../app.ts';
import { createPrescription } from './create-prescription.ts';
import { getPrescriptionDocument, openPrescription } from './get-prescription-document.ts';
import { getPrescription, listPrescriptions } from './list-prescriptions.ts';
import { getPrescriptionMessage, sendPrescription } from './send-prescription.ts';

const OF_PATIENT = 'patient_id = any($ids)';

export const prescriptions: Module<App> = {
  rpcs: [
    rpcs(PrescriptionService, {
      listPrescriptions,
      getPrescription,
      getPrescriptionDocument,
      createPrescription,
      sendPrescription,
      openPrescription,
      getPrescriptionMessage,
    }),
  ],
  personal: [
    {
      table: 'prescription_links',
      ofPatient: `prescription_id in (select p.id from prescriptions p where p.clinic_id = $1 and p.${OF_PATIENT})`,
      erase: 'delete',
    },
    { table: 'prescriptions', ofPatient: OF_PATIENT, erase: 'delete' },
    { table: 'prescription_numbers' },
  ],
};
