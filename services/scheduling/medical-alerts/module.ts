// Medical alerts of patients: allergies, conditions, medication.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { MedicalAlertService } from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import type { App } from '../app.ts';
import { createMedicalAlert, deleteMedicalAlert, listMedicalAlerts, updateMedicalAlert } from './manage-alerts.ts';

export const medicalAlerts: Module<App> = {
  rpcs: [rpcs(MedicalAlertService, { listMedicalAlerts, createMedicalAlert, updateMedicalAlert, deleteMedicalAlert })],
  personal: [{ table: 'medical_alerts', ofPatient: 'patient_id = any($ids)', erase: 'delete' }],
};
