// The page of a form on a patient's phone: the texts of the clinic, with labels around them in Spanish or English.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import type { PublicForm } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { FormField } from '@clinic/proto/scheduling/v1/form_template_pb.js';
import { noticePage, type PublicPage, publicPage, readPageFile } from './public-page.ts';

const SCRIPT = readPageFile('patient-form.js');
/** The answer to a signature field when the signer cannot draw and signs with a typed name. */
const TYPED = 'typed';
/** The years of isLocalDate(). */
const DATE_LIMITS = 'min="1900-01-01" max="2199-12-31"';

export const FORM_TEXTS = {
  es: {
    hello: (name: string) => `Hola, ${name}.`,
    autosave: 'Sus respuestas se guardan solas mientras escribe.',
    optional: '(opcional)',
    yes: 'Sí',
    no: 'No',
    draw: 'Dibuje su firma con el dedo en el recuadro.',
    drawn: 'Su firma está guardada. Si dibuja otra, la reemplaza.',
    clear: 'Borrar la firma',
    typed: 'No puedo dibujar: firmo con mi nombre escrito',
    name: 'Nombre completo de quien firma',
    finality: 'Después de firmar ya no podrá cambiar sus respuestas.',
    sign: 'Firmar y enviar',
    script: 'Esta página necesita JavaScript, que está desactivado en su navegador. También puede pedir el formulario en papel en la clínica.',
    messages: {
      saving: 'Guardando…',
      saved: 'Guardado.',
      offline: 'No hay conexión. Sus respuestas se guardarán cuando vuelva; no cierre esta página.',
      failed: 'No pudimos guardar sus respuestas. Lo intentaremos de nuevo; no cierre esta página.',
      undelivered: 'No pudimos recibir su firma. Inténtelo de nuevo en unos minutos.',
      limited: 'Demasiadas solicitudes. Espere un momento.',
      required: 'Falta responder esta pregunta.',
      unsigned: 'Falta la firma.',
      invalid: 'Revise esta respuesta.',
      incomplete: 'Faltan respuestas o hay que corregirlas: están señaladas en el formulario.',
      refused: 'No se pudo enviar. Revise sus respuestas e inténtelo de nuevo.',
    },
    signed: ['Formulario firmado', 'Gracias. La clínica ya tiene sus respuestas.'],
    next: 'Llenar el siguiente formulario',
    unknown: ['Este enlace no es válido', 'Ábralo de nuevo desde el mensaje o pida otro a la clínica.'],
    paused: ['Por ahora no se puede llenar este formulario', 'Inténtelo más tarde o pídalo en papel en la clínica.'],
    failed: ['No pudimos abrir el formulario', 'Inténtelo de nuevo en unos minutos.'],
  },
  en: {
    hello: (name: string) => `Hello, ${name}.`,
    autosave: 'Your answers are saved while you type.',
    optional: '(optional)',
    yes: 'Yes',
    no: 'No',
    draw: 'Draw your signature with your finger in the box.',
    drawn: 'Your signature is saved. A new one replaces it.',
    clear: 'Clear the signature',
    typed: 'I cannot draw: I sign with my typed name',
    name: 'Full name of the person who signs',
    finality: 'You cannot change your answers after you have signed.',
    sign: 'Sign and send',
    script: 'This page needs JavaScript, which is switched off in your browser. You can also ask the clinic for a printed form.',
    messages: {
      saving: 'Saving…',
      saved: 'Saved.',
      offline: 'There is no connection. Your answers will be saved when it returns; do not close this page.',
      failed: 'Your answers could not be saved. We will try again; do not close this page.',
      undelivered: 'Your signature could not be received. Try again in a few minutes.',
      limited: 'Too many requests. Wait a moment.',
      required: 'This question needs an answer.',
      unsigned: 'The signature is missing.',
      invalid: 'Check this answer.',
      incomplete: 'Answers are missing or must be corrected: they are marked in the form.',
      refused: 'The form could not be sent. Check your answers and try again.',
    },
    signed: ['Form signed', 'Thank you. The clinic has your answers.'],
    next: 'Fill in the next form',
    unknown: ['This link is not valid', 'Open it again from the message, or ask the clinic for another one.'],
    paused: ['This form cannot be filled in at present', 'Try again later or ask the clinic for a printed form.'],
    failed: ['The form could not be opened', 'Try again in a few minutes.'],
  },
} as const;
type Texts = (typeof FORM_TEXTS)[Language];

