// Conversations with the bot, in both languages, through the whole of messaging: from the provider's delivery to the stored answer.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BotFixture, message, runScript, startBot } from '../testing/conversation-script.ts';

let bot: BotFixture;
beforeAll(async () => {
  bot = await startBot();
});
afterAll(() => bot.stop());

const JOURNEYS: Record<string, string> = {
  'a greeting gets the menu': `
    > Hola
    < asistente de Sonrisa [Agendar cita] [Mis citas] [Cambiar una cita] [Cancelar una cita] [Preguntas frecuentes] [Hablar con alguien]`,
  'a greeting in English gets it in English': `
    > Good morning!
    < I am the assistant of Sonrisa [Book appointment] [My appointments] [Speak to a person]`,
  'accents and case do not matter': `
    > BUENOS DÍAS
    < asistente de Sonrisa`,
  'what is not understood gets the menu': `
    > asdf qwerty
    < no le entendí [Agendar cita]`,
  'booking with buttons, all the way': `
    > hola
    > [Agendar cita]
    < ¿Con quién desea su cita? [Dr. Luis Paz] [Dra. Ana Rivas]
    > [Dra. Ana Rivas]
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun] [Ver más]
    > [mar 2 jun]
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.] [Más horas] [Otro día]
    > [8:30 a. m.]
    < ¿A nombre de quién? [Lucía]
    = drafts 1
    > Rosa Díaz
    < ¿Agendo esta cita? [Sí, agendar] [Otro nombre] [No, gracias]
    > [Sí, agendar]
    < Su cita está agendada
    = appointments 2026-06-02 08:30 confirmed chat
    = name Rosa Díaz
    = drafts 0`,
  'booking with words, all the way': `
    > Quiero una cita con la doctora Rivas
    < Dra. Ana Rivas: ¿qué día le conviene?
    > mañana
    < martes 2 de junio: ¿a qué hora?
    > a las 10
    < ¿A nombre de quién?
    > Me llamo Rosa Díaz
    < A nombre de: Rosa Díaz
    > sí
    < Su cita está agendada
    = appointments 2026-06-02 10:00 confirmed chat`,
  'the bot asks for the type, whose doctors and length decide what is offered': `
    ! type 30 Control
    ! type 60 Limpieza
    ! only-of Limpieza Rivas
    > agendar
    < ¿Qué tipo de cita desea? [Control] [Limpieza]
    > 2
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > [mar 2 jun]
    < ¿a qué hora? [8:00 a. m.] [9:00 a. m.] [11:00 a. m.]
    > a las 9:30
    < Esa hora no está disponible
    > [9:00 a. m.]
    > Rosa Díaz
    > [Sí, agendar]
    < Su cita está agendada
    = appointments 2026-06-02 09:00 confirmed chat
    = type Limpieza
    > cambiar mi cita
    > [mié 3 jun]
    < ¿a qué hora? [8:00 a. m.] [9:00 a. m.]
    > 8:30
    < Esa hora no está disponible`,
  'the type and the doctor in one message': `
    ! type 30 Cita de control
    ! type 45 Ortodoncia
    > Quiero una cita de ortodoncia con el doctor Paz
    < Dr. Luis Paz: ¿qué día le conviene?`,
  'the only type is not asked for': `
    ! type 30 Control
    > agendar
    < ¿Con quién desea su cita?
    > [Dr. Luis Paz]
    > [mar 2 jun]
    > [8:00 a. m.]
    > [Lucía]
    > sí
    < agendada
    = type Control`,
  'a list of before the clinic had types': `
    > agendar
    > [Dra. Ana Rivas]
    ! type 30 Control
    ! type 60 Limpieza
    > [mar 2 jun]
    < Esa opción ya no está vigente. ¿Qué tipo de cita desea? [Control] [Limpieza]
    > {image}
    < ¿Qué tipo de cita desea? [Control]`,
  'booking in English, all the way': `
    > Hi, I would like to book an appointment
    < Who would you like to see?
    > 2
    < Dra. Ana Rivas: which day suits you? [Tue 2 Jun] [See more]
    > tomorrow
    < Tuesday, 2 June: at what time? [8:00 AM]
    > 9:30 am
    < In whose name?
    > My name is John Smith
    < Shall I book this appointment? [Yes, book it]
    > yes please
    < Your appointment is booked
    = appointments 2026-06-02 09:30 confirmed chat
    = name John Smith`,
  'a known patient is not asked for the name': `
    ! known Rosa Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    < A nombre de: Rosa Díaz [Sí, agendar]
    > [Sí, agendar]
    < agendada
    = appointments 2026-06-02 08:00 confirmed chat`,
  'an appointment for another person from the phone of a patient keeps the name of the patient and has a note': `
    ! known Rosa Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    > [Otro nombre]
    < ¿A nombre de quién?
    > Ana Díaz
    < A nombre de: Ana Díaz
    > sí
    < agendada
    = name Rosa Díaz
    = notes Por chat, para: Ana Díaz`,
  'the name of the profile by a button': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:00 a. m.]
    > [Lucía]
    < A nombre de: Lucía
    > [Sí, agendar]
    = name Lucía`,
  'the times of a day come in pages': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    < a qué hora [8:00 a. m.] [11:00 a. m.] [Más horas]
    > [Más horas]
    < a qué hora [11:30 a. m.] [Otro día]
    > [11:30 a. m.]
    < 11:30 a. m.`,
  'another day': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [Otro día]
    < ¿qué día le conviene? [mié 3 jun]`,
  'more days': `
    > agendar
    > [Dra. Ana Rivas]
    > [Ver más]
    < ¿qué día le conviene? [jue 11 jun]`,
  'a weekday by name': `
    > agendar
    > Rivas
    > el viernes a las 9:10
    < viernes 5 de junio: ¿a qué hora?`,
  'a date by numbers': `
    > agendar
    > Rivas
    > 15/06
    < lunes 15 de junio: ¿a qué hora?`,
  'the morning of a weekday is not tomorrow': `
    > agendar
    > Rivas
    > el viernes por la mañana
    < viernes 5 de junio: ¿a qué hora?`,
  'another day instead of a time': `
    > agendar
    > Rivas
    > mañana
    > 10 de junio
    < miércoles 10 de junio: ¿a qué hora?
    > 9/6
    < martes 9 de junio: ¿a qué hora?
    > el viernes a las 10
    < viernes 5 de junio: ¿a qué hora?
    > otro día
    < ¿qué día le conviene? [mar 2 jun]
    > el viernes 12 de junio
    < viernes 12 de junio: ¿a qué hora?
    = drafts 0
    > el viernes a las 9 de la mañana
    < viernes 12 de junio, 9:00 a. m., Dra. Ana Rivas`,
  'a day that is full goes to the days after it': `
    > agendar
    > Rivas
    ! closed 2026-06-03
    > 3 de junio
    < Ese día ya no tiene horas libres [jue 4 jun]`,
  'a day that is over goes to those to come': `
    > agendar
    > Rivas
    > 30 de mayo
    < Ese día ya no tiene horas libres [mar 2 jun]`,
  'a time that was taken meanwhile: other times are offered': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    ! other-patient 2026-06-02 08:30
    > [8:30 a. m.]
    < Esa hora acaba de ocuparse. Estas siguen libres [8:00 a. m.] [9:00 a. m.]
    > [9:00 a. m.]
    < ¿A nombre de quién?`,
  'an expired hold of a slot that was taken meanwhile': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    @ 10m
    ! other-patient 2026-06-02 08:30
    > [Sí, agendar]
    < Esa hora acaba de ocuparse
    = appointments none`,
  'an expired hold of a slot that is still free': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    @ 10m
    > [Sí, agendar]
    < agendada
    = appointments 2026-06-02 08:30 confirmed chat`,
  'no to the last question releases the slot': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    > [No, gracias]
    < no hice ningún cambio
    = drafts 0
    = appointments none`,
  'a word that abandons the booking': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > cancelar
    < no hice ningún cambio
    = drafts 0`,
  'another time instead of the one that is held': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > [9:00 a. m.]
    < 9:00 a. m.
    = drafts 1`,
  'a button that leaves the booking releases the slot': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    = drafts 1
    > [Otro día]
    < ¿qué día le conviene?
    = drafts 0
    > [mar 2 jun]
    < ¿a qué hora? [8:30 a. m.]
    > [8:30 a. m.]
    > Rosa Díaz
    > [8:30 a. m.]
    = drafts 1
    > mis citas
    = drafts 0`,
  'the same button twice books once': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    > [Sí, agendar]
    > [Sí, agendar]
    < Esa cita ya está agendada
    = appointments 2026-06-02 08:30 confirmed chat`,
  'after half an hour of silence the last button is no longer valid': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Rosa Díaz
    @ 31m
    > [Sí, agendar]
    < ya no está vigente
    = appointments none`,
  'a row of an old list still works': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    @ 2h
    > [8:30 a. m.]
    < ¿A nombre de quién?
    = drafts 1`,
  'a row of an old list for a day that is over': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    @ 3d
    > [8:30 a. m.]
    < Esa hora no está disponible. Dra. Ana Rivas: ¿qué día le conviene?
    = drafts 0`,
  'a time that the doctor does not have': `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > a las 8:10
    < Esa hora no está disponible. Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:00 a. m.]
    = drafts 0`,
  'from a phone with dependants the bot asks for whom': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    ! dependant Leonardo Enrique Díaz Menjívar
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    < ¿Para quién es la cita? [Rosa Díaz] [Ana Díaz] [Leonardo Enrique Díaz M…] [Otra persona]
    > mi prima
    < ¿Para quién es la cita?
    > Ana
    < A nombre de: Ana Díaz [Sí, agendar]
    > sí
    < Su cita está agendada: 📅 martes 2 de junio, 8:30 a. m., Dra. Ana Rivas, Ana Díaz
    = booked-for Ana Díaz
    = name Rosa Díaz
    > mis citas
    < Dra. Ana Rivas, Ana Díaz [Cancelar cita]`,
  'a phone with dependants books for its owner, for a dependant by name, and for somebody else': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > para mí
    < A nombre de: Rosa Díaz
    > [Otro nombre]
    < ¿A nombre de quién?
    > ana diaz
    < A nombre de: Ana Díaz
    > [Otro nombre]
    > Pedro Gómez
    < A nombre de: Pedro Gómez
    > sí
    = booked-for Rosa Díaz
    = notes Por chat, para: Pedro Gómez`,
  'a button of whom of an older question': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > [Otra persona]
    > cancelar
    > [Ana Díaz]
    < ya no está vigente`,
  'the question of whom, answered with the title of its last row': `
    ! known Rosa Díaz
    ! dependant Ana Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > Otra persona
    < ¿A nombre de quién?
    = drafts 1`,
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
  'a question between two steps is answered, and the step asked again': `
    ! faq parqueo,estacionamiento: Sí hay parqueo gratis
    > agendar
    > [Dra. Ana Rivas]
    > ¿tienen parqueo?
    < Sí hay parqueo gratis Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]`,
  'a question instead of a name is no name': `
    ! faq parqueo: Sí hay parqueo gratis
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > ¿hay parqueo?
    < Sí hay parqueo gratis
    > 12345
    < escriba el nombre
    > Buenas tardes
    < escriba el nombre
    > a mi nombre
    < escriba el nombre
    > Rosa Díaz
    < A nombre de: Rosa Díaz`,
  'FAQ by keyword, without accents and case': `
    ! faq estación,parqueo: Frente a la clínica
    > ¿ESTACION?
    < Frente a la clínica`,
  'FAQ by a part of a word, but a greeting alone stays a greeting': `
    ! faq no,tarjeta: Aceptamos tarjetas
    > ¿Reciben tarjetas?
    < Aceptamos tarjetas
    > Buenas noches
    < asistente de Sonrisa`,
  'the FAQ goes before a weak intent': `
    ! faq cuesta,precio: Veinticinco dólares
    > Hola, ¿cuánto cuesta una cita?
    < Veinticinco dólares`,
  'the best of several answers': `
    ! faq limpieza: Cuarenta dólares
    ! faq limpieza,niños: Treinta dólares para niños
    > ¿limpieza para niños?
    < Treinta dólares para niños
    > limpieza
    < dólares`,
  'questions as a list': `
    ! faq horario: De ocho a cinco
    > hola
    > Preguntas frecuentes
    < ¿Qué desea saber? [¿De ocho a cinco?]
    > [Preguntas frecuentes]
    < ¿Qué desea saber? [¿De ocho a cinco?]
    > [¿De ocho a cinco?]
    < De ocho a cinco`,
  'my appointments: none': `
    > mis citas
    < No tiene citas pendientes [Agendar cita]`,
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
  'cancelling asks once more': `
    ! appointment 2026-06-02 08:30
    > cancelar
    < ¿Cancelo esta cita? [Sí, cancelar] [No, conservarla]
    > [Sí, cancelar]
    < Su cita fue cancelada
    = appointments 2026-06-02 08:30 cancelled manual`,
  'cancelling inside the notice of the clinic': `
    ! appointment 2026-06-02 08:30
    ! strict
    > cancelar
    > [Sí, cancelar]
    < muy pronto para cambiarla o cancelarla
    = mode human
    = appointments 2026-06-02 08:30 confirmed manual`,
  'rescheduling inside the notice of the clinic': `
    ! appointment 2026-06-02 08:30
    ! strict
    > reprogramar
    > [mié 3 jun]
    > [9:00 a. m.]
    > [Sí, cambiar]
    < muy pronto para cambiarla o cancelarla
    = appointments 2026-06-02 08:30 confirmed manual`,
  'cancelling, and then not': `
    ! appointment 2026-06-02 08:30
    > quiero cancelar mi cita
    > [No, conservarla]
    < no hice ningún cambio
    = appointments 2026-06-02 08:30 confirmed manual`,
  'the titles of buttons as text': `
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
  'the titles of buttons as text, in English': `
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
  'who confirms a question confirms no other appointment': `
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
  'a button of an appointment that is over': `
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
  'rescheduling what was cancelled meanwhile': `
    ! appointment 2026-06-02 08:30
    > cambiar mi cita
    > [mié 3 jun]
    @ 2d
    > [10:00 a. m.]
    < ya no está pendiente`,
  'yes to an offer of the waitlist': `
    ! offer 2026-06-02 10:00
    > sí
    < La hora es suya
    = appointments 2026-06-02 10:00 confirmed waitlist`,
  'no to an offer of the waitlist': `
    ! offer 2026-06-02 10:00
    > no gracias
    < Sigue en la lista de espera
    = appointments none`,
  'yes in English to an offer that is over': `
    ! offer 2026-06-02 10:00
    ! offer-over
    > yes please
    < not available any more [Book appointment]`,
  'one confirms a reminder': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > 1
    < Su cita está confirmada
    = coming 2026-06-02 08:30`,
  'a request is not confirmed by the patient': `
    ! appointment 2026-06-02 08:30
    ! pending
    ! reminder
    > 1
    < Recibimos su solicitud. Sonrisa la revisará
    = coming none
    = appointments 2026-06-02 08:30 pending manual`,
  'two asks whether to cancel it': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > 2
    < ¿Cancelo esta cita? [Sí, cancelar] [Cambiar] [No, conservarla]
    > sí
    < Su cita fue cancelada
    = appointments 2026-06-02 08:30 cancelled manual`,
  'yes to a recall begins a booking': `
    ! recall
    > Sí
    < ¿Con quién desea su cita?`,
  'no to a recall': `
    ! recall
    > no
    < Cuando desee agendar`,
  'opting out is confirmed once': `
    ! known Rosa Díaz
    > Baja
    < no le enviaremos más invitaciones
    = opted-out true
    > BAJA
    < -
    > alta
    < volveremos a avisarle
    = opted-out false`,
  'opting out in English': `
    ! known Rosa Díaz
    > hello
    > STOP
    < no more check-up invitations
    = opted-out true
    > start
    < a check-up is due
    = opted-out false`,
  'only the exact words opt out': `
    ! known Rosa Díaz
    > ¿me pueden dar de baja la cita?
    < ¿Con quién desea su cita?
    = opted-out false`,
  'salir in the middle of a booking opts out and releases the slot': `
    ! known Rosa Díaz
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    > SALIR
    < no le enviaremos más invitaciones
    = drafts 0
    = opted-out true`,
  'a person is asked for, and the bot falls silent': `
    > quiero hablar con una persona
    < le escribirá por aquí lo antes posible
    = mode human
    > hola
    < -
    ! release
    > hola
    < asistente de Sonrisa`,
  'a person in English, by the menu': `
    > hello
    > [Speak to a person]
    < Somebody of Sonrisa will write to you
    = mode human`,
  'silent while a person has the conversation, in the middle of a booking': `
    > agendar
    ! takeover
    > [Dra. Ana Rivas]
    < -
    ! release
    > [Dra. Ana Rivas]
    < ¿qué día le conviene?`,
  'opting out and in again works while a person has the conversation': `
    ! known Rosa Díaz
    > hola
    ! takeover
    > baja
    < -
    = opted-out true
    > Alta
    < -
    = opted-out false`,
  'a bot that is switched off only stores': `
    ! bot off
    > hola
    < -
    ! bot on
    > hola
    < asistente de Sonrisa`,
  'a picture': `
    > {image}
    < no puedo verlo [Hablar con alguien] [Menú]`,
  'a picture in the middle of a booking': `
    > agendar
    > [Dra. Ana Rivas]
    > {document}
    < ¿qué día le conviene? [mar 2 jun]`,
  'a recording': `
    > {audio}
    < no puedo escucharlo. ¿Desea que una persona le ayude? [Hablar con alguien] [Menú]`,
  'a location': `
    > {location}
    < Recibí su ubicación. ¿Desea que una persona le ayude? [Hablar con alguien]`,
  'a contact in the middle of a booking': `
    > agendar
    > {contacts}
    < Recibí el contacto. ¿Con quién desea su cita?`,
  'an order is for a person': `
    > {order}
    < Recibí su pedido. Una persona de Sonrisa lo revisará
    = mode human`,
  'a kind of message that is new': `
    > {hologram}
    < No puedo ver ese tipo de mensaje [Hablar con alguien]`,
  'stickers and reactions get no answer': `
    > {sticker}
    < -
    > {reaction}
    < -`,
  'a thumb agrees, other emoji are not understood': `
    ! appointment 2026-06-02 08:30
    ! reminder
    > 👍🏽
    < Su cita está confirmada
    > 🌵
    < no le entendí`,
  thanks: `
    > ¡Muchas gracias!
    < Con mucho gusto`,
  'a word of both languages changes none': `
    > hola
    > Menú
    < ¿En qué le puedo ayudar?`,
  'from Spanish to English and back in one conversation': `
    > hola
    < ¿En qué le puedo ayudar?
    > hello
    < How can I help you?
    > buenos días
    < ¿En qué le puedo ayudar?`,
};

describe('journeys', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(40);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));

  test('a message that is older than the 24 hours of the window is not answered; an opt-out in it holds', async () => {
    const { clinic, phone } = await runScript(bot, '! known Rosa Díaz');
    const before = new Date(bot.clock.now().getTime() - 24 * 3_600_000);
    for (const text of ['hola', 'BAJA']) await bot.deliver(message(clinic.numberId, phone, { text }, undefined, before));
    await bot.settled();
    expect((await bot.messagesOf(clinic.id, phone)).map(({ direction }) => direction)).toEqual(['in', 'in']);
    await runScript(bot, '= opted-out true\n> hola\n< asistente de Sonrisa', { clinic, phone });
  });

  test('with one doctor nobody is asked for the doctor', async () => {
    const clinic = await bot.clinic({ doctors: ['Dra. Ana Rivas'] });
    await runScript(bot, '> agendar\n< Dra. Ana Rivas: ¿qué día le conviene?', { clinic });
  });

  test('a name of the profile that is no person’s name is not suggested', async () => {
    const script = `
    > agendar
    > [Dra. Ana Rivas]
    > [mar 2 jun]
    > [8:30 a. m.]
    < ¿A nombre de quién?`;
    const { clinic, phone } = await runScript(bot, script, { profileName: '🦷✨' });
    expect((await bot.messagesOf(clinic.id, phone)).at(-1)?.content.choices).toBeUndefined();
  });

  test('a long name of a doctor is shown as a whole', async () => {
    const clinic = await bot.clinic({ doctors: ['Dra. María Alejandra González Paz', 'Dra. María Alejandra González Ruiz'] });
    const { phone } = await runScript(bot, '> agendar', { clinic });
    expect((await bot.messagesOf(clinic.id, phone)).at(-1)?.content.choices).toMatchObject([
      { title: 'Dra. María Alejandra Go…', description: 'Dra. María Alejandra González Paz' },
      { title: 'Dra. María Alejandra Go…', description: 'Dra. María Alejandra González Ruiz' },
    ]);
  });

  test('more doctors than a list holds come in pages', async () => {
    const clinic = await bot.clinic({ doctors: Array.from({ length: 12 }, (_, index) => `Doctor ${String.fromCharCode(65 + index)}`) });
    await runScript(bot, '> agendar\n< ¿Con quién [Doctor A] [Ver más]\n> [Ver más]\n< ¿Con quién [Doctor L]', { clinic });
  });

  test('a turn asks scheduling once for what it needs twice', async () => {
    const { clinic, phone } = await runScript(bot, '> agendar');
    const before = bot.scheduling.state.doctorLists;
    await runScript(bot, '> asdf\n< ¿Con quién', { clinic, phone });
    expect(bot.scheduling.state.doctorLists - before).toBe(1);
  });

  test('without doctors a person is asked for', async () => {
    await runScript(bot, '> agendar\n< Una persona de Sonrisa le escribirá\n= mode human', { clinic: await bot.clinic({ doctors: [] }) });
  });

  test('of two concurrent requests for a slot one gets it, the other is offered other times', async () => {
    const clinic = await bot.clinic();
    const both = [bot.phone(), bot.phone()];
    for (const phone of both) await runScript(bot, '> agendar\n> [Dra. Ana Rivas]\n> [mar 2 jun]', { clinic, phone });
    const [first] = both;
    const offered = (await bot.messagesOf(clinic.id, first ?? '')).flatMap(({ content }) => content.choices ?? []);
    const choice = offered.find(({ title }) => title === '8:30 a. m.') ?? { id: '', title: '' };
    await Promise.all(both.map((phone) => bot.deliver(message(clinic.numberId, phone, { choice }))));
    await bot.settled();
    const last = await Promise.all(both.map(async (phone) => (await bot.messagesOf(clinic.id, phone)).at(-1)?.content.text ?? ''));
    expect(last.filter((text) => text.includes('¿A nombre de quién?'))).toHaveLength(1);
    expect(last.filter((text) => text.includes('acaba de ocuparse'))).toHaveLength(1);
  });

  test('while scheduling is unavailable the turn is retried, and the message is answered once', async () => {
    const { clinic, phone } = await runScript(bot, '> hola');
    bot.scheduling.state.unavailable = true;
    await bot.deliver(message(clinic.numberId, phone, { text: 'agendar' }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    bot.scheduling.state.unavailable = false;
    bot.clock.advance(60_000);
    await bot.settled();
    const thread = await bot.messagesOf(clinic.id, phone);
    expect(thread.map(({ direction }) => direction)).toEqual(['in', 'out', 'in', 'out']);
    expect(thread.at(-1)?.content.text).toContain('¿Con quién');
  });
});
