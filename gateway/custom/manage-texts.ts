// The texts of the page of an appointment.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { Ending } from './public-page.ts';

const es = {
  title: 'Su cita',
  open: ['Su cita está confirmada', 'Le esperamos.'] as Ending,
  pending: ['Recibimos su solicitud', 'La clínica la revisará y le confirmará la cita.'] as Ending,
  inside_notice: ['Su cita está confirmada', 'Ya no se puede cambiar ni cancelar en esta página. Si no puede venir, avise a la clínica, por favor.'] as Ending,
  pending_inside_notice: [
    'Recibimos su solicitud',
    'La clínica la revisará y le confirmará la cita. Ya no se puede cambiar ni cancelar en esta página. Si no puede venir, avise a la clínica, por favor.',
  ] as Ending,
  cancelled: ['Su cita está cancelada', 'La clínica ya lo sabe.'] as Ending,
  over: ['Esta cita ya pasó', 'Si necesita algo más, llame o escriba a la clínica.'] as Ending,
  doConfirm: 'Confirmar que asistiré',
  willCome: 'Gracias por confirmar: la clínica ya sabe que usted vendrá.',
  moved: 'Listo: su cita quedó para esta hora.',
  calendar: 'Agregar al calendario',
  move: 'Cambiar la hora',
  cancel: 'Cancelar la cita',
  again: 'Pedir otra cita',
  back: 'Volver a mi cita',
  otherDay: 'Elegir otro día',
  day: 'Elija el nuevo día',
  time: 'Elija la nueva hora',
  confirmMove: '¿Cambiar su cita a esta hora?',
  confirmCancel: '¿Cancelar su cita?',
  doMove: 'Sí, cambiarla',
  doCancel: 'Sí, cancelarla',
  taken: 'Esa hora ya no está libre. Elija otra, por favor.',
  unknown: ['Este enlace no es válido', 'Ábralo de nuevo desde el mensaje o llame a la clínica.'] as Ending,
  busy: ['Un momento, por favor', 'Hay demasiadas solicitudes. Inténtelo de nuevo en unos minutos.'] as Ending,
  failed: ['No pudimos abrir su cita', 'Inténtelo de nuevo en unos minutos o llame a la clínica.'] as Ending,
};

const en: typeof es = {
  title: 'Your appointment',
  open: ['Your appointment is confirmed', 'See you then.'],
  pending: ['We have your request', 'The clinic will review it and confirm the appointment.'],
  inside_notice: ['Your appointment is confirmed', 'It can no longer be moved or cancelled on this page. If you cannot come, please call the clinic.'],
  pending_inside_notice: [
    'We have your request',
    'The clinic will review it and confirm the appointment. It can no longer be moved or cancelled on this page. If you cannot come, please call the clinic.',
  ],
  cancelled: ['Your appointment is cancelled', 'The clinic knows.'],
  over: ['This appointment is over', 'If you need anything else, call or write to the clinic.'],
  doConfirm: 'Confirm that I will come',
  willCome: 'Thank you: the clinic knows that you will come.',
  moved: 'Done: your appointment is at this time now.',
  calendar: 'Add to calendar',
  move: 'Change the time',
  cancel: 'Cancel the appointment',
  again: 'Book another appointment',
  back: 'Back to my appointment',
  otherDay: 'Choose another day',
  day: 'Choose the new day',
  time: 'Choose the new time',
  confirmMove: 'Move your appointment to this time?',
  confirmCancel: 'Cancel your appointment?',
  doMove: 'Yes, move it',
  doCancel: 'Yes, cancel it',
  taken: 'That time is no longer free. Please choose another one.',
  unknown: ['This link is not valid', 'Open it again from the message, or call the clinic.'],
  busy: ['One moment, please', 'There are too many requests. Try again in a few minutes.'],
  failed: ['We could not open your appointment', 'Try again in a few minutes or call the clinic.'],
};

export const MANAGE_TEXTS: Record<Language, typeof es> = { es, en };
