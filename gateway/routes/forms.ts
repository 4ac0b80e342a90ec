import { LINK_TOKEN } from '@clinic/lib/crypto/link-token.ts';
import { MAX_SIGNATURE_CHARACTERS } from '@clinic/lib/pdf/signature.ts';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, integerText, maybe, pages, text, trueOrFalse, uuid } from './schemas.ts';

const { method } = FormService;

const alert = z.enum(['allergy', 'condition', 'medication', 'other']);
const field = z.object({
  kind: z.enum(['text', 'choice', 'yes_no', 'date', 'signature']),
  label: text(500),
  help: maybe(text(1_000)),
  options: z.array(text(200)).max(20).nullable().default([]),
  required: z.boolean().nullable().default(false),
  alert: maybe(alert),
});
const fields = z.array(field).min(1).max(60);
const formText = text(20_000);
const status = z.enum(['open', 'signed']).optional();
const answers = z.array(z.object({ field: z.int().min(0).max(59), value: z.string().max(MAX_SIGNATURE_CHARACTERS) })).max(60);

export const formTemplates = area({
  prefix: '/api/form-templates',
  tag: 'Form templates',
  about: 'Forms and consents of the clinic. A change creates a new version; existing forms retain the version with which they were created.',
  all: { scope: 'clinical', notFound: 'Form template not found' },
  routes: [
    {
      method: 'get',
      path: '/api/form-templates',
      rpc: method.listFormTemplates,
      query: { is_active: trueOrFalse.optional(), required: trueOrFalse.optional(), ...pages },
    },
    {
      method: 'post',
      path: '/api/form-templates',
      rpc: method.createFormTemplate,
      body: { title: text(200), text: maybe(formText), fields, required: z.boolean().nullable().default(false) },
      example: {
        title: 'Consentimiento de extracción',
        text: 'Me explicaron la extracción, sus riesgos y sus alternativas.',
        fields: [
          { kind: 'yes_no', label: '¿Acepta el tratamiento?', required: true },
          { kind: 'signature', label: 'Firma', required: true },
        ],
      },
      creates: true,
    },
    { method: 'get', path: '/api/form-templates/:id', rpc: method.getFormTemplate, query: { version: integerText(1, 2 ** 31 - 1).optional() } },
    {
      method: 'patch',
      path: '/api/form-templates/:id',
      rpc: method.updateFormTemplate,
      body: {
        title: text(200).optional(),
        text: clearable(formText),
        fields: fields.optional(),
        required: z.boolean().optional(),
        is_active: z.boolean().optional(),
      },
      example: { required: true },
    },
  ],
});

export const patientForms = area({
  prefix: '/api/patients',
  tag: 'Forms of patients',
  about: 'Forms that patients open by a link without signing in, fill in on a phone and sign. A signed form never changes.',
  all: { scope: 'clinical', notFound: 'Form not found' },
  routes: [
    {
      method: 'get',
      path: '/api/patients/:patientId/forms',
      rpc: method.listForms,
      operation: 'listPatientForms',
      query: { template_id: uuid.optional(), appointment_id: uuid.optional(), status, ...pages },
      notFound: 'Patient not found',
    },
    {
      method: 'post',
      path: '/api/patients/:patientId/forms',
      rpc: method.createForm,
      body: { templateId: uuid, appointmentId: maybe(uuid) },
      errors: ['CONFLICT'],
      example: { templateId: '0198a3f2-7c1e-7d4b-9a53-5d1f2c3b4a59' },
      creates: true,
      notFound: 'Patient not found',
    },
    { method: 'get', path: '/api/patients/:patientId/forms/:id', rpc: method.getForm },
    { method: 'get', path: '/api/patients/:patientId/forms/:id/form.pdf', rpc: method.getFormDocument },
    {
      method: 'post',
      path: '/api/patients/:patientId/forms/:id/send',
      rpc: method.sendForm,
      body: { channel: z.enum(['chat', 'mail']) },
      errors: ['CONFLICT', 'FORM_SIGNED', 'CHAT_NOT_CONNECTED'],
      example: { channel: 'mail' },
    },
    { method: 'delete', path: '/api/patients/:patientId/forms/:id', rpc: method.deleteForm, errors: ['CONFLICT', 'FORM_SIGNED'] },
  ],
});

export const clinicForms = area({
  prefix: '/api/forms',
  tag: 'Forms of the clinic',
  about: 'The forms of all patients of the clinic.',
  all: { scope: 'clinical' },
  routes: [
    {
      method: 'get',
      path: '/api/forms',
      rpc: method.listForms,
      summary: 'List the forms of all patients',
      query: { patient_id: uuid.optional(), template_id: uuid.optional(), appointment_id: uuid.optional(), status, ...pages },
      notFound: 'Patient not found',
    },
  ],
});

export const alertProposals = area({
  prefix: '/api/alert-proposals',
  tag: 'Proposed medical alerts',
  about: 'Answers in signed forms that name an allergy, a condition or a medication. The staff accepts them as medical alerts or dismisses them.',
  all: { scope: 'clinical', notFound: 'Proposed medical alert not found' },
  routes: [
    {
      method: 'get',
      path: '/api/alert-proposals',
      rpc: method.listAlertProposals,
      query: { patient_id: uuid.optional(), status: z.enum(['open', 'accepted', 'dismissed']).optional(), ...pages },
    },
    {
      method: 'post',
      path: '/api/alert-proposals/:id/accept',
      rpc: method.acceptAlertProposal,
      body: { severity: maybe(z.enum(['info', 'warning', 'danger'])), text: maybe(text(500)) },
      errors: ['PROPOSAL_DECIDED'],
      example: { severity: 'danger' },
    },
    { method: 'post', path: '/api/alert-proposals/:id/dismiss', rpc: method.dismissAlertProposal, errors: ['PROPOSAL_DECIDED'] },
  ],
});

export const publicForms = area({
  prefix: '/api/public/forms',
  tag: 'Forms on the phone',
  about: 'Used by the page of a form. Anyone who has the link can fill in and sign the form; after that the link no longer shows its content.',
  all: { scope: 'none', params: { token: z.string().regex(LINK_TOKEN) }, notFound: 'Form not found', rate: 'booking' },
  routes: [
    { method: 'get', path: '/api/public/forms/:token', rpc: method.getPublicForm, rate: 'booking_view' },
    {
      method: 'post',
      path: '/api/public/forms/:token/answers',
      rpc: method.saveFormAnswers,
      body: { answers },
      errors: ['FORM_SIGNED'],
      example: { answers: [{ field: 0, value: 'Penicilina' }] },
    },
    {
      method: 'post',
      path: '/api/public/forms/:token/sign',
      rpc: method.signForm,
      body: { signer_name: text(200), answers: answers.nullable().default([]) },
      example: { signer_name: 'María López', answers: [{ field: 1, value: 'yes' }] },
    },
  ],
});
