// The PDF of a form: who signed is printed only where a person signed.
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { png } from '@clinic/lib/testing/signature.ts';
import { expect, test } from '@jest/globals';
import { drawForm } from './form-document.ts';
import { TYPED } from './form-rules.ts';
import type { FormRow } from './forms.sql.ts';

const AT = new Date('2026-06-01T14:00:00Z');
const CLINIC = { name: 'Clínica Sonrisas', logo: new Uint8Array() };
const OPEN: FormRow = {
  ...{ id: 'f', patient_id: 'p', shown_patient_id: 'p', patient_name: 'Rosa Alemán', template_id: 't', template_version: 1 },
  ...{ title: 'Consentimiento', text: null, answers: {}, appointment_id: null, created_by: null, created_at: AT, updated_at: AT },
  fields: ['Firma del paciente', 'Firma del testigo'].map((label) => ({ kind: 'signature', label, help: null, options: [], required: false, alert: null })),
  ...{ signer_name: null, signed_at: null, hash: null, file_id: null },
};
const SIGNED = { ...OPEN, signer_name: 'Luis Pérez', signed_at: AT, hash: Buffer.alloc(32) };

test.each([
  ['an open form', OPEN, 'Firma del pacienteNombre y firmaFirma del testigoNombre y firma'],
  ['a drawn signature', { ...SIGNED, answers: { 0: png() } }, 'Firma del pacienteLuis PérezFirma del testigoSin respuesta'],
  ['a typed signature', { ...SIGNED, answers: { 1: TYPED } }, 'Firma del pacienteSin respuestaFirma del testigoLuis Pérez (firma con su nombre escrito)'],
])('signature fields of %s', async (_name, form, printed) => {
  expect(textOfPdf((await drawForm(CLINIC, form, 'America/El_Salvador')).content)).toContain(printed);
});
