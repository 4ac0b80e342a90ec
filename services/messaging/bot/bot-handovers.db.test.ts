// Handovers to a person, takeovers, emergencies, complaints and opt-outs.
import { describe, expect, test } from '@jest/globals';
import { runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
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
  'STOP and START are words of every language': `
    ! known Rosa Díaz
    > STOP
    < no le enviaremos más invitaciones
    > START
    < volveremos a avisarle
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
  'after a request for a person the bot is silent': `
    > quiero hablar con una persona
    < le escribirá por aquí lo antes posible
    = mode human person
    > hola
    < -
    ! release
    > hola
    < asistente de Sonrisa`,
  'the reason of a handover is shown until the conversation is released': `
    > quiero hablar con una persona
    < le escribirá por aquí lo antes posible
    ! takeover
    = mode human person
    ! release
    = mode bot
    ! takeover
    = mode human`,
  'a person in English, by the menu': `
    > hello
    > [Speak to a person]
    < Somebody of Sonrisa will write to you
    = mode human person`,
  'the bot is silent during a takeover in the middle of a booking': `
    > agendar
    ! takeover
    > [Dra. Ana Rivas]
    < -
    ! release
    > [Dra. Ana Rivas]
    < ¿qué día le conviene?`,
  'what a user writes ends the question of the bot': `
    ! appointment 2026-06-03 09:00
    > cancelar
    < ¿Cancelo esta cita?
    ! writes ¿La cambiamos mejor para el viernes?
    ! release
    > sí
    < asistente de Sonrisa
    = appointments 2026-06-03 09:00 confirmed manual
    > cancelar
    > sí
    < Su cita fue cancelada`,
  'what a user writes leaves the buttons of the question as they are': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz
    ! writes Le atenderá la doctora Rivas
    ! release
    > [Sí, agendar]
    < Su cita está agendada`,
  'what a user writes ends the question of a reminder': `
    ! appointment 2026-06-02 09:00
    ! reminder
    ! writes ¿Le cambiamos la cita?
    ! release
    > sí
    < asistente de Sonrisa
    > sí
    < asistente de Sonrisa
    ! writes Le avisamos cuando le toque su control
    ! release
    @ 1m
    ! recall
    > sí
    < ¿Con quién desea su cita?`,
  'opting out and in again works during a takeover': `
    ! known Rosa Díaz
    > hola
    ! takeover
    > baja
    < -
    = opted-out true
    > Alta
    < -
    = opted-out false`,
  'a bot that is switched off only stores messages': `
    ! bot off
    > hola
    < -
    ! bot on
    > hola
    < asistente de Sonrisa`,
  'an order is for a person': `
    > {order}
    < Recibí su pedido. Una persona de Sonrisa lo revisará
    = mode human order`,
  'an emergency is handed over': `
    > agendar
    > [Dra. Ana Rivas]
    > me duele muchisimo la muela, esta sangrando, ayuda urgente
    < Una persona de Sonrisa le escribirá por aquí lo antes posible. Si es grave, vaya al hospital más cercano.
    = mode human emergency`,
  'complaints and requests for a person': `
    > quiero poner una queja
    < le escribirá por aquí
    = mode human person`,
  'opting out in a sentence': `
    ! known Rosa Díaz
    > ya no me manden mensajes por favor
    < no le enviaremos más invitaciones
    = opted-out true`,
  'after two messages that are not understood, a person is offered': `
    > asdf qwerty
    < no le entendí [Agendar cita]
    > qwerty asdf
    < ¿Desea que una persona le ayude? [Hablar con alguien] [Menú]
    > hola
    < asistente de Sonrisa
    > asdf
    < no le entendí [Agendar cita]`,
  'after two messages that are not understood, the question stays open': `
    > agendar
    > asdf
    < no le entendí. Puede escribirme con otras palabras o elegir una opción. ¿Con quién
    > asdf
    < ¿Desea que una persona le ayude? [Hablar con alguien]
    > Rivas
    < Dra. Ana Rivas: ¿qué día le conviene?`,
  'yes to the offer of a person': `
    > {audio}
    < ¿Desea que una persona le ayude?
    > sí, por favor
    < Una persona de Sonrisa le escribirá
    = mode human person`,
  'no to the offer of a person': `
    > {audio}
    > no gracias
    < Cuando desee agendar, escríbanos
    > agendar
    > asdf
    > asdf
    < ¿Desea que una persona le ayude?
    > no
    < ¿Con quién desea su cita?
    = mode bot`,
  'yes to the offer of a person cancels nothing and books nothing': `
    ! appointment 2026-06-03 09:00
    > cancelar
    > asdf
    > asdf
    < ¿Desea que una persona le ayude?
    > sí
    < Una persona de Sonrisa le escribirá
    = appointments 2026-06-03 09:00 confirmed manual
    = mode human person`,
  'a complaint in other words': `
    > la doctora me trató mal
    < Una persona de Sonrisa le escribirá
    = mode human person`,
  'a wrong number is for a person': `
    > número equivocado
    = mode human person`,
  'an emergency in other words': `
    > no puedo ni dormir del dolor
    < Lamento mucho lo que le pasa
    = mode human emergency`,
  'the bot of a clinic that has expired is silent, but stores an opt-out': `
    ! known Rosa Díaz
    ! expired
    > hola
    < -
    > BAJA
    < -
    = opted-out true
    ! renewed
    > hola
    < asistente de Sonrisa`,
  'an opt-out is stored while the feature is switched off': `
    ! known Rosa Díaz
    ! features reminders
    > BAJA
    < -
    = opted-out true`,
  'a complaint gets no cheerful reply': `
    > son unos ladrones
    < Lamentamos lo sucedido. Una persona de Sonrisa le escribirá
    = mode human person`,
  'a wrong number in English': `
    > sorry, wrong number
    < Of course. Somebody of Sonrisa
    = mode human person`,
  'a question about the waitlist, and a patient whom nobody answers': `
    > ¿estoy en lista de espera?
    < Una persona de Sonrisa
    ! release
    > xq no contestan??
    < Una persona de Sonrisa`,
};

describe('handovers and opt-outs', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(28);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));
});
