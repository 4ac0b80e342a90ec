// A form as the staff sees it, and the token of its link.
import { linkToken, parseLinkToken } from '@clinic/lib/crypto/link-token.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import type { Answers } from './form-rules.ts';
import type { FormRow } from './forms.sql.ts';

export const formToken = (app: Pick<App, 'keys'>, clinicId: string, id: string) => linkToken(app.keys, 'clinic form', { clinicId, id });

/** Throws NOT_FOUND unless a key of the ring has signed the token. */
export const parseFormToken = (app: Pick<App, 'keys'>, token: string) => parseLinkToken(app.keys, 'clinic form', token) ?? fail('NOT_FOUND', 'Form not found');

export const formLink = (app: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, id: string) => `${app.publicUrl}/forms/${formToken(app, clinicId, id)}`;

export const toAnswers = (answers: Answers) => Object.entries(answers).flatMap(([field, value]) => (value ? [{ field: Number(field), value }] : []));

/** As a row of a list: without fields and answers. */
export function toListed(app: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, { text, fields, answers, ...form }: FormRow) {
  return {
    ...toFields(form),
    patients: { id: form.shown_patient_id, fullName: form.patient_name },
    status: form.signed_at ? 'signed' : 'open',
    link: form.signed_at ? undefined : formLink(app, clinicId, form.id),
    hash: form.hash?.toString('hex'),
  };
}

/**
 * The form as the response of a read. It has no link for an integration key, with which a key that may only read could sign the form: the key gets
 * the link from createForm.
 */
export const toRead = <Shown extends { link?: string | undefined }>(form: Shown, { caller }: Pick<Call, 'caller'>): Shown =>
  caller.kind === 'integration_key' ? { ...form, link: undefined } : form;

export const toProto = (app: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, form: FormRow) => ({
  ...toListed(app, clinicId, form),
  text: form.text ?? undefined,
  fields: form.fields.map(toFields),
  answers: toAnswers(form.answers),
});
