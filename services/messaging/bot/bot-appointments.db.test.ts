// Conversations with the bot about upcoming appointments: shown, confirmed, moved and cancelled, in both languages, also in reply to reminders.
import { describe, expect, test } from '@jest/globals';
import { runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
  'an appointment of a dependant is moved': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > [Ana Díaz]
    > [Sí, agendar]
    > cambiar mi cita
    > [mié 3 jun]
    > [9:00 a. m.]
    < Antes: 📅 martes 2 de junio, 8:30 a. m., Dra. Ana Rivas, Ana Díaz
    > [Sí, cambiar]
    < miércoles 3 de junio, 9:00 a. m., Dra. Ana Rivas, Ana Díaz`,
  'my appointments: none': `
    > mis citas
    < No tiene citas pendientes [Agendar cita]`,
  'deleting an appointment is cancelling it': `
    ! appointment 2026-06-03 09:00
    > eliminar la cita
    < ¿Cancelo esta cita?`,
  'my appointments: one': `
    ! appointment 2026-06-02 08:30
    > mis citas
    < martes 2 de junio, 8:30 a. m., Dra. Ana Rivas [Confirmar] [Cambiar] [Cancelar cita]
    > [Confirmar]
    < Su cita está confirmada`,
  'my appointments: several': `
    ! appointment 2026-06-02 08:30
    ! appointment 2026-06-03 09:00
    > my appointments
    < Which one? [Tue 2 Jun, 8:30 AM] [Wed 3 Jun, 9:00 AM]
    > 2
    < Wednesday, 3 June, 9:00 AM [Confirm] [Reschedule]`,
  'my appointments: the answer says which one to cancel': `
    ! appointment 2026-06-02 08:30
    ! appointment 2026-06-03 09:00
    > mis citas
    < ¿Cuál? [mar 2 jun, 8:30 a. m.] [mié 3 jun, 9:00 a. m.]
    > cancele la del miércoles
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 9:00 a. m. [Sí, cancelar] [No, conservarla]`,
  'cancelling asks for confirmation': `
    ! appointment 2026-06-02 08:30
    > cancelar
    < ¿Cancelo esta cita? [Sí, cancelar] [No, conservarla]
    > [Sí, cancelar]
    < Su cita fue cancelada
    = appointments 2026-06-02 08:30 cancelled manual`,
  'cancelling within the notice period is refused': `
    ! appointment 2026-06-02 08:30
    ! strict
    > cancelar
    > [Sí, cancelar]
    < muy pronto para cambiarla o cancelarla
    = mode human inside_notice
    = appointments 2026-06-02 08:30 confirmed manual`,
  'rescheduling within the notice period is refused': `
    ! appointment 2026-06-02 08:30
    ! strict
    > reprogramar
    > [mié 3 jun]
    > [9:00 a. m.]
    > [Sí, cambiar]
    < muy pronto para cambiarla o cancelarla
    = appointments 2026-06-02 08:30 confirmed manual`,
  'cancelling is declined at the confirmation': `
    ! appointment 2026-06-02 08:30
    > quiero cancelar mi cita
    > [No, conservarla]
    < no hice ningún cambio
    = appointments 2026-06-02 08:30 confirmed manual`,
  'typed button titles': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    > Rosa Díaz
    > Otro nombre
    < ¿A nombre de quién?
    > Rosa Paz
    > Sí, agendar
    < Su cita está agendada
    > cambiar mi cita
    > [mié 3 jun]
    > [9:00 a. m.]
    > No, conservarla
    < no hice ningún cambio
    > cambiar mi cita
    > [mié 3 jun]
    > [9:00 a. m.]
    > Sí, cambiar
    < Su cita cambió
    > cancelar mi cita
    > No, conservarla
    < no hice ningún cambio
    > cancelar mi cita
    > Sí, cancelar
    < Su cita fue cancelada
    = name Rosa Paz`,
  'typed button titles, in English': `
    ! appointment 2026-06-02 08:30
    > I want to cancel my appointment
    > No, keep it
    < nothing was changed
    > reschedule
    > [Wed 3 Jun]
    > [9:00 AM]
    > Yes, move it
    < was moved
    > cancel my appointment
    > Yes, cancel it
    < is cancelled
    = appointments 2026-06-03 09:00 cancelled manual`,
  'a confirmation applies to the current question, not to another appointment': `
    ! appointment 2026-06-02 08:30
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [10:00 a. m.]
    > [Sí, agendar]
    > cancelar
    < ¿Cuál? [mar 2 jun, 8:30 a. m.]
    > 1
    > confirmo la cancelación
    < Su cita fue cancelada
    = coming none
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [11:00 a. m.]
    > Sí, confirmo
    < Su cita está agendada`,
  'cancelling in English by words': `
    ! appointment 2026-06-02 08:30
    > I want to cancel my appointment
    < Shall I cancel this appointment?
    > yes
    < is cancelled
    = appointments 2026-06-02 08:30 cancelled manual`,
  'a button of a past appointment': `
    ! appointment 2026-06-02 08:30
    > mis citas
    @ 2d
    > [Cancelar cita]
    < ya no está pendiente
    = appointments 2026-06-02 08:30 confirmed manual`,
  rescheduling: `
    ! appointment 2026-06-02 08:30
    > reprogramar
    < ¿qué día le conviene?
    > [mié 3 jun]
    > [9:00 a. m.]
    < ¿Cambio su cita? [Sí, cambiar] [No, conservarla]
    > [Sí, cambiar]
    < Su cita cambió
    = appointments 2026-06-03 09:00 confirmed manual`,
  'rescheduling in English with words; the new time is taken meanwhile': `
    ! appointment 2026-06-02 08:30
    > I need to reschedule my appointment
    > june 3
    < Wednesday, 3 June
    > 9:00
    < Shall I move your appointment?
    ! other-patient 2026-06-03 09:00
    > yes
    < has just been taken [9:30 AM]
    > 9:30
    > yes
    < was moved
    = appointments 2026-06-03 09:30 confirmed manual`,
  'rescheduling an appointment that is no longer upcoming': `
    ! appointment 2026-06-02 08:30
    > cambiar mi cita
    > [mié 3 jun]
    @ 2d
    > [10:00 a. m.]
    < ya no está pendiente`,
  'replying 1 confirms a reminder': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > 1
    < Su cita está confirmada
    = coming 2026-06-02 08:30`,
  'a patient cannot confirm a requested appointment': `
    ! appointment 2026-06-02 08:30
    ! pending
    ! reminder
    > 1
    < Recibimos su solicitud. Sonrisa la revisará
    = coming none
    = appointments 2026-06-02 08:30 pending manual`,
  'replying 2 asks whether to cancel the appointment': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > 2
    < ¿Cancelo esta cita? [Sí, cancelar] [Cambiar] [No, conservarla]
    > sí
    < Su cita fue cancelada
    = appointments 2026-06-02 08:30 cancelled manual`,
  'questions about an appointment': `
    ! appointment 2026-06-02 08:30
    > a que hora es mi cita?
    < martes 2 de junio, 8:30 a. m., Dra. Ana Rivas [Confirmar] [Cambiar] [Cancelar cita]
    > no voy a poder llegar a mi cita de mañana
    < Su próxima cita [Confirmar] [Cambiar] [Cancelar cita]
    > no puedo ir mañana
    < Su próxima cita [Confirmar] [Cambiar] [Cancelar cita]
    > No quiero cancelar mi cita solo queria saber la hora
    < Su próxima cita [Cancelar cita]
    > ya no quiero la cita
    < ¿Cancelo esta cita?
    > No quiero cancelar mi cita solo queria saber la hora
    < Su próxima cita [Cancelar cita]
    = appointments 2026-06-02 08:30 confirmed manual`,
  'a change of an appointment to a day': `
    ! appointment 2026-06-02 08:30
    > quiero cambiar la hora de mi cita
    < ¿qué día le conviene?
    > el mismo día a las 9
    < Ahora: 📅 martes 2 de junio, 9:00 a. m.
    > quiero pasar mi cita para el viernes
    < viernes 5 de junio: ¿a qué hora?
    > a las 10 y media de la mañana
    < ¿Cambio su cita? Antes: 📅 martes 2 de junio, 8:30 a. m., Dra. Ana Rivas Ahora: 📅 viernes 5 de junio, 10:30 a. m.
    > mejor a las 11
    < Ahora: 📅 viernes 5 de junio, 11:00 a. m.
    > sí porfa
    < Su cita cambió
    = appointments 2026-06-05 11:00 confirmed manual`,
  'questions about an appointment without one': `
    > a que hora es mi cita?
    < No tiene citas pendientes [Agendar cita]
    > quiero pasar mi cita para el viernes
    < No tiene citas pendientes [Agendar cita]`,
  'a patient who will be late': `
    ! appointment 2026-06-02 08:30
    > cambiar mi cita
    > [mié 3 jun]
    > me atraso 15 minutos
    < Gracias por avisar
    = mode human late`,
  'a cancellation is agreed to in other words': `
    ! appointment 2026-06-03 09:00
    > quiero cancelar mi cita
    < ¿Cancelo esta cita?
    > sí, cancélela
    < Su cita fue cancelada
    ! appointment 2026-06-04 09:00
    > cancelar
    > siii
    < Su cita fue cancelada
    ! appointment 2026-06-05 09:00
    > cancelar
    > cancélela por favor
    < Su cita fue cancelada`,
  'instead of being cancelled, the appointment is moved': `
    ! appointment 2026-06-03 09:00
    > cancelar
    > no, mejor muévala para el viernes
    < viernes 5 de junio: ¿a qué hora?
    > a la misma hora
    < Ahora: 📅 viernes 5 de junio, 9:00 a. m.
    > sí, cámbiela
    < Su cita cambió
    > cancelar
    > mejor el jueves
    < jueves 4 de junio: ¿a qué hora?
    = appointments 2026-06-05 09:00 confirmed manual`,
  'the appointment that a sentence names': `
    ! appointment 2026-06-03 09:00
    ! appointment 2026-06-05 10:00
    > quiero cancelar la cita del viernes
    < ¿Cancelo esta cita? 📅 viernes 5 de junio, 10:00 a. m.
    > no
    > cancelar
    < ¿Cuál? [mié 3 jun, 9:00 a. m.] [vie 5 jun, 10:00 a. m.]
    > la del miércoles
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 9:00 a. m.
    > sí
    = appointments 2026-06-03 09:00 cancelled manual, 2026-06-05 10:00 confirmed manual`,
  'the appointment of a dependant, by name': `
    ! known Rosa Díaz
    ! dependant Carlos Pérez
    > agendar
    > [Dra. Ana Rivas]
    > [mié 3 jun]
    > [9:00 a. m.]
    > para Carlos
    > sí
    ! appointment 2026-06-04 09:00
    > quiero cancelar la cita de Carlos
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 9:00 a. m., Dra. Ana Rivas, Carlos Pérez
    > no
    > quiero cambiar la cita de Carlos para el viernes a las 10
    < Antes: 📅 miércoles 3 de junio, 9:00 a. m., Dra. Ana Rivas, Carlos Pérez
    > no
    > quiero cambiar una cita, soy Rosa Díaz
    < ¿Cuál?`,
  'the new month is not the name of a patient': `
    ! known Rosa Díaz
    ! dependant Julio Pérez
    > agendar
    > [Dra. Ana Rivas]
    > [mié 3 jun]
    > [9:00 a. m.]
    > para Julio
    > sí
    ! appointment 2026-06-04 09:00
    > quiero cambiar una cita para el 3 de julio
    < ¿Cuál?`,
  'a reminder is confirmed in a sentence': `
    ! appointment 2026-06-02 09:00
    ! appointment 2026-06-05 10:00
    ! reminder
    > Ok, ahí estaré primero Dios
    < Su cita está confirmada: 📅 viernes 5 de junio
    = coming 2026-06-05 10:00
    > Gracias, confirmada la cita
    < Su cita está confirmada: 📅 viernes 5 de junio
    > sí, mañana ahí estaré
    < Su cita está confirmada: 📅 martes 2 de junio
    = coming 2026-06-02 09:00, 2026-06-05 10:00`,
  'a reminder to which the patient will reply later is not confirmed': `
    ! appointment 2026-06-02 09:00
    ! reminder
    > ahorita le confirmo
    < Con mucho gusto
    > aún no puedo confirmar
    < Su próxima cita [Confirmar]
    > no sé si podré, le confirmo en la tarde
    < Con mucho gusto
    = coming none`,
  'a patient who will attend after all confirms the appointment instead of cancelling it': `
    ! appointment 2026-06-02 09:00
    ! reminder
    > no puedo
    < ¿Cancelo esta cita?
    > perdón, sí voy a llegar
    < Su cita está confirmada: 📅 martes 2 de junio
    = coming 2026-06-02 09:00`,
  'in reply to a reminder, the appointment is moved': `
    ! appointment 2026-06-02 09:00
    ! reminder
    > no puedo, ¿me la cambia para el jueves?
    < jueves 4 de junio: ¿a qué hora?
    > a las 10
    > sí
    = appointments 2026-06-04 10:00 confirmed manual`,
  'the other of two appointments is cancelled': `
    ! appointment 2026-06-03 09:00
    ! appointment 2026-06-05 10:00
    > cancelar la del miércoles
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 9:00 a. m.
    > no, la otra
    < ¿Cancelo esta cita? 📅 viernes 5 de junio, 10:00 a. m.
    > no, la del miércoles
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 9:00 a. m.
    > cancélala
    < Su cita fue cancelada
    > cuándo es la cita de mi hijo
    < Su próxima cita: 📅 viernes 5 de junio, 10:00 a. m.
    > cancelar
    > esa no
    < no hice ningún cambio
    = appointments 2026-06-03 09:00 cancelled manual, 2026-06-05 10:00 confirmed manual`,
  'a cancellation of another appointment in reply to a reminder': `
    ! appointment 2026-06-05 10:00
    ! appointment 2026-06-02 09:00
    ! reminder
    > quiero cancelar la del viernes
    < ¿Cancelo esta cita? 📅 viernes 5 de junio`,
  'a reminder of a past appointment does not hide the next one': `
    ! appointment 2026-06-02 09:00
    ! reminder
    ! appointment 2026-06-05 10:00
    @ 33h
    > quiero cancelar mi cita
    < ¿Cancelo esta cita? 📅 viernes 5 de junio
    > no
    > cambiar mi cita
    < ¿qué día le conviene?
    > menu
    > no voy a poder llegar
    < Su próxima cita: 📅 viernes 5 de junio
    > confirmo
    < ya no está pendiente
    = coming none`,
  'an answer to a reminder that names another appointment': `
    ! known Rosa Díaz
    ! dependant Carlos Pérez
    > cita con Rivas el miércoles a las 10
    > para Carlos
    > sí
    ! appointment 2026-06-03 09:00
    ! reminder
    > confirmo la cita de Carlos
    < Su cita está confirmada: 📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas, Carlos Pérez
    = coming 2026-06-03 10:00
    > quiero cancelar la de las 10
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 10:00 a. m.
    > no
    > no voy a poder llegar a la cita de Carlos
    < Su próxima cita: 📅 miércoles 3 de junio, 10:00 a. m.
    > quiero cancelar mi cita
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 9:00 a. m.`,
  'an answer to the reminder of a relative that the writer signs': `
    ! known Rosa Díaz
    ! dependant Carlos Díaz
    ! appointment 2026-06-03 09:00
    > cita con Rivas el jueves a las 10
    > Carlos
    > sí
    ! reminder
    > Confirmo la asistencia, saludos, Rosa Díaz
    < Su cita está confirmada: 📅 jueves 4 de junio, 10:00 a. m., Dra. Ana Rivas, Carlos Díaz
    = coming 2026-06-04 10:00
    > quiero cancelar la cita de Rosa
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio, 9:00 a. m.
    > no
    > cambiar la cita de Rosa para el viernes a las 10
    < Antes: 📅 miércoles 3 de junio, 9:00 a. m.
    > no
    > cambiar la cita para el viernes a las 10. Rosa
    < Antes: 📅 jueves 4 de junio, 10:00 a. m., Dra. Ana Rivas, Carlos Díaz`,
  'a change of an appointment that names its present day': `
    ! appointment 2026-06-03 09:00
    > quiero cambiar mi cita del miércoles para el viernes
    < viernes 5 de junio: ¿a qué hora?
    > menu
    > quiero pasar mi cita de mañana al jueves por favor
    < jueves 4 de junio: ¿a qué hora?
    > menu
    > pasar mi cita del 3 a las 9 para el 4 a las 10
    < Antes: 📅 miércoles 3 de junio, 9:00 a. m., Dra. Ana Rivas Ahora: 📅 jueves 4 de junio, 10:00 a. m.
    > menu
    > quiero cambiar mi cita del miércoles para las 10
    < Ahora: 📅 miércoles 3 de junio, 10:00 a. m.
    > menu
    > cambiar mi cita de las 9 para las 10
    < Ahora: 📅 miércoles 3 de junio, 10:00 a. m.
    > el jueves a las 10
    < Ahora: 📅 jueves 4 de junio, 10:00 a. m.
    > menu
    > ¿me la puede cambiar del miércoles al viernes?
    < viernes 5 de junio: ¿a qué hora?
    > menu
    > me la cambia de mañana al jueves
    < jueves 4 de junio: ¿a qué hora?
    > menu
    > I need to move my appointment from Wednesday to Friday
    < Friday, 5 June
    > menu
    ! reminder
    > quiero cambiar la cita que tengo el miércoles para el viernes
    < viernes 5 de junio: ¿a qué hora?
    > menu
    > quiero cancelar mi cita
    > mejor cambiar la cita del miércoles al viernes
    < viernes 5 de junio: ¿a qué hora?`,
  'a new time without a day is one of the same day': `
    ! appointment 2026-06-03 09:00
    > ¿me puede mover la cita de las 9 a las 10 de la mañana?
    < Antes: 📅 miércoles 3 de junio, 9:00 a. m., Dra. Ana Rivas Ahora: 📅 miércoles 3 de junio, 10:00 a. m., Dra. Ana Rivas
    > menu
    > quiero cambiar mi cita para las 10:30
    < Ahora: 📅 miércoles 3 de junio, 10:30 a. m., Dra. Ana Rivas
    > menu
    > reprogramar mi cita
    < ¿qué día le conviene?
    > menu
    > quiero cambiar mi cita de las 9
    < ¿qué día le conviene?
    > menu
    > quiero cambiar mi cita para otro día por la tarde
    < ¿qué día le conviene?
    > menu
    > muévala de las 9 a las 10
    < Ahora: 📅 miércoles 3 de junio, 10:00 a. m.
    > menu
    > quiero cambiar mi cita del miércoles de las 9 a las 11
    < Ahora: 📅 miércoles 3 de junio, 11:00 a. m.
    > menu
    > quiero cambiar mi cita, puedo de las 10 a las 11
    < Ahora: 📅 miércoles 3 de junio, 10:00 a. m.
    > déjela así
    < no hice ningún cambio`,
  'several appointments are cancelled one by one': `
    ! appointment 2026-06-03 09:00
    ! appointment 2026-06-04 09:00
    > quiero cancelar todas mis citas
    < ¿Cuál? [mié 3 jun, 9:00 a. m.]
    > la primera
    < ¿Cancelo esta cita? 📅 miércoles 3 de junio
    > sí
    > cancelar mis citas
    < ¿Cancelo esta cita? 📅 jueves 4 de junio
    > mejor déjela así
    < no hice ningún cambio`,
  'the button of a reminder confirms without a reply while a user has taken over, or the bot is off': `
    ! appointment 2026-06-03 09:00
    > mis citas
    ! takeover
    > [Confirmar]
    < -
    = coming 2026-06-03 09:00
    ! release
    ! appointment 2026-06-04 09:00
    > mis citas
    > [jue 4 jun, 9:00 a. m.]
    ! bot off
    > [Confirmar]
    < -
    = coming 2026-06-03 09:00, 2026-06-04 09:00`,
};

describe('appointments', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(34);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));
});
