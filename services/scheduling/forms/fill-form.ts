// A form on the patient's phone: opened, saved while it is filled in, and signed once.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { firstName } from '@clinic/lib/formats/person-name.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { signaturePng } from '@clinic/lib/pdf/signature.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPublicFormRequest, SaveFormAnswersRequest, SignFormRequest } from '@clinic/proto/scheduling/v1/form_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findPageClinic, findPageClinicToChange, type PageClinic } from '../clinics/page-clinic.ts';
import { insertProposal } from './alert-proposals.sql.ts';
import { STORE_SIGNED_FORM } from './form-jobs.ts';
import { hashForm, parseAnswers, proposeAlerts, requireComplete } from './form-rules.ts';
import { formToken, parseFormToken, toAnswers } from './form-view.ts';
import { type FormRow, findForm, findNextForm, lockForm, saveAnswers, setSigned } from './forms.sql.ts';

const NOUN = 'Form';
/** For so long after the signature the link of a form leads to the next one. Later, who has the link may no longer be the patient. */
const NEXT_FORM_MS = 24 * 3_600_000;
const isSignature = (value: string) => signaturePng(value) !== undefined;

export async function getPublicForm(app: App, { token }: GetPublicFormRequest) {
  const { clinicId, id } = parseFormToken(app, token);
  const clinic = await findPageClinic(app, clinicId, NOUN);
  return view(app, clinicId, clinic, async (tx) => found(await findForm(tx, id), NOUN));
}

export function saveFormAnswers(app: App, { token, answers: entered }: SaveFormAnswersRequest) {
  return change(app, token, async (tx, id) => {
    const form = found(await lockForm(tx, id), NOUN);
    if (form.signed_at) fail('FORM_SIGNED');
    const answers = parseAnswers(form.fields, entered, isSignature);
    await saveAnswers(tx, id, answers, app.clock.now());
    return { ...form, answers: { ...form.answers, ...answers } };
  });
}

export function signForm(app: App, { token, signerName, answers: entered }: SignFormRequest, call: Call) {
  return change(app, token, async (tx, id) => {
    const form = found(await lockForm(tx, id), NOUN);
    if (form.signed_at) return form;
    const signer_name = parseText('signer_name', signerName, 200);
    const answers = { ...form.answers, ...parseAnswers(form.fields, entered, isSignature) };
    requireComplete(form.fields, answers);
    const signed = { ...form, answers, signer_name, signed_at: app.clock.now() };
    const hash = hashForm(signed);
    await setSigned(tx, id, { ...signed, hash });
    for (const { kind, text } of proposeAlerts(form.fields, answers))
      await insertProposal(tx, { id: v7(), patient_id: form.patient_id, form_id: id, kind, text, created_at: signed.signed_at });
    await audit(tx, tx.clinicId, call.caller, {
      action: 'form.signed',
      entityId: id,
      changes: { patient_id: form.patient_id, template_id: form.template_id, version: form.template_version, hash: hash.toString('hex') },
    });
    await enqueue(tx, STORE_SIGNED_FORM, { clinicId: tx.clinicId, id });
    return { ...signed, hash };
  });
}

/** A change by the patient. Refused while the clinic is read-only, for example while it moves to another installation. */
async function change(app: App, token: string, work: (tx: TenantTx, id: string) => Promise<FormRow>) {
  const { clinicId, id } = parseFormToken(app, token);
  const clinic = await findPageClinicToChange(app, clinicId, NOUN);
  return view(app, clinicId, clinic, (tx) => work(tx, id));
}

async function view(app: App, clinicId: string, { name, readOnly }: PageClinic, work: (tx: TenantTx) => Promise<FormRow>) {
  const { form, next } = await inTenant(app.db, clinicId, async (tx) => {
    const form = await work(tx);
    const isJustSigned = form.signed_at && app.clock.now().getTime() - form.signed_at.getTime() < NEXT_FORM_MS;
    return { form, next: isJustSigned ? await findNextForm(tx, form.shown_patient_id) : undefined };
  });
  return {
    status: form.signed_at ? 'signed' : 'open',
    clinicName: name,
    readOnly,
    firstName: firstName(form.patient_name),
    title: form.title,
    ...(!form.signed_at && { text: form.text ?? undefined, fields: form.fields.map(toFields), answers: toAnswers(form.answers) }),
    nextToken: next && formToken(app, clinicId, next),
  };
}
