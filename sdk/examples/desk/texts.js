// What the page says, in Spanish and English.
const TEXTS = {
  es: {
    title: 'Recepción',
    signIn: 'Entrar',
    email: 'Correo',
    password: 'Contraseña',
    signOut: 'Salir',
    language: 'English',
    agenda: 'Agenda',
    chat: 'Chat',
    day: 'Día',
    empty: 'Sin citas',
    book: 'Agendar',
    time: 'Hora',
    name: 'Nombre',
    phone: 'Teléfono',
    save: 'Guardar',
    close: 'Cerrar',
    move: 'Mover',
    cancel: 'Cancelar cita',
    card: 'Ficha',
    owed: 'Debe',
    chart: 'Odontograma',
    take: 'Tomar',
    release: 'Devolver al bot',
    reply: 'Responder',
    send: 'Enviar',
    full: 'No hay horas libres',
    live: 'En vivo',
    mode: 'Atiende',
    bot: 'el bot',
    human: 'una persona',
    none: 'No hay conversaciones',
    alerts: 'Alertas',
    confirmed: 'confirmada',
    pending: 'pendiente',
    coming: 'el paciente asistirá',
    completed: 'completada',
    no_show: 'no vino',
  },
  en: {
    title: 'Front desk',
    signIn: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    signOut: 'Sign out',
    language: 'Español',
    agenda: 'Agenda',
    chat: 'Chat',
    day: 'Day',
    empty: 'No appointments',
    book: 'Book',
    time: 'Time',
    name: 'Name',
    phone: 'Phone',
    save: 'Save',
    close: 'Close',
    move: 'Reschedule',
    cancel: 'Cancel appointment',
    card: 'Card',
    owed: 'Owes',
    chart: 'Dental chart',
    take: 'Take over',
    release: 'Return to the bot',
    reply: 'Reply',
    send: 'Send',
    full: 'No free time',
    live: 'Live',
    mode: 'Answered by',
    bot: 'the bot',
    human: 'a person',
    none: 'No conversations',
    alerts: 'Alerts',
    confirmed: 'confirmed',
    pending: 'pending',
    coming: 'the patient will come',
    completed: 'completed',
    no_show: 'missed',
  },
};

let language = localStorage.getItem('language') ?? (navigator.language.startsWith('en') ? 'en' : 'es');

export const t = (key) => TEXTS[language][key] ?? key;
export function switchLanguage() {
  language = language === 'es' ? 'en' : 'es';
  localStorage.setItem('language', language);
  markLanguage();
}
export function markLanguage() {
  document.documentElement.lang = language;
  document.title = t('title');
}