export function patientFormPage(form: PublicForm, lang: Language): PublicPage {
  const texts = FORM_TEXTS[lang];
  const clinic = form.clinicName && `<p class="clinic">${escapeXml(form.clinicName)}</p>`;
  const title = escapeXml(form.title);
  if (form.status === 'signed') {
    const next = form.nextToken ? `<p><a class="button" href="/forms/${escapeXml(form.nextToken)}">${texts.next}</a></p>` : '';
    return noticePage(texts.signed, lang, { mark: '✓', state: 'done', before: clinic, after: `<p>${title}</p>${next}` });
  }
  const answers = new Map(form.answers.map(({ field, value }) => [field, value]));
  const messages = Object.entries(texts.messages).map(([name, text]) => ` data-${name}="${escapeXml(text)}"`);
  const content = `${clinic}
<h1>${title}</h1>
<p>${escapeXml(texts.hello(form.firstName))} <span id="autosave" hidden>${texts.autosave}</span></p>
<noscript><p class="note">${texts.script}</p></noscript>
${form.text ? `<div class="text">${escapeXml(form.text)}</div>` : ''}
<form id="form" hidden novalidate${messages.join('')}>
${form.fields.map((field, index) => drawField(field, index, answers.get(index) ?? '', texts)).join('\n')}
<div class="field"><label for="signer">${texts.name}</label>
<input id="signer" autocomplete="name" maxlength="200" required></div>
<p class="help">${texts.finality}</p>
<button id="sign" type="submit">${texts.sign}</button>
</form>
<p id="message" role="status"></p>`;
  return publicPage(title, content, { className: 'patient-form', script: SCRIPT, lang });
}

function drawField(field: FormField, index: number, value: string, texts: Texts): string {
  const label = `${escapeXml(field.label)}${field.required ? '' : ` <span class="optional">${texts.optional}</span>`}`;
  const [id, help] = [`field-${index}`, field.help ? `<p class="help" id="help-${index}">${escapeXml(field.help)}</p>` : ''];
  const attributes = `data-field="${index}"${field.required ? ' required' : ''}${help && ` aria-describedby="help-${index}"`}`;
  switch (field.kind) {
    case 'choice':
      return drawOptions(
        label,
        help,
        index,
        attributes,
        value,
        field.options.map((option) => [option, option]),
      );
    case 'yes_no':
      return drawOptions(label, help, index, attributes, value, [
        ['yes', texts.yes],
        ['no', texts.no],
      ]);
    case 'date':
      return `<div class="field"><label for="${id}">${label}</label>${help}<input type="date" id="${id}" ${DATE_LIMITS} ${attributes} value="${escapeXml(value)}"></div>`;
    case 'signature':
      return drawSignature(label, help, index, field.required, value, texts);
    default: {
      const maxLength = field.alert ? 500 : 2_000;
      return `<div class="field"><label for="${id}">${label}</label>${help}<textarea id="${id}" rows="2" maxlength="${maxLength}" ${attributes}>${escapeXml(value)}</textarea></div>`;
    }
  }
}

function drawOptions(label: string, help: string, index: number, attributes: string, value: string, options: [string, string][]): string {
  const radios = options.map(([option, text]) => {
    const checked = option === value ? ' checked' : '';
    return `<label class="option"><input type="radio" name="field-${index}" value="${escapeXml(option)}" ${attributes}${checked}> ${escapeXml(text)}</label>`;
  });
  return `<fieldset class="field"><legend>${label}</legend>${help}${radios.join('')}</fieldset>`;
}

function drawSignature(label: string, help: string, index: number, required: boolean, value: string, texts: Texts): string {
  const state = value && value !== TYPED ? texts.drawn : texts.draw;
  return `<fieldset class="field signature" data-signature="${index}"${required ? ' data-required' : ''}${value ? ' data-signed' : ''}>
<legend>${label}</legend>${help}<p class="help" id="state-${index}" data-draw="${texts.draw}">${state}</p>
<canvas width="600" height="220" role="img" aria-label="${label.replaceAll(/<[^>]*>/g, '')}"></canvas>
<button type="button" class="second">${texts.clear}</button>
<label class="option"><input type="checkbox"${value === TYPED ? ' checked' : ''}> ${texts.typed}</label>
</fieldset>`;
}
