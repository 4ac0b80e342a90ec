// Texts of the bot, of reminders and of other messages to patients, with variables in braces. A clinic may replace those listed in EDITABLE.
import type { Language } from '@clinic/lib/formats/day-text.ts';

export const LANGUAGES: Language[] = ['es', 'en'];

export const TEXTS = {
  greeting: {
    es: '¡Hola! Soy el asistente de {clinica}. ¿En qué le puedo ayudar?',
    en: 'Hello! I am the assistant of {clinica}. How can I help you?',
  },
  not_understood: {
    es: 'Disculpe, no le entendí. Puede escribirme con otras palabras o elegir una opción.',
    en: 'Sorry, I did not understand. Please say it in other words or choose an option.',
  },
  still_not_understood: {
    es: 'Disculpe, sigo sin entenderle. ¿Desea que una persona le ayude?',
    en: 'Sorry, I still do not understand. Shall somebody help you?',
  },
  emergency: {
    es: 'Lamento mucho lo que le pasa. Una persona de {clinica} le escribirá por aquí lo antes posible.{telefono}\n\nSi es grave, vaya al hospital más cercano.',
    en: 'I am very sorry about that. Somebody of {clinica} will write to you here as soon as possible.{telefono}\n\nIf it is serious, go to the nearest hospital.',
  },
  emergency_phone: { es: ' También puede llamar al {telefono}.', en: ' You can also call {telefono}.' },
  late: {
    es: 'Gracias por avisar. Una persona de {clinica} verá su mensaje y le escribirá por aquí.',
    en: 'Thank you for letting us know. Somebody of {clinica} will see your message and write to you here.',
  },
  no_answer: {
    es: 'No tengo esa información por aquí. ¿Desea que una persona le ayude?',
    en: 'I do not have that information here. Shall somebody help you?',
  },
  fact_unknown: {
    es: 'No tengo esa información por aquí. Si la necesita, escriba «Hablar con alguien».',
    en: 'I do not have that information here. If you need it, write “Speak to a person”.',
  },
  clinic_address: { es: 'Estamos en: {direccion}', en: 'We are at: {direccion}' },
  clinic_phone: { es: 'Nuestro teléfono es {telefono}.', en: 'Our phone number is {telefono}.' },
  clinic_hours: { es: 'Nuestro horario de atención:\n{horario}', en: 'Our opening hours:\n{horario}' },
  clinic_doctors: { es: 'En {clinica} puede agendar con:\n{doctores}', en: 'At {clinica} you can book with:\n{doctores}' },
  hand_over: {
    es: 'Con gusto. Una persona de {clinica} le escribirá por aquí lo antes posible.',
    en: 'Of course. Somebody of {clinica} will write to you here as soon as possible.',
  },
  complaint: {
    es: 'Lamentamos lo sucedido. Una persona de {clinica} le escribirá por aquí lo antes posible.',
    en: 'We are sorry about that. Somebody of {clinica} will write to you here as soon as possible.',
  },
  booked: {
    es: '✅ Su cita está agendada:\n{cita}\n\n¡Le esperamos!',
    en: '✅ Your appointment is booked:\n{cita}\n\nSee you then!',
  },
  opted_out: {
    es: 'Listo: no le enviaremos más invitaciones a controles. Si cambia de opinión, escriba ALTA. Siempre puede escribirnos para agendar.',
    en: 'Done: we will send you no more check-up invitations. If you change your mind, write START. You can always write to us to book.',
  },
  opted_in: {
    es: 'Listo: volveremos a avisarle cuando le toque un control.',
    en: 'Done: we will let you know again when a check-up is due.',
  },
  menu_button: { es: 'Ver opciones', en: 'See options' },
  do_book: { es: 'Agendar cita', en: 'Book appointment' },
  do_mine: { es: 'Mis citas', en: 'My appointments' },
  do_move: { es: 'Cambiar una cita', en: 'Reschedule' },
  do_cancel: { es: 'Cancelar una cita', en: 'Cancel appointment' },
  do_faq: { es: 'Preguntas frecuentes', en: 'Questions' },
  do_person: { es: 'Hablar con alguien', en: 'Speak to a person' },
  do_menu: { es: 'Menú', en: 'Menu' },
  which_type: { es: '¿Qué tipo de cita desea?', en: 'What kind of appointment would you like?' },
  types_button: { es: 'Ver tipos', en: 'See kinds' },
  minutes: { es: '{n} minutos', en: '{n} minutes' },
  which_doctor: { es: '¿Con quién desea su cita?', en: 'Who would you like to see?' },
  doctors_button: { es: 'Ver doctores', en: 'See doctors' },
  more: { es: 'Ver más', en: 'See more' },
  no_doctors: {
    es: 'En este momento no puedo agendar por aquí. Una persona de {clinica} le escribirá.',
    en: 'I cannot book here right now. Somebody of {clinica} will write to you.',
  },
  which_day: { es: '{doctor}: ¿qué día le conviene?', en: '{doctor}: which day suits you?' },
  days_button: { es: 'Ver días', en: 'See days' },
  free_one: { es: '1 hora libre', en: '1 free time' },
  free_many: { es: '{n} horas libres', en: '{n} free times' },
  no_days: {
    es: '{doctor} no tiene horas libres en los próximos meses. ¿Le ayudo con otra cosa?',
    en: '{doctor} has no free times in the coming months. Can I help you with anything else?',
  },
  wait: { es: 'Lista de espera', en: 'Waitlist' },
  wait_whom: { es: '{doctor}: ¿para quién es la lista de espera?', en: '{doctor}: who is the waitlist for?' },
  wait_name: { es: '{doctor}: ¿a nombre de quién es la lista de espera?', en: '{doctor}: in whose name is the waitlist?' },
  wait_day: { es: 'para el {dia}', en: 'for {dia}' },
  wait_weeks: { es: 'hasta el {dia}', en: 'until {dia}' },
  waiting: {
    es: '✅ {nombre} está en la lista de espera con {doctor} {dias}: le escribiremos por aquí cuando se libere una hora.',
    en: '✅ {nombre} is on the waitlist with {doctor} {dias}: we will write to you here when a time becomes free.',
  },
  already_waiting: {
    es: '{nombre} ya está en la lista de espera con {doctor} {dias}. No tiene que hacer nada más: le escribiremos por aquí cuando se libere una hora.',
    en: '{nombre} is already on the waitlist with {doctor} {dias}. There is nothing else to do: we will write to you here when a time becomes free.',
  },
  day_free: { es: 'Ese día tiene horas libres.', en: 'That day has free times.' },
  which_time: { es: '{doctor}, {dia}: ¿a qué hora?', en: '{doctor}, {dia}: at what time?' },
  times_button: { es: 'Ver horas', en: 'See times' },
  more_times: { es: 'Más horas', en: 'More times' },
  other_day: { es: 'Otro día', en: 'Another day' },
  day_off: { es: '{doctor} no atiende ese día.', en: '{doctor} does not see patients that day.' },
  day_full: { es: 'Ese día ya no tiene horas libres.', en: 'That day has no free times any more.' },
  slot_taken: { es: 'Esa hora acaba de ocuparse. Estas siguen libres:', en: 'That time has just been taken. These are still free:' },
  time_taken: {
    es: 'A esa hora ({hora}) ya no hay cupo. Estas son las horas más cercanas:',
    en: 'There is no free time at {hora}. These are the nearest ones:',
  },
  outside_hours: {
    es: '{doctor} no atiende a esa hora ({hora}). Estas son las horas libres más cercanas:',
    en: '{doctor} does not see patients at {hora}. These are the nearest free times:',
  },
  time_past: { es: 'Esa hora ({hora}) ya pasó. Estas son las horas más cercanas:', en: '{hora} is in the past. These are the nearest free times:' },
  noted: { es: 'De acuerdo, lo tomo en cuenta.', en: 'All right, noted.' },
  other_times: { es: 'De acuerdo, veamos otra hora.', en: 'All right, let us find another time.' },
  no_times_then: {
    es: 'Ese día no hay cupo en ese horario. Estas son las horas libres:',
    en: 'There is no free time at that part of the day. These are free:',
  },
  no_hours_then: {
    es: '{doctor} no atiende en ese horario. Estas son las horas libres:',
    en: '{doctor} does not see patients at that part of the day. These times are free:',
  },
  first_free: { es: 'Estas son las primeras horas libres:', en: 'These are the first free times:' },
  day_mismatch: {
    es: 'La fecha no coincide con el día de la semana: esa fecha es {dia}.',
    en: 'The date and the weekday do not match: that date is {dia}.',
  },
  day_past: { es: 'Esa fecha ya pasó.', en: 'That date is in the past.' },
  no_such_day: { es: 'Esa fecha no existe.', en: 'That date does not exist.' },
  slot_unavailable: { es: 'Esa hora no está disponible.', en: 'That time is not available.' },
  whom: {
    es: '{cita}\n\nLa hora está reservada por 5 minutos. ¿Para quién es la cita?',
    en: '{cita}\n\nThe time is held for 5 minutes. Who is the appointment for?',
  },
  people_button: { es: 'Ver personas', en: 'See people' },
  other_person: { es: 'Otra persona', en: 'Another person' },
  which_name: { es: '{cita}\n\nLa hora está reservada por 5 minutos. ¿A nombre de quién?', en: '{cita}\n\nThe time is held for 5 minutes. In whose name?' },
  bad_name: { es: 'Por favor, escriba el nombre y el apellido de quien vendrá.', en: 'Please write the first and last name of who will come.' },
  confirm_booking: { es: '¿Agendo esta cita?\n{cita}\nA nombre de: {nombre}', en: 'Shall I book this appointment?\n{cita}\nIn the name of: {nombre}' },
  yes_book: { es: 'Sí, agendar', en: 'Yes, book it' },
  other_name: { es: 'Otro nombre', en: 'Another name' },
  no_thanks: { es: 'No, gracias', en: 'No, thanks' },
  already_booked: { es: 'Esa cita ya está agendada.', en: 'That appointment is booked already.' },
  stopped: { es: 'De acuerdo, no hice ningún cambio.', en: 'All right, nothing was changed.' },
  stale: { es: 'Esa opción ya no está vigente.', en: 'That option is not valid any more.' },
  no_appointments: { es: 'No tiene citas pendientes.', en: 'You have no upcoming appointments.' },
  one_appointment: { es: 'Su próxima cita:\n{cita}', en: 'Your next appointment:\n{cita}' },
  which_appointment: { es: 'Sus próximas citas. ¿Cuál?', en: 'Your upcoming appointments. Which one?' },
  appointments_button: { es: 'Ver citas', en: 'See appointments' },
  confirm_appointment: { es: 'Confirmar', en: 'Confirm' },
  move_appointment: { es: 'Cambiar', en: 'Reschedule' },
  cancel_appointment: { es: 'Cancelar cita', en: 'Cancel appointment' },
  confirmed: { es: '¡Gracias! Su cita está confirmada:\n{cita}', en: 'Thank you! Your appointment is confirmed:\n{cita}' },
  request_pending: {
    es: 'Recibimos su solicitud. {clinica} la revisará y le confirmará la cita:\n{cita}',
    en: 'We have your request. {clinica} will review it and confirm the appointment:\n{cita}',
  },
  sure_to_cancel: { es: '¿Cancelo esta cita?\n{cita}', en: 'Shall I cancel this appointment?\n{cita}' },
  yes_cancel: { es: 'Sí, cancelar', en: 'Yes, cancel it' },
  keep: { es: 'No, conservarla', en: 'No, keep it' },
  cancelled: { es: 'Su cita fue cancelada:\n{cita}', en: 'Your appointment is cancelled:\n{cita}' },
  appointment_gone: { es: 'Esa cita ya no está pendiente.', en: 'That appointment is no longer upcoming.' },
  booking_code: {
    es: 'Su código para confirmar la cita en {clinica} es {codigo}. Es válido durante 10 minutos. Si usted no la pidió, ignore este mensaje.',
    en: 'Your code to confirm the appointment at {clinica} is {codigo}. It is valid for 10 minutes. If you did not ask for it, ignore this message.',
  },
  inside_notice: {
    es: 'Su cita es muy pronto para cambiarla o cancelarla por aquí:\n{cita}\n\nUna persona de {clinica} le escribirá.',
    en: 'Your appointment is too soon to be changed or cancelled here:\n{cita}\n\nSomebody of {clinica} will write to you.',
  },
  confirm_move: { es: '¿Cambio su cita?\nAntes: {antes}\nAhora: {cita}', en: 'Shall I move your appointment?\nBefore: {antes}\nNow: {cita}' },
  yes_move: { es: 'Sí, cambiar', en: 'Yes, move it' },
  moved: { es: '✅ Su cita cambió. Ahora es:\n{cita}', en: '✅ Your appointment was moved. It is now:\n{cita}' },
  faq_list: { es: '¿Qué desea saber?', en: 'What would you like to know?' },
  faq_none: { es: 'Escríbame su pregunta y con gusto le ayudo.', en: 'Write me your question and I will gladly help.' },
  faq_button: { es: 'Ver preguntas', en: 'See questions' },
  faq_gone: { es: 'Esa información ya no está disponible.', en: 'That information is not available any more.' },
  got_file: { es: 'Recibí su archivo, pero no puedo verlo.', en: 'I got your file, but I cannot look at it.' },
  got_audio: { es: 'Recibí su audio, pero no puedo escucharlo.', en: 'I got your recording, but I cannot listen to it.' },
  got_location: { es: 'Recibí su ubicación.', en: 'I got your location.' },
  got_contact: { es: 'Recibí el contacto.', en: 'I got the contact.' },
  got_unknown: { es: 'No puedo ver ese tipo de mensaje.', en: 'I cannot read that kind of message.' },
  shall_help: { es: '¿Desea que una persona le ayude?', en: 'Shall somebody help you?' },
  got_order: {
    es: 'Recibí su pedido. Una persona de {clinica} lo revisará y le escribirá por aquí.',
    en: 'I got your order. Somebody of {clinica} will look at it and write to you here.',
  },
  offer_booked: { es: '✅ La hora es suya:\n{cita}\n\n¡Le esperamos!', en: '✅ The time is yours:\n{cita}\n\nSee you then!' },
  offer_declined: {
    es: 'De acuerdo. Sigue en la lista de espera y le avisaremos si se libera otra hora.',
    en: 'All right. You stay on the waitlist and we will let you know when another time becomes free.',
  },
  offer_again: {
    es: 'Disculpe, no le entendí. Le guardamos esta hora:\n{cita}\n\n¿La desea?',
    en: 'Sorry, I did not understand. We hold this time for you:\n{cita}\n\nWould you like it?',
  },
  offer_gone: { es: 'Lo sentimos, esa hora ya no está disponible.', en: 'Sorry, that time is not available any more.' },
  not_now: { es: 'De acuerdo. Cuando desee agendar, escríbanos.', en: 'All right. Write to us whenever you want to book.' },
  welcome: { es: '¡Con mucho gusto!', en: 'You are welcome!' },
  reminder_day: {
    es: 'Hola, {nombre}. Le recordamos su cita en {clinica}:\n{cita}\n\n¿Nos confirma su asistencia?',
    en: 'Hello, {nombre}. This is a reminder of your appointment at {clinica}:\n{cita}\n\nWill you come?',
  },
  reminder_hours: {
    es: 'Hola, {nombre}. Le esperamos pronto en {clinica}:\n{cita}',
    en: 'Hello, {nombre}. We see you soon at {clinica}:\n{cita}',
  },
  notice_cancelled: {
    es: 'Hola, {nombre}. Su cita en {clinica} fue cancelada:\n{cita}',
    en: 'Hello, {nombre}. Your appointment at {clinica} was cancelled:\n{cita}',
  },
  notice_moved: {
    es: 'Hola, {nombre}. Su cita en {clinica} cambió. Ahora es:\n{cita}',
    en: 'Hello, {nombre}. Your appointment at {clinica} was moved. It is now:\n{cita}',
  },
  notice_series_cancelled: {
    es: 'Hola, {nombre}. Estas citas suyas en {clinica} fueron canceladas:\n{citas}',
    en: 'Hello, {nombre}. These appointments of yours at {clinica} were cancelled:\n{citas}',
  },
  notice_series_moved: {
    es: 'Hola, {nombre}. Sus citas en {clinica} cambiaron. Ahora son:\n{citas}',
    en: 'Hello, {nombre}. Your appointments at {clinica} were moved. They are now:\n{citas}',
  },
  more_appointments: { es: 'y {n} más', en: 'and {n} more' },
  notice_booked: {
    es: 'Hola, {nombre}. Su cita en {clinica} está agendada:\n{cita}\n\n¡Le esperamos!',
    en: 'Hello, {nombre}. Your appointment at {clinica} is booked:\n{cita}\n\nSee you then!',
  },
  notice_confirmed: {
    es: 'Hola, {nombre}. {clinica} confirmó la cita que usted pidió:\n{cita}',
    en: 'Hello, {nombre}. {clinica} confirmed the appointment that you asked for:\n{cita}',
  },
  notice_declined: {
    es: 'Hola, {nombre}. Lo sentimos: {clinica} no puede atenderle en la cita que usted pidió:\n{cita}',
    en: 'Hello, {nombre}. We are sorry: {clinica} cannot see you at the time that you asked for:\n{cita}',
  },
  notice_restored: {
    es: 'Hola, {nombre}. Su cita en {clinica} sigue en pie:\n{cita}',
    en: 'Hello, {nombre}. Your appointment at {clinica} is on again:\n{cita}',
  },
  offer: {
    es: 'Hola, {nombre}. Se liberó una hora en {clinica}:\n{cita}\n\n¿La desea? Se la guardamos hasta: {hasta}',
    en: 'Hello, {nombre}. A time has become free at {clinica}:\n{cita}\n\nWould you like it? We hold it until {hasta}',
  },
  yes_offer: { es: 'Sí, la quiero', en: 'Yes, please' },
  prescription: {
    es: 'Hola, {nombre}. {clinica} le envía su receta N.º {numero}. Ábrala aquí (durante 30 días):\n{enlace}',
    en: 'Hello, {nombre}. {clinica} sends you your prescription no. {numero}. Open it here (for 30 days):\n{enlace}',
  },
  form: {
    es: 'Hola, {nombre}. {clinica} le pide llenar y firmar «{formulario}» desde su teléfono:\n{enlace}',
    en: 'Hello, {nombre}. {clinica} asks you to fill and sign “{formulario}” on your phone:\n{enlace}',
  },
  payment_due: {
    es: 'Hola, {nombre}. Le recordamos su plan de pagos en {clinica}. Saldo pendiente: {saldo}.',
    en: 'Hello, {nombre}. This is a reminder of your payment plan at {clinica}. Balance: {saldo}.',
  },
} as const satisfies Record<string, Record<Language, string>>;

