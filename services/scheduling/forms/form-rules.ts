// Which fields and answers are valid, what a signature covers, and which medical alerts the answers propose.
import { createHash } from 'node:crypto';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isLocalDate, LOCAL_DATE_RULE } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { ALERT_KINDS, MAX_ALERT_TEXT } from '../medical-alerts/alert-rules.ts';

const FIELD_KINDS = ['text', 'choice', 'yes_no', 'date', 'signature'] as const;
export const FORM_STATUSES = ['open', 'signed'] as const;
const MAX_FIELDS = 60;
export const MAX_FORM_TEXT = 20_000;
const MAX_ANSWER = 2_000;

/** The answer that stands for a drawn signature when the person cannot draw. */
export const TYPED = 'typed';

export type Field = {
  kind: (typeof FIELD_KINDS)[number];
  label: string;
  help: string | null;
  options: string[];
  required: boolean;
  alert: (typeof ALERT_KINDS)[number] | null;
};

/** By index of the field. */
export type Answers = Record<string, string>;

/** A field as requests contain it. */
type FieldInput = { kind: string; label: string; help?: string | undefined; options: string[]; required: boolean; alert?: string | undefined };

export function parseFields(fields: FieldInput[]): Field[] {
  if (fields.length < 1 || fields.length > MAX_FIELDS) invalid('fields', `must have 1 to ${MAX_FIELDS} fields`);
  return fields.map((field, index) => parseField(`fields.${index}`, field));
}

function parseField(path: string, field: FieldInput): Field {
  const kind = parseOneOf(`${path}.kind`, field.kind, FIELD_KINDS);
  const options = field.options.map((option, index) => parseText(`${path}.options.${index}`, option, 200));
  if (kind === 'choice' ? options.length < 2 || options.length > 20 : options.length > 0) invalid(`${path}.options`, 'must be 2 to 20 for a choice, else none');
  if (new Set(options).size < options.length) invalid(`${path}.options`, 'must differ from each other');
  const alert = field.alert ? parseOneOf(`${path}.alert`, field.alert, ALERT_KINDS) : null;
  if (alert && kind !== 'text' && kind !== 'yes_no') invalid(`${path}.alert`, 'is for text and yes_no only');
  return {
    kind,
    label: parseText(`${path}.label`, field.label, 500),
    help: parseOptionalText(`${path}.help`, field.help, 1_000),
    options,
    required: field.required,
    alert,
  };
}

/** Later answers to the same field win. `isSignature` returns whether a data URL is a PNG that can be drawn. */
export function parseAnswers(fields: Field[], answers: { field: number; value: string }[], isSignature: (value: string) => boolean): Answers {
  return Object.fromEntries(
    answers.map(({ field: index, value }, position) => {
      const field = fields[index] ?? invalid(`answers.${position}.field`, 'is not a field of the form');
      return [index, parseAnswer(`answers.${position}.value`, field, value, isSignature)];
    }),
  );
}

function parseAnswer(path: string, { kind, options, alert }: Field, value: string, isSignature: (value: string) => boolean): string {
  if (value === '') return '';
  switch (kind) {
    case 'text':
      return parseOptionalText(path, value, alert ? MAX_ALERT_TEXT : MAX_ANSWER) ?? '';
    case 'choice':
      return parseOneOf(path, value, options);
    case 'yes_no':
      return parseOneOf(path, value, ['yes', 'no']);
    case 'date':
      return isLocalDate(value) ? value : invalid(path, LOCAL_DATE_RULE);
    case 'signature':
      return value === TYPED || isSignature(value) ? value : invalid(path, 'must be a PNG that is not blank, as a data URL of at most 200,000 characters');
  }
}

/** Throws VALIDATION_ERROR, naming the first field without an answer that needs one. */
export function requireComplete(fields: Field[], answers: Answers): void {
  const missing = fields.findIndex(({ required }, index) => required && !answers[index]);
  if (missing >= 0) invalid(`answers.${missing}`, 'is required');
}

export type SignedForm = {
  id: string;
  patient_id: string;
  template_id: string;
  template_version: number;
  title: string;
  text: string | null;
  fields: Field[];
  answers: Answers;
  signer_name: string;
  signed_at: Date;
};

/** SHA-256 over the JSON array of the texts that the patient saw, the answers, the name and the time. */
export function hashForm(form: SignedForm): Buffer {
  const { id, patient_id, template_id, template_version, title, text, fields, answers, signer_name, signed_at } = form;
  const asked = fields.map(({ kind, label, help, options }, index) => [kind, label, help, options, answers[index] ?? '']);
  const content = [id, patient_id, template_id, template_version, title, text, asked, signer_name, signed_at.toISOString()];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

/** Matches a folded answer that means no. A longer answer may name something. */
const NO = /^ (no|no tengo|ningun[oa]?|ninguna alergia|nada|none|n a|na) $/;

/** Medical alerts that the answers propose: what a text names, or the question that was answered with yes. */
export function proposeAlerts(fields: Field[], answers: Answers): { kind: NonNullable<Field['alert']>; text: string }[] {
  return fields.flatMap(({ kind, label, alert }, index) => {
    const answer = answers[index] ?? '';
    const isNo = kind === 'yes_no' ? answer !== 'yes' : answer === '' || NO.test(foldPhrase(answer));
    return alert && !isNo ? [{ kind: alert, text: kind === 'yes_no' ? label : answer }] : [];
  });
}
