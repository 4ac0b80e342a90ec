// Conversations of patients with the bot, and replies of the desk.

/** A text of the patient; one of the offered choices, by its title or the beginning of its id; or a text of the desk. */
export type Line = { says: string; unanswered?: true } | { takes: string } | { deskSays: string };
const BOOK: Line[] = ['type|', 'doctor|', 'day|', 'time|', 'whom|', 'yes|'].map((takes) => ({ takes }));

export const FAQS = [
  {
    category: 'parking',
    question: '¿Tienen parqueo?',
    answer: 'Sí, el parqueo del edificio es gratuito durante su cita. La entrada está sobre la calle lateral.',
    keywords: ['parqueo', 'estacionamiento', 'parquear'],
  },
  {
    category: 'prices',
    question: '¿Cuánto cuesta una limpieza?',
    answer: 'La limpieza cuesta $35.00 e incluye la revisión. La consulta de diagnóstico cuesta $15.00.',
    keywords: ['precio', 'cuesta', 'costo', 'limpieza'],
  },
  {
    category: 'payment',
    question: '¿Puedo pagar en cuotas?',
    answer: 'Sí. En tratamientos mayores acordamos cuotas mensuales sin recargo, en efectivo, tarjeta o transferencia.',
    keywords: ['cuotas', 'plazos', 'financiamiento'],
  },
  {
    category: 'payment',
    question: '¿Aceptan tarjeta de crédito?',
    answer: 'Sí. Recibimos tarjetas de crédito y débito, efectivo y transferencia.',
    keywords: ['tarjeta', 'crédito', 'débito', 'transferencia', 'efectivo', 'formas de pago', 'pagar'],
  },
  {
    category: 'prices',
    question: '¿Cuánto cuestan los brackets?',
    answer: 'El precio de los brackets depende del caso. La consulta de diagnóstico cuesta $15.00, y en ella recibe su presupuesto.',
    keywords: ['brackets', 'frenos', 'frenillos', 'ortodoncia'],
  },
];

export const CHATS: Line[][] = [
  [{ says: 'Buenos días, quisiera una cita' }, ...BOOK, { says: '¿Cuándo es mi cita?' }, { takes: 'Confirmar' }, { says: 'Muchas gracias' }],
  [{ says: '¿Cuánto cuesta una limpieza?' }, { says: '¿Y tienen parqueo?' }, { says: 'Quiero agendar' }, ...BOOK],
  [{ says: 'Quiero agendar' }, ...BOOK, { says: 'Quiero cancelar mi cita' }, { takes: 'Sí, cancelar' }],
  [
    { says: 'Quisiera hablar con una persona' },
    { says: 'Me cambiaron el seguro y quiero saber si lo aceptan', unanswered: true },
    { deskSays: 'Buenas tardes, con gusto. ¿Con qué aseguradora está?' },
    { says: 'Con Seguros del Valle', unanswered: true },
    { deskSays: 'Sí trabajamos con ellos. Traiga su carné a la próxima cita y nosotros hacemos el trámite.' },
    { says: 'Perfecto, gracias', unanswered: true },
  ],
  [{ says: 'Necesito hablar con alguien' }, { says: 'Se me cayó una corona, ¿me pueden ver hoy?', unanswered: true }],
];
