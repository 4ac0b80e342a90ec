// The templates that every clinic begins with, in Spanish. A clinic changes them as it likes, which creates versions of its own.
import { inTenant } from '@clinic/lib/db/db.ts';
import { v5 } from 'uuid';
import type { App } from '../app.ts';
import type { Field } from './form-rules.ts';
import { countTemplates, insertVersion, type TemplateContent } from './form-templates.sql.ts';

const BLANK = { help: null, options: [], required: true, alert: null };
const field = (kind: Field['kind'], label: string, more: Partial<Field> = {}): Field => ({ kind, label, ...BLANK, ...more });
const optional = { required: false };
const signature = field('signature', 'Firma', { help: 'Del paciente o, si es menor de edad, de su madre, padre o responsable.' });

/** A note to the clinic at the beginning of a text, which patients must not see. */
const REVIEW_NOTE = '[La clínica debe revisar este texto con su asesor legal antes de usarlo';

/** Whether the clinic has not edited the text yet. */
export const isUnreviewed = ({ text }: Pick<TemplateContent, 'text'>): boolean => text?.includes(REVIEW_NOTE) ?? false;

export const STANDARD_TEMPLATES: Record<string, Pick<TemplateContent, 'title' | 'text' | 'fields'>> = {
  medical_history: {
    title: 'Historia médica',
    text: 'Sus respuestas ayudan a atenderle con seguridad. Solo las lee el personal de la clínica. Si no está seguro de algo, coméntelo en su cita.',
    fields: [
      field('text', '¿A qué es alérgico? Por ejemplo, penicilina, anestesia o látex', { help: 'Si a nada, escriba «ninguna».', alert: 'allergy' }),
      field('text', '¿Qué medicamentos toma actualmente?', { help: 'Si ninguno, escriba «ninguno».', alert: 'medication' }),
      field('yes_no', '¿Padece del corazón o tiene la presión alta?', { alert: 'condition' }),
      field('yes_no', '¿Tiene diabetes?', { alert: 'condition' }),
      field('yes_no', '¿Tiene asma u otra enfermedad respiratoria?', { alert: 'condition' }),
      field('yes_no', '¿Sangra mucho cuando se corta o toma anticoagulantes?', { alert: 'condition' }),
      field('yes_no', '¿Ha tenido problemas con la anestesia?', { alert: 'condition' }),
      field('yes_no', '¿Está embarazada o cree que puede estarlo?', { ...optional, alert: 'condition' }),
      field('text', 'Otras enfermedades u operaciones', { ...optional, alert: 'condition' }),
      field('choice', '¿Fuma?', { options: ['No', 'A veces', 'A diario'] }),
      field('date', '¿Cuándo fue su última revisión médica?', optional),
      field('text', 'Persona a quien llamar en una emergencia, y su teléfono', optional),
      signature,
    ],
  },
  treatment_consent: {
    title: 'Consentimiento para el tratamiento',
    text: `El profesional que me atiende me ha explicado, con palabras que entiendo:

• en qué consiste el tratamiento y para qué sirve;
• qué otras opciones tengo, incluida la de no tratarme;
• las molestias y los riesgos más frecuentes, y los graves aunque sean raros;
• los cuidados que debo seguir.

Pude hacer preguntas y me las respondieron. Sé que puedo retirar este consentimiento en cualquier momento antes del tratamiento, sin que eso afecte mi atención.`,
    fields: [
      field('text', 'Tratamiento que acepto'),
      field('yes_no', '¿Entendió la explicación y resolvió sus dudas?'),
      field('yes_no', '¿Acepta el tratamiento?'),
      field('text', 'Si firma por otra persona: el nombre de ella y su parentesco', optional),
      signature,
    ],
  },
  data_consent: {
    title: 'Consentimiento para el tratamiento de datos personales',
    text: `${REVIEW_NOTE}: completar quién es responsable y cómo contactarlo, y comprobar que cumple la Ley para la Protección de Datos Personales de El Salvador y sus reformas.]

La clínica trata sus datos personales, incluidos los de salud, para atenderle, llevar su expediente clínico, comunicarse con usted sobre sus citas y cumplir sus obligaciones legales. No los usa para otros fines sin su permiso y solo los comparte con quienes necesita para atenderle o cuando la ley lo exige.

Según la Ley para la Protección de Datos Personales de El Salvador, usted puede pedir a la clínica acceder a sus datos, rectificarlos, cancelarlos, oponerse a su uso, limitarlo o recibirlos en un formato común, y puede retirar este consentimiento. El expediente clínico se conserva durante el tiempo que la ley ordena.`,
    fields: [
      field('yes_no', '¿Acepta que la clínica trate sus datos personales y de salud para atenderle?'),
      field('yes_no', '¿Acepta recibir por mensaje o correo recordatorios de sus citas?'),
      field('yes_no', '¿Acepta que se tomen fotografías clínicas para su expediente?'),
      field('text', 'Si firma por otra persona: el nombre de ella y su parentesco', optional),
      signature,
    ],
  },
};

/** Adds the standard templates to a clinic that does not have them yet. */
export async function addStandardTemplates({ db, clock }: Pick<App, 'db' | 'clock'>, clinicId: string): Promise<void> {
  const standard = Object.entries(STANDARD_TEMPLATES).map(([key, content]) => ({ id: v5(key, clinicId), ...content }));
  await inTenant(db, clinicId, async (tx) => {
    const ids = standard.map(({ id }) => id);
    if ((await countTemplates(tx, ids)) === standard.length) return;
    const rest = { version: 1, required: false, is_active: true, created_by: null, created_at: clock.now() };
    for (const template of standard) await insertVersion(tx, { ...template, ...rest });
  });
}
