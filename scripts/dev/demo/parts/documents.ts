// Prescriptions, an X-ray, and a form that only one of two patients has signed.
import { callAs } from '@clinic/lib/rpc/context.ts';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { FormField } from '@clinic/proto/scheduling/v1/form_template_pb.js';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { Patient } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { ANSWERS, FORM_TITLE, LICENSE, PRESCRIPTIONS, XRAY } from '../data/record.ts';
import type { Demo } from '../demo.ts';
import { somePatients } from '../patients.ts';
import { drawnSignature, xray } from '../pictures.ts';

const CHUNK = 64 * 1024;

export async function documents(demo: Demo): Promise<void> {
  const { users } = await demo.client(UserService, 'identity').listUsers({ page: 1, limit: 1 }, demo.admin());
  for (const { id } of users) await demo.client(UserService, 'identity').updateUser({ id, licenseNumber: LICENSE }, demo.admin());
  const patients = await somePatients(demo, 2);
  for (const [index, patient] of patients.entries()) {
    const items = PRESCRIPTIONS[index] ?? [];
    await demo.client(PrescriptionService, 'scheduling').createPrescription({ patientId: patient.id, items }, demo.admin(`prescription-${index}`));
    await form(demo, patient, index === 0);
  }
  if (patients[0]) await addXray(demo, patients[0]);
}

async function addXray(demo: Demo, { id: patientId }: Patient): Promise<void> {
  const files = demo.client(PatientFileService, 'scheduling');
  if ((await files.listPatientFiles({ patientId, search: XRAY.name, page: 1, limit: 1 }, demo.admin())).total > 0) return;
  const content = await xray();
  const { id } = await files.beginPatientFile({ patientId, ...XRAY }, demo.admin());
  const chunks = Math.ceil(content.length / CHUNK);
  for (let seq = 0; seq < chunks; seq++) await files.appendPatientFile({ id, seq, content: content.subarray(seq * CHUNK, (seq + 1) * CHUNK) }, demo.admin());
  await files.finishPatientFile({ id, chunks }, demo.admin());
}

async function form(demo: Demo, { id: patientId, fullName }: Patient, isSigned: boolean): Promise<void> {
  const forms = demo.client(FormService, 'scheduling');
  const { templates } = await forms.listFormTemplates({ page: 1, limit: 50 }, demo.admin());
  const template = templates.find(({ title }) => title === FORM_TITLE);
  if (!template) return;
  const known = await forms.listForms({ patientId, templateId: template.id, page: 1, limit: 1 }, demo.admin());
  if (known.total > 0 && (!isSigned || known.forms[0]?.status === 'signed')) return;
  const { link, fields } = await forms.createForm({ patientId, templateId: template.id }, demo.admin());
  if (!isSigned || !link) return;
  const token = link.slice(link.lastIndexOf('/') + 1);
  await forms.signForm({ token, signerName: fullName, answers: await answersTo(fields) }, callAs({ ...ANYONE, requestId: patientId }));
}

/** The holder of a link. */
const ANYONE = { kind: 'anonymous', id: '', ip: '127.0.0.1', role: '' } as const;

function answersTo(fields: FormField[]): Promise<{ field: number; value: string }[]> {
  return Promise.all(
    fields.map(async ({ kind, label }, field) => {
      const known = ANSWERS.find(([question]) => label.includes(question))?.[1];
      const others: Record<string, string> = { yes_no: 'no', text: 'Ninguna', signature: kind === 'signature' ? await drawnSignature() : '' };
      return { field, value: known ?? others[kind] ?? '' };
    }),
  );
}
