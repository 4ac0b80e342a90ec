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
    'Book Ana Paz with Dr. Rivas tomorrow at 2:30 pm, phone +50370001234',
    'propose_booking',
    { patient: 'Ana Paz', doctor: 'Rivas', date: '2026-11-22', time: '14:30', phone: '+50370001234' },
  ],
  ['Envía un mensaje a María López: Le esperamos mañana a las 9', 'propose_message', { patient: 'María López', text: 'Le esperamos mañana a las 9' }],
] as const)('%s', (text, tool, args) => expect(ask(text)).toEqual({ tool, args }));

test('an appointment to cancel is looked up first', () => {
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
