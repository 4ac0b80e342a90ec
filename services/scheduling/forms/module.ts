// Forms and consents: templates, forms that patients sign on their phone, and the medical alerts that follow from them.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { App } from '../app.ts';
import { acceptAlertProposal, dismissAlertProposal, listAlertProposals } from './decide-proposals.ts';
import { getPublicForm, saveFormAnswers, signForm } from './fill-form.ts';
import { purgeFormsJob, storeSignedFormJob } from './form-jobs.ts';
import { createForm, deleteForm, getForm, getFormDocument, listForms } from './manage-forms.ts';
import { createFormTemplate, getFormTemplate, listFormTemplates, updateFormTemplate } from './manage-templates.ts';
import { getFormMessage, requestAppointmentForms, sendForm } from './send-form.ts';

export const forms: Module<App> = {
  rpcs: [
    rpcs(FormService, {
      listFormTemplates,
      getFormTemplate,
      createFormTemplate,
      updateFormTemplate,
      listForms,
      getForm,
      getFormDocument,
      createForm,
      deleteForm,
      listAlertProposals,
      acceptAlertProposal,
      dismissAlertProposal,
      getPublicForm,
      saveFormAnswers,
      signForm,
      sendForm,
      getFormMessage,
      requestAppointmentForms,
    }),
  ],
  jobs: (app) => [purgeFormsJob(app), storeSignedFormJob(app)],
  personal: [
    { table: 'alert_proposals', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'forms', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'form_templates' },
  ],
};