export type TextKey = keyof typeof TEXTS;

/** The texts that a clinic may replace, with the variables that each may use. The keys are stored. */
export const EDITABLE = {
  greeting: ['clinica'],
  not_understood: ['clinica'],
  hand_over: ['clinica'],
  booked: ['clinica', 'cita'],
  opted_out: ['clinica'],
  opted_in: ['clinica'],
  reminder_day: ['nombre', 'clinica', 'cita'],
  reminder_hours: ['nombre', 'clinica', 'cita'],
} as const satisfies Partial<Record<TextKey, string[]>>;

export type EditableKey = keyof typeof EDITABLE;
export const EDITABLE_KEYS = Object.keys(EDITABLE) as EditableKey[];

/** A clinic's own texts. */
export type ClinicTexts = Partial<Record<Language, Partial<Record<TextKey, string>>>>;

export type Say = (key: TextKey, values?: Record<string, string>) => string;

/** The texts in a language; those that the clinic has replaced take precedence. `{clinica}` is filled in everywhere. */
export function textsIn(language: Language, clinic: string, clinicTexts: ClinicTexts = {}): Say {
  return (key, values = {}) => {
    const known: Record<string, string> = { clinica: clinic, ...values };
    const text = clinicTexts[language]?.[key] ?? TEXTS[key][language];
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole);
  };
}

/** The first variable in the text that the key does not allow, or undefined. */
export function unknownVariable(key: EditableKey, text: string): string | undefined {
  const allowed: readonly string[] = EDITABLE[key];
  return [...text.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name ?? '').find((name) => !allowed.includes(name));
}
