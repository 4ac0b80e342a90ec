// Booking in sentences: days, times, doctors and people as patients name them.
import { describe, expect, test } from '@jest/globals';
import { runScript, useBot } from '../testing/conversation-script.ts';

const bot = await useBot();

const JOURNEYS: Record<string, string> = {
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
  'half hours and quarters, in words': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > 8 y media
    < martes 2 de junio, 8:30 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    > mejor a las diez y media de la mañana
    < martes 2 de junio, 10:30 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    = drafts 1
    > Rosa Díaz
    > sí porfa
    < agendada`,
  'numbers that are no clock times hold nothing': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > antes de las 10
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.] [9:30 a. m.] ![10:00 a. m.] [Más horas]
    > a las 9 no puedo
    < De acuerdo, veamos otra hora [8:00 a. m.]
    > después de las 10 y media
    < ¿a qué hora? [10:30 a. m.] [11:30 a. m.] ![10:00 a. m.] [Más horas]
    > [Más horas]
    < ¿a qué hora? [8:00 a. m.]
    > mejor en 3 dias
    < jueves 4 de junio: ¿a qué hora?
    = drafts 0`,
  'a part of the day without free times': `
    > agendar
    > Rivas
    > mañana en la tarde
    < Dra. Ana Rivas no atiende en ese horario. Estas son las horas libres: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:00 a. m.]`,
  'a part of the day whose times are taken': `
    ! other-patient 2026-06-02 08:00
    > cita con Rivas mañana antes de las 8 y media
    < Ese día no hay cupo en ese horario. Estas son las horas libres: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:30 a. m.]`,
  'an hour at which the doctor does not work: the nearest times': `
    > cita con Rivas mañana a las 8 de la noche
    < Dra. Ana Rivas no atiende a esa hora (8:00 p. m.). Estas son las horas libres más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [11:30 a. m.] [Más horas]
    > a las 3 de la madrugada
    < Dra. Ana Rivas no atiende a esa hora (3:00 a. m.). Estas son las horas libres más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [8:00 a. m.]
    > a las 12 de la noche
    < Dra. Ana Rivas no atiende a esa hora (12:00 a. m.)
    > a medio día
    < Dra. Ana Rivas no atiende a esa hora (12:00 p. m.). Estas son las horas libres más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [11:30 a. m.]
    = drafts 0`,
  'an hour of today that is over': `
    > cita con Rivas hoy a las 8
    < Esa hora (8:00 a. m.) ya pasó. Estas son las horas más cercanas: Dra. Ana Rivas, lunes 1 de junio: ¿a qué hora? [8:30 a. m.]`,
  'days that are over and days that do not exist': `
    > quiero una cita para el 31 de junio
    < Esa fecha no existe. ¿Con quién desea su cita?
    > el 15 de mayo
    < Esa fecha ya pasó. ¿Con quién desea su cita?
    > Rivas
    < Dra. Ana Rivas: ¿qué día le conviene?
    > ayer
    < Esa fecha ya pasó. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > el 31 de febrero a las 10
    < Esa fecha no existe. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > mañana
    < martes 2 de junio, 10:00 a. m.
    > mejor el viernes pasado
    < Esa fecha ya pasó. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > mañana a las 9
    < ¿A nombre de quién?
    > mejor el 30 de febrero
    < Esa fecha no existe. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    = drafts 0`,
  'an appointment is not moved to a day that does not exist': `
    ! appointment 2026-06-03 08:00
    > quiero pasar mi cita para el 31 de junio
    < Esa fecha no existe. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > ayer a las 10
    < Esa fecha ya pasó. Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]
    > mañana a las 10
    < ¿Cambio su cita?`,
  'a past day that the message only mentions is not asked for': `
    > ayer me dolió la muela, quiero una cita con Rivas mañana a las 9
    < martes 2 de junio, 9:00 a. m., Dra. Ana Rivas
    > menu
    > el lunes pasado fui, quiero otra cita con Rivas
    < Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]`,
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
  'minutes before and after the hour': `
    > cita con Rivas mañana 10 para las 4
    < no atiende a esa hora (3:50 p. m.)
    > un cuarto para las 5
    < no atiende a esa hora (4:45 p. m.)
    > las 4 y cuarto
    < no atiende a esa hora (4:15 p. m.)
    > 9 y media
    < martes 2 de junio, 9:30 a. m.`,
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
  'a child who shares a name with a doctor does not choose the doctor': `
    > quiero una cita para mi hija Ana López el viernes a las 10
    < ¿Con quién desea su cita?
    > Paz
    < viernes 5 de junio, 10:00 a. m., Dr. Luis Paz`,
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
    > mejor con la doctora Rivas
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
  'a question for a day alone': `
    > ¿tiene para mañana?
    < ¿Con quién desea su cita?
    > Rivas
    < martes 2 de junio: ¿a qué hora?
    > menu
    > ¿y para el 31 de febrero?
    < Esa fecha no existe. ¿Con quién desea su cita?
    > menu
    > nos vemos mañana
    < no le entendí`,
  'the first hour is not the first consultation': `
    ! type 30 Primera cita
    ! type 60 Limpieza
    > quiero cita mañana a primera hora
    < ¿Qué tipo de cita desea?
    > primera cita
    < ¿Con quién desea su cita?
    > Rivas
    < martes 2 de junio: ¿a qué hora? [8:00 a. m.]`,
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
  'a part of the day, with the day and then without': `
    > agendar
    > Rivas
    > el viernes antes de las 9
    < viernes 5 de junio: ¿a qué hora? [8:00 a. m.] [8:30 a. m.] ![9:00 a. m.]
    > en la mañana
    < viernes 5 de junio: ¿a qué hora? [8:00 a. m.] [9:00 a. m.]`,
  'day and time of the first message are used after type and doctor': `
    ! type 30 Control
    ! type 60 Limpieza
    > Buenas, me puede agendar para el viernes a las 10 am porfa
    < ¿Qué tipo de cita desea?
    > [Control]
    < ¿Con quién desea su cita?
    > [Dra. Ana Rivas]
    < viernes 5 de junio, 10:00 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?
    = drafts 1`,
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
  'the time of the first message is used after the day': `
    > quiero una cita a las 9 y media
    > 2
    < ¿qué día le conviene?
    > [mar 2 jun]
    < martes 2 de junio, 9:30 a. m., Dra. Ana Rivas La hora está reservada por 5 minutos. ¿A nombre de quién?`,
  'a remembered time that is taken: the nearest times': `
    ! other-patient 2026-06-02 10:00
    > quiero una cita mañana a las 10 con Rivas
    < A esa hora (10:00 a. m.) ya no hay cupo. Estas son las horas más cercanas: Dra. Ana Rivas, martes 2 de junio: ¿a qué hora? [9:30 a. m.] [10:30 a. m.]
    = drafts 0`,
  'day and time in one message of the booking': `
    > agendar
    > Rivas
    > el viernes a las 10
    < viernes 5 de junio, 10:00 a. m., Dra. Ana Rivas
    = drafts 1`,
  'a time before the day is remembered': `
    > agendar
    > Rivas
    > a las 9 y media
    < De acuerdo, lo tomo en cuenta. Dra. Ana Rivas: ¿qué día le conviene?
    > el viernes
    < viernes 5 de junio, 9:30 a. m., Dra. Ana Rivas`,
  'a wish is forgotten after the menu': `
    > quiero una cita el viernes
    < ¿Con quién
    > menu
    > agendar
    > Rivas
    < ¿qué día le conviene?`,
  'the first free times': `
    > agendar
    > Rivas
    > lo mas pronto posible
    < Estas son las primeras horas libres: Dra. Ana Rivas, lunes 1 de junio: ¿a qué hora?`,
  'some day of the next week': `
    > agendar
    > Rivas
    > la otra semana
    < ¿qué día le conviene? [lun 8 jun] ![mar 2 jun]`,
  'a date that is not on the weekday': `
    > agendar
    > Rivas
    > lunes 9 de junio
    < La fecha no coincide con el día de la semana: esa fecha es martes 9 de junio. Dra. Ana Rivas: ¿qué día le conviene? [lun 8 jun] [mar 9 jun]`,
  'fifteen days are two weeks if that day does not suit': `
    ! closed 2026-06-16
    > agendar
    > Rivas
    > en quince dias
    < lunes 15 de junio: ¿a qué hora?`,
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
  'another time at the confirmation keeps the name': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > [8:30 a. m.]
    > Pedro Gómez
    > mejor a las 9
    < ¿Agendo esta cita? 📅 martes 2 de junio, 9:00 a. m., Dra. Ana Rivas A nombre de: Pedro Gómez
    > dale
    < agendada
    = appointments 2026-06-02 09:00 confirmed chat
    = name Pedro Gómez`,
  'a relative is not a name': `
    > agendar
    > Rivas
    > [mar 2 jun]
    > [8:30 a. m.]
    > para mi esposa
    < escriba el nombre
    > es para mi mamá que se llama Rosa Elvira Campos
    < A nombre de: Rosa Elvira Campos
    > sí
    < agendada
    = name Rosa Elvira Campos`,
  'another person is shown in the confirmation': `
    ! known Rosa Díaz
    > agendar
    > Rivas
    > [mar 2 jun]
    > [8:30 a. m.]
    > otro nombre
    > Ana Díaz
    > si gracias
    < Su cita está agendada: 📅 martes 2 de junio, 8:30 a. m., Dra. Ana Rivas, Ana Díaz
    = name Rosa Díaz`,
  'a question between two steps is answered, and the step is repeated': `
    ! faq parqueo,estacionamiento: Sí hay parqueo gratis
    > agendar
    > [Dra. Ana Rivas]
    > ¿tienen parqueo?
    < Sí hay parqueo gratis Dra. Ana Rivas: ¿qué día le conviene? [mar 2 jun]`,
  'a question is not taken for a name': `
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
    < A nombre de: Lucía
    > [Otro nombre]
    > Rosa Díaz
    < A nombre de: Rosa Díaz`,
  'another name at the confirmation': `
    > cita con Rivas mañana a las 9
    > Rosa Díaz
    > mejor a nombre de mi mamá, Teresa Díaz
    < A nombre de: Teresa Díaz
    > sí
    = name Teresa Díaz`,
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
  'a name that shares a word with a dependant is another person': `
    ! known Rosa Díaz
    ! dependant Carlos Pérez
    > cita con Rivas mañana a las 9
    < ¿Para quién es la cita?
    > Ana Díaz
    < A nombre de: Ana Díaz
    > sí
    = booked-for Rosa Díaz
    = notes Por chat, para: Ana Díaz
    > cita con Rivas mañana a las 10
    > [Otra persona]
    > Carlos
    < A nombre de: Carlos Pérez`,
  'the first and the last times': `
    > cita con Rivas mañana
    > a primera hora
    < ¿a qué hora? [8:00 a. m.]
    > lo más tarde que tenga
    < ¿a qué hora? [11:30 a. m.] ![8:00 a. m.] [Más horas]`,
  'a question for free times': `
    > ¿Hay espacio para mañana?
    < ¿Con quién desea su cita?
    > Rivas
    < martes 2 de junio: ¿a qué hora?
    > menu
    > Buenos días doctora, ¿me puede atender mañana?
    < ¿Con quién desea su cita?`,
};

describe('booking in sentences', () => {
  expect(Object.keys(JOURNEYS).length).toBeGreaterThanOrEqual(47);
  for (const [name, script] of Object.entries(JOURNEYS)) test(name, async () => void (await runScript(bot, script)));
});
