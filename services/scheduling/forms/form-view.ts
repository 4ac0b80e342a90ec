// A form as the staff sees it, and the token of its link.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { linkToken, parseLinkToken } from '@clinic/lib/crypto/link-token.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import type { FormSchema } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { App } from '../app.ts';
import type { Answers } from './form-rules.ts';
import { toFields } from './form-templates.sql.ts';
import type { FormRow } from './forms.sql.ts';

export const formToken = (app: Pick<App, 'keys'>, clinicId: string, id: string) => linkToken(app.keys, 'clinic form', { clinicId, id });

/** Throws NOT_FOUND unless a key of the ring has signed the token. */
export const parseFormToken = (app: Pick<App, 'keys'>, token: string) => parseLinkToken(app.keys, 'clinic form', token) ?? fail('NOT_FOUND', 'Form not found');

export const formLink = (app: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, id: string) => `${app.publicUrl}/forms/${formToken(app, clinicId, id)}`;

export const toAnswers = (answers: Answers) => Object.entries(answers).flatMap(([field, value]) => (value ? [{ field: Number(field), value }] : []));

/** As a row of a list: without fields and answers. */
export function toListed(app: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, form: FormRow) {
  return {
    id: form.id,
    patients: { id: form.shown_patient_id, fullName: form.patient_name },
    templateId: form.template_id,
    templateVersion: form.template_version,
    title: form.title,
    appointmentId: form.appointment_id ?? undefined,
    status: form.signed_at ? 'signed' : 'open',
    link: form.signed_at ? undefined : formLink(app, clinicId, form.id),
    signerName: form.signer_name ?? undefined,
    signedAt: toTimestamp(form.signed_at),
    hash: form.hash?.toString('hex'),
    fileId: form.file_id ?? undefined,
    createdAt: timestampFromDate(form.created_at),
    updatedAt: timestampFromDate(form.updated_at),
    createdBy: form.created_by ?? undefined,
  } satisfies MessageInitShape<typeof FormSchema>;
}

export const toProto = (app: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, form: FormRow) => ({
  ...toListed(app, clinicId, form),
  text: form.text ?? undefined,
  fields: toFields(form.fields),
  answers: toAnswers(form.answers),
});
