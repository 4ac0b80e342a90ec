// Booking in sentences: doctors, types and confirmations as patients name them.
import { describe, expect, test } from '@jest/globals';
import { runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
  'a price and an appointment in one message: both are answered': `
    ! faq limpieza,precio: La limpieza cuesta 35 dólares
    > ¿cuánto cuesta una limpieza? quiero cita mañana
    < La limpieza cuesta 35 dólares ¿Con quién desea su cita?
    > Rivas
    < martes 2 de junio: ¿a qué hora?
    > a las 9, ¿y cuánto cuesta la limpieza?
    < La limpieza cuesta 35 dólares 📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    > ¿cuánto cuesta la limpieza?
    < La limpieza cuesta 35 dólares 📅 martes 2 de junio
    > menu
    > necesito cita el viernes, que precio tiene la limpieza
    < La limpieza cuesta 35 dólares ¿Con quién desea su cita?
    > menu
    > ¿cuánto cuesta la limpieza?
    < La limpieza cuesta 35 dólares`,
  'a price that the clinic has not entered, and an appointment': `
    > ¿cuánto cuesta una corona? quiero cita mañana con Rivas
    < No tengo esa información por aquí. Si la necesita, escriba «Hablar con alguien». Dra. Ana Rivas, martes 2 de junio: ¿a qué hora?
    > ¿hacen blanqueamiento?
    < No tengo esa información por aquí. Si la necesita, escriba «Hablar con alguien». Dra. Ana Rivas, martes 2 de junio: ¿a qué hora?
    > Hablar con alguien
    < Con gusto. Una persona`,
  'misspelled words': `
    ! faq limpieza: La limpieza cuesta 35 dólares
    > ola kiero una sita x favor, q presio tiene la limpiesa
    < La limpieza cuesta 35 dólares ¿Con quién desea su cita?
    > Rivas
    < ¿qué día le conviene?
    > el biernes x la mañana
    < viernes 5 de junio: ¿a qué hora? [8:00 a. m.]
    > alas 9
    < viernes 5 de junio, 9:00 a. m., Dra. Ana Rivas`,
  'another doctor or type while the day or the time is asked': `
    ! type 30 Control
    ! type 60 Limpieza
    > quiero un control con Rivas el viernes
    < Dra. Ana Rivas, viernes 5 de junio: ¿a qué hora?
    > mejor con el doctor Paz
    < Dr. Luis Paz, viernes 5 de junio: ¿a qué hora?
    > mejor una limpieza
    < Dr. Luis Paz, viernes 5 de junio: ¿a qué hora?
    > a las 9
    < viernes 5 de junio, 9:00 a. m., Dr. Luis Paz
    > Rosa Díaz
    < A nombre de: Rosa Díaz
    > mejor un control con el mismo doctor
    < Dr. Luis Paz, viernes 5 de junio: ¿a qué hora?
    > a las 9
    > Rosa Díaz
    > mejor una limpieza con la doctora Rivas
    < Dra. Ana Rivas, viernes 5 de junio: ¿a qué hora?
    = drafts 0
    > [8:00 a. m.]
    > Rosa Díaz
    > sí
    < agendada
    = type Limpieza`,
  'a request in several messages': `
    ! type 30 Control
    ! type 60 Limpieza
    > hola
    > quiero
    < ¿Qué tipo de cita desea?
    > una cita
    < ¿Qué tipo de cita desea?
    > para el viernes
    < De acuerdo, lo tomo en cuenta. ¿Qué tipo de cita desea?
    > con Rivas
    < De acuerdo, lo tomo en cuenta. ¿Qué tipo de cita desea?
    > buenas
    < ¿Qué tipo de cita desea?
    > un control
    < Dra. Ana Rivas, viernes 5 de junio: ¿a qué hora?`,
  'an appointment by its type alone': `
    ! type 30 Control
    ! type 60 Limpieza
    ! faq limpieza: La limpieza cuesta 35 dólares
    > quiero una limpieza para mañana
    < ¿Con quién desea su cita?
    > menu
    > limpieza
    < La limpieza cuesta 35 dólares
    > quisiera hacer una consulta
    < no le entendí`,
  'the doctor of the first message is not asked for after the type, and a day before its question is remembered': `
    ! type 30 Control
    ! type 60 Limpieza
    > quiero una cita con la doctora Rivas
    < ¿Qué tipo de cita desea?
    > el viernes en la mañana
    < De acuerdo, lo tomo en cuenta. ¿Qué tipo de cita desea?
    > Control
    < Dra. Ana Rivas, viernes 5 de junio: ¿a qué hora? [8:00 a. m.]
    > el 30
    < martes 30 de junio`,
  'any doctor is the one who is free first': `
    ! other-patient 2026-06-01 08:30
    > agendar
    > me da igual
    < Dr. Luis Paz: ¿qué día le conviene?`,
  'another time at the confirmation': `
    ! known Rosa Díaz
    > agendar
    > Rivas
    > [mar 2 jun]
    > [8:30 a. m.]
    < A nombre de: Rosa Díaz
    > gracias!!
    < ¡Con mucho gusto! ¿Agendo esta cita?
    > mejor a las 9
    < ¿Agendo esta cita? 📅 martes 2 de junio, 9:00 a. m.
    = drafts 1
    > mejor no, cancelela
    < no hice ningún cambio
    = drafts 0`,
  'a question between two steps is answered, and the step is repeated': `
    ! faq parqueo,estacionamiento: Sí hay parqueo gratis
    > agendar
    > [Dra. Ana Rivas]
    > ¿tienen parqueo?
    < Sí hay parqueo gratis Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]`,
  'another doctor while the name is asked for': `
    > cita con Rivas mañana a las 9
    < ¿A nombre de quién?
    > no, mejor con el doctor Paz
    < Dr. Luis Paz, martes 2 de junio: ¿a qué hora?
    = drafts 0
    > a las 10
    > mejor déjelo así
    < no hice ningún cambio
    > cita con Rivas mañana a las 9
    > déjelo así
    < no hice ningún cambio`,
  'the doctor by the place in the list, or any': `
    > agendar
    < ¿Con quién desea su cita?
    > con la segunda
    < Dra. Ana Rivas: ¿qué día le conviene?
    > menu
    > cita mañana con la primera que tenga campo
    < martes 2 de junio: ¿a qué hora?
    > muchas gracias, que Dios le bendiga
    < ¡Con mucho gusto! Dr. Luis Paz, martes 2 de junio: ¿a qué hora?`,
  'the other weekday of the shown day, and a corrected name': `
    > cita con Rivas el viernes
    < viernes 5 de junio: ¿a qué hora?
    > no, el otro viernes
    < viernes 12 de junio: ¿a qué hora?
    > a las 9
    > Pedro Pablo
    < A nombre de: Pedro Pablo
    > no era así, es Pedro Pérez
    < A nombre de: Pedro Pérez
    > No, Noé Pérez
    < A nombre de: Noé Pérez`,
  'of doctors with the same surname, the title decides': `
    ! doctor Dra. Eva Paz
    > cita mañana a las 9 con el Dr. Paz
    < martes 2 de junio, 9:00 a. m., Dr. Luis Paz
    > menu
    > cita mañana a las 9
    < ¿Con quién desea su cita?
    > la doctora Paz
    < martes 2 de junio, 9:00 a. m., Dra. Eva Paz
    > menu
    > cita mañana a las 9, no con el doctor Luis, mejor con la doctora Rivas
    < ¿Con quién desea su cita?
    > menu
    > cita el viernes que tenga cupo
    < ¿Con quién desea su cita?
    > menu
    > cita mañana a las 9
    > menu
    > cita mañana
    > Paz
    < no le entendí`,
  'a patient who wants to think about it has not booked': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz
    > déjeme ver con mi esposo y le confirmo
    < Con mucho gusto
    = appointments none
    = drafts 0`,
  'the confirmation is agreed to in other words': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz DUI 04567890-1
    < A nombre de: Rosa Díaz
    > agéndela por favor
    < Su cita está agendada
    = name Rosa Díaz`,
  'a type and a day without a verb, although the FAQ has the type': `
    ! type 30 Control
    ! type 60 Limpieza
    ! faq limpieza: La limpieza cuesta 35 dólares
    > para mañana tipo 10 con Rivas pa una limpieza
    < martes 2 de junio, 10:00 a. m., Dra. Ana Rivas
    > menu
    > ¿cuánto cuesta la limpieza el sábado?
    < La limpieza cuesta 35 dólares`,
  'types in English': `
    ! type 30 Primera consulta
    ! type 60 Limpieza
    > I need a teeth cleaning tomorrow
    < Who would you like to see?
    > menu
    > I would like an appointment
    < What kind of appointment would you like?
    > a check-up
    < Who would you like to see?`,
  'words that end a booking': `
    > quiero una cita
    > no mejor no
    < no hice ningún cambio`,
  'another doctor, without a name': `
    > cita con Rivas mañana
    < Dra. Ana Rivas, martes 2 de junio: ¿a qué hora?
    > mejor otro doctor
    < ¿Con quién desea su cita? [Dr. Luis Paz]
    > Paz
    < Dr. Luis Paz, martes 2 de junio: ¿a qué hora?`,
  'no to a question of the booking ends it': `
    > quiero una cita
    < ¿Con quién desea su cita?
    > no
    < no hice ningún cambio
    > cita con Rivas mañana a las 9
    < ¿A nombre de quién?
    > no
    < no hice ningún cambio
    = drafts 0`,
  'a question about the payment does not cancel, a price is no name, and a later confirmation books nothing': `
    ! faq limpieza: La limpieza cuesta 35 dólares
    > quiero cita mañana a las 9 con Rivas
    < ¿A nombre de quién?
    > precio de la limpieza
    < La limpieza cuesta 35 dólares 📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas
    > Rosa Díaz
    < ¿Agendo esta cita?
    > ¿puedo cancelar en efectivo?
    < No tengo esa información por aquí. Si la necesita, escriba «Hablar con alguien». ¿Agendo esta cita?
    > tengo que confirmar con mi esposo
    < Con mucho gusto
    = appointments none
    = drafts 0`,
};

describe('booking in sentences', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(18);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));
});
