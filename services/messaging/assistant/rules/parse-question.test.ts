import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { detectQuestionLanguage, parseQuestion } from './parse-question.ts';

const TODAY = '2026-11-21'; // a Saturday
const ask = (text: string) => parseQuestion(text, TODAY, detectQuestionLanguage(text));

test.each([
  ['¿Qué citas hay hoy?', 'agenda', { date: TODAY }],
  ['¿Cuántas citas tenemos mañana con la Dra. Rivas?', 'agenda', { date: '2026-11-22', doctor: 'Rivas' }],
  ['citas de ayer', 'agenda', { date: '2026-11-20' }],
  ['What appointments do we have tomorrow?', 'agenda', { date: '2026-11-22' }],
  ['muéstrame las citas de esta semana', 'appointments', { from: '2026-11-16', to: '2026-11-22' }],
  ['¿Cuáles están sin confirmar para el lunes?', 'appointments', { from: '2026-11-23', to: '2026-11-23', status: 'pending' }],
  ['¿quién no ha confirmado para mañana?', 'appointments', { from: '2026-11-22', to: '2026-11-22', status: 'pending' }],
  ['¿cuántos pacientes atendimos la semana pasada?', 'appointments', { from: '2026-11-09', to: '2026-11-15', status: 'completed' }],
  ['citas del 30 de noviembre', 'agenda', { date: '2026-11-30' }],
  ['¿qué paciente no vino ayer?', 'appointments', { from: '2026-11-20', to: '2026-11-20', status: 'no_show' }],
  ['¿cuántos pacientes nuevos tuvimos este mes?', 'figures', { from: '2026-11-01', to: '2026-11-30' }],
  ['who was a no show yesterday', 'appointments', { from: '2026-11-20', to: '2026-11-20', status: 'no_show' }],
  ['canceladas este mes', 'appointments', { from: '2026-11-01', to: '2026-11-30', status: 'cancelled' }],
  ['¿Hay huecos el 25 de noviembre?', 'free_slots', { date: '2026-11-25', days: 1 }],
  ['espacios libres la próxima semana con el Dr. Quiroz', 'free_slots', { date: '2026-11-23', days: 7, doctor: 'Quiroz' }],
  ['any free slots today?', 'free_slots', { date: TODAY, days: 1 }],
  ['Busca a María López', 'patient', { patient: 'María López' }],
  ['teléfono de maria lopez', 'patient', { patient: 'maria lopez' }],
  ['¿Cuándo viene Luis Pérez?', 'patient', { patient: 'Luis Pérez' }],
  ['find Luis Pérez', 'patient', { patient: 'Luis Pérez' }],
  ['¿Quién debe?', 'payments', { status: 'overdue' }],
  ['¿Cuánto debe María López?', 'payments', { patient: 'María López' }],
  ['who is overdue?', 'payments', { status: 'overdue' }],
  ['¿cuánto se ha cobrado?', 'payments', {}],
  ['planes de tratamiento de María López', 'treatment_plans', { patient: 'María López' }],
  ['¿quién está en lista de espera?', 'waitlist', {}],
  ['¿Qué chats esperan respuesta?', 'waiting_chats', {}],
  ['¿Quién debería volver a control?', 'recall', {}],
  ['¿Cómo están los ingresos?', 'figures', {}],
  ['ocupación del mes pasado', 'figures', { from: '2026-10-01', to: '2026-10-31' }],
  ['citas de la semana pasada', 'appointments', { from: '2026-11-09', to: '2026-11-15' }],
  ['comisiones del mes pasado', 'commissions', { month: '2026-10' }],
  ['¿Cuánto hemos cobrado hoy?', 'figures', { from: TODAY, to: TODAY }],
  ['¿Cuántos pacientes tengo hoy?', 'agenda', { date: TODAY }],
  ['¿Quién sigue?', 'agenda', { date: TODAY }],
  ['¿Cuáles son las horas pico?', 'peak_hours', {}],
  ['ingresos de este mes', 'figures', { from: '2026-11-01', to: '2026-11-30' }],
  [
    'Agenda a María López con la Dra. Rivas mañana a las 9:00',
    'propose_booking',
    { patient: 'María López', doctor: 'Rivas', date: '2026-11-22', time: '09:00' },
  ],
  [
    'Agenda a María López con la Dra. Rivas mañana a las 4 y media',
    'propose_booking',
    { patient: 'María López', doctor: 'Rivas', date: '2026-11-22', time: '16:30' },
  ],
  [
    'Agenda a María López con la Dra. Rivas mañana a las 9 para limpieza',
    'propose_booking',
    { patient: 'María López', doctor: 'Rivas', date: '2026-11-22', time: '09:00' },
  ],
  [
    'Book Ana Paz with Dr. Rivas tomorrow at 2:30 pm, phone +50370001234',
    'propose_booking',
    { patient: 'Ana Paz', doctor: 'Rivas', date: '2026-11-22', time: '14:30', phone: '+50370001234' },
  ],
  ['Envía un mensaje a María López: Le esperamos mañana a las 9', 'propose_message', { patient: 'María López', text: 'Le esperamos mañana a las 9' }],
] as const)('%s', (text, tool, args) => expect(ask(text)).toMatchObject({ tool, args }));

