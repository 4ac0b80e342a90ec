// Entries of patients' records.

export const ALERTS = [
  { kind: 'allergy', severity: 'danger', text: 'Alergia a la penicilina' },
  { kind: 'condition', severity: 'warning', text: 'Hipertensión arterial controlada' },
  { kind: 'medication', severity: 'warning', text: 'Toma anticoagulantes' },
  { kind: 'condition', severity: 'info', text: 'Diabetes tipo 2, última glucosa normal' },
];
export const NOTES = [
  'Paciente refiere sensibilidad al frío en molares. Se indica pasta desensibilizante.',
  'Limpieza sin complicaciones. Se refuerza técnica de cepillado y uso de hilo dental.',
  'Relleno de resina bajo anestesia local. Oclusión revisada, sin molestias al salir.',
  'Control de encías: sangrado disminuido en comparación con la visita anterior.',
];
export const AMENDMENT = 'Se agrega: la paciente llamó al día siguiente, sin dolor.';

export const LICENSE = 'JVPO-4321';
/** The first patient is allergic to penicillin. */
export const PRESCRIPTIONS = [
  [
    { drug: 'Clindamicina, cápsulas', dose: '300 mg', frequency: 'cada 8 horas', duration: '7 días', notes: 'Terminar el tratamiento aunque ya no haya dolor' },
    { drug: 'Acetaminofén, tabletas', dose: '500 mg', frequency: 'cada 6 horas', duration: '3 días', notes: 'Solo si hay dolor' },
  ],
  [{ drug: 'Clorhexidina al 0.12 %, enjuague', dose: '15 ml', frequency: 'cada 12 horas', duration: '10 días', notes: 'No comer ni beber durante 30 minutos' }],
];

export const XRAY = { name: 'radiografia-periapical.png', kind: 'xray', description: 'Radiografía periapical de molares inferiores' };

export const FORM_TITLE = 'Historia médica';
/** Answers by a part of the question. */
export const ANSWERS: [question: string, answer: string][] = [
  ['alérgico', 'Penicilina'],
  ['medicamentos', 'Losartán, 50 mg al día'],
  ['presión alta', 'yes'],
  ['Fuma', 'No'],
  ['emergencia', 'Carlos Alvarenga, 7000 9988'],
];