test.each([
  '¿qué citas tengo el 29 de febrero?',
  'citas del 31 de junio',
  'agenda del 2026-02-30',
  'appointments on June 31',
  '¿qué pacientes cumplen años hoy?',
])('%s is not answered with the appointments of today', (text) => expect(ask(text)).toBeUndefined());

test('a name may be that of a doctor', () => {
  expect(ask('¿Qué citas tiene Ana Rivas mañana?')).toEqual({
    tool: 'patient',
    args: { patient: 'Ana Rivas' },
    ifDoctor: { tool: 'agenda', args: { date: '2026-11-22', doctor: 'Ana Rivas' } },
  });
});

// Each name is surrounded by words that are not part of it.
test.each([
  ['María López', '¿Cuándo viene mañana María López?'],
  ['María López', '¿Cuándo viene María López otra vez?'],
  ['María López', '¿Cuándo le toca su próxima cita a María López, por favor?'],
  ['María López', '¿María López tiene cita el lunes 23 de noviembre?'],
  ['María López', 'María López tiene cita hoy?'],
  ['María López', '¿A qué hora viene María López hoy con la Dra. Rivas?'],
  ['María López', 'búscame por favor a la señora María López'],
  ['María López', 'Necesito el teléfono de la paciente María López, gracias'],
  ['María López', 'dame el número de celular de doña María López'],
  ['María López', 'muéstrame el expediente de María López'],
  ['María López', 'ficha de la niña María López'],
  ['María López', '¿Me puedes decir qué citas tiene María López esta semana?'],
  ['María de los Ángeles Rivas', 'citas de María de los Ángeles Rivas de la próxima semana'],
  ['Ana de la Cruz', 'busca a Ana de la Cruz mañana'],
  ['Julio Pérez', '¿Cuándo viene Julio Pérez en julio?'],
  ['maria lopez', 'cuando viene maria lopez el viernes'],
  ['maria lopez', 'busca porfa a maria lopez'],
  ['tecun uman', 'busca a tecun uman hoy'],
  ['Xóchitl Quezada', '¿Xóchitl Quezada tiene cita?'],
  ['MARIA LOPEZ', 'BUSCA A MARIA LOPEZ'],
  ['Luis Pérez', 'When does Luis Pérez come again?'],
  ['Luis Pérez', 'when is Luis Pérez coming in next week?'],
  ['Luis Pérez', 'Does Luis Pérez have an appointment tomorrow?'],
  ['Luis Pérez', 'What is Luis Pérez’s phone number, please?'],
  ['Luis Pérez', "show me Luis Pérez's appointments for Monday"],
  ['Luis Pérez', 'Can you find Mr. Luis Pérez for me?'],
  ['Luis Pérez', 'look up the patient Luis Pérez please'],
  ['Luis Pérez', 'the phone number of Luis Pérez today'],
])('the patient %s: %s', (patient, text) => expect(ask(text)).toMatchObject({ tool: 'patient', args: { patient } }));

test.each([
  ['payments', 'María López', '¿Cuánto nos debe todavía la señora María López en total?'],
  ['payments', 'María López', '¿María López debe algo?'],
  ['payments', 'María López', 'saldo actualmente de María López'],
  ['payments', 'María López', 'pagos de María López este mes'],
  ['payments', 'Luis Pérez', 'How much does Luis Pérez still owe us?'],
  ['payments', 'Luis Pérez', 'what is the balance of Mr. Luis Pérez today?'],
  ['treatment_plans', 'María López', '¿Qué planes de tratamiento tiene la paciente María López ahora?'],
  ['treatment_plans', 'Luis Pérez', "Luis Pérez's treatment plans please"],
])('%s of %s: %s', (tool, patient, text) => expect(ask(text)).toEqual({ tool, args: { patient } }));

test.each([
  ['agenda', { date: TODAY, doctor: 'Rivas' }, '¿Qué citas tiene la Dra. Rivas hoy, por favor?'],
  ['agenda', { date: TODAY, doctor: 'ana rivas' }, 'citas de la doctora ana rivas hoy'],
  ['agenda', { date: TODAY, doctor: 'Rivas' }, 'citas con Rivas hoy'],
  ['agenda', { date: TODAY }, '¿quién viene con seguro hoy?'],
  ['agenda', { date: '2026-11-23' }, '¿Qué citas hay el lunes 23 de Noviembre?'],
  ['free_slots', { date: '2026-11-23', days: 1, doctor: 'Rivas' }, 'Any free slots with Dr. Rivas on Monday, please?'],
])('%s of nobody in particular: %s', (tool, args, text) => expect(ask(text)).toEqual({ tool, args }));

test.each([
  ['Cancela la cita del lunes a las 9:10 de María López', 'María López', '2026-11-23'],
  ['Cancela por favor la cita de mañana de la señora María López', 'María López', '2026-11-22'],
  ['anula la cita del lunes de María López con la Dra. Rivas', 'María López', '2026-11-23'],
  ["please cancel Luis Pérez's appointment tomorrow", 'Luis Pérez', '2026-11-22'],
  ['Cancel the appointment on Monday for Luis Pérez, thanks', 'Luis Pérez', '2026-11-23'],
])('%s', (text, patient, date) => expect(ask(text)).toEqual({ tool: 'propose_cancel', args: {}, appointmentOf: { patient, date } }));

test.each([
  'Por favor agéndale una cita a la señora María López con la Dra. Rivas para mañana a las 9',
  'Agenda con la Dra. Rivas a María López mañana a las 9:00 am, gracias',
  'Book an appointment with Dr. Rivas for María López tomorrow at 9, please',
])('%s', (text) =>
  expect(ask(text)).toEqual({ tool: 'propose_booking', args: { patient: 'María López', doctor: 'Rivas', date: '2026-11-22', time: '09:00' } }),
);

test('the name in a message to a patient', () => {
  expect(ask('Envía un mensaje a la señora María López: Hola')).toEqual({ tool: 'propose_message', args: { patient: 'María López', text: 'Hola' } });
});

test('a cancellation first looks up the appointment', () => {
  expect(ask('Cancela la cita de María López mañana')).toEqual({
    tool: 'propose_cancel',
    args: {},
    appointmentOf: { patient: 'María López', date: '2026-11-22' },
  });
  expect(ask('cancel the appointment of Luis Pérez')).toMatchObject({ tool: 'propose_cancel', appointmentOf: { patient: 'Luis Pérez', date: undefined } });
  expect(ask('cancela todo')).toBeUndefined();
});

test('help, and questions that the rules do not understand', () => {
  expect(ask('ayuda')).toBe('help');
  expect(ask('hola')).toBe('help');
  expect(ask('¿Cuál es la capital de Francia?')).toBeUndefined();
  expect(ask('')).toBeUndefined();
});

test('any text is parsed in less than a second', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 4000 }),
        fc
          .array(fc.constantFrom('cancela la cita de ', 'agenda a ', 'María ', 'con ', ': ', 'a las ', '9 '), { maxLength: 400 })
          .map((parts) => parts.join('')),
      ),
      (text) => {
        const started = performance.now();
        ask(text);
        expect(performance.now() - started).toBeLessThan(1_000);
      },
    ),
    { numRuns: 200 },
  );
});
