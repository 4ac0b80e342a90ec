// First and last names that are common in Central America, and ordinary words that are not names, although they may begin with a capital letter.
// In lower case and without accents.

const set = (text: string) => new Set(text.trim().split(/\s+/));

export const COMMON_NAMES = set(`
  adela adriana agustin alba alberto alejandra alejandro alexander alfredo alicia alma amanda amelia ana anabel andrea andres angel angela angelica antonia antonio
  armando arturo aurora beatriz benjamin berta blanca brenda bryan camila carla carlos carmen carolina catalina cecilia cesar christian claudia concepcion
  consuelo cristina cristian dagoberto daniel daniela david delmy diana diego dinora doris douglas edgar edgardo eduardo edwin elena elias elizabeth elmer elsa emilio
  enrique ernesto esmeralda esperanza esteban estela esther eugenia eva evelyn fabiola fatima federico felipe fernanda fernando fidel flor francisca
  francisco gabriel gabriela genesis gerardo gilberto gladis gloria graciela guadalupe guillermo gustavo hector heidi henry herbert hugo ignacio ines irene iris irma
  isabel ismael ivan ivette jacqueline jaime javier jeannette jennifer jessica jesus joaquin joel jonathan jorge jose josefina josue juan juana juana julia
  julian julio karen karina karla katherine kevin laura leonardo leticia lidia lilian lisseth lorena lourdes lucas lucia luis luisa luz magdalena manuel marcela marcos
  margarita maria mariana maricela marina mario maritza marlene marta martha martin mateo matias mauricio mayra melissa mercedes miguel milagro mirian mirna moises
  monica morena nancy natalia nelson nestor nicolas noe noemi nora norma odalis olga omar oscar otilia pablo paola patricia paula pedro rafael ramiro ramon raquel raul
  rebeca reina rene ricardo rigoberto roberto rocio rodolfo rodrigo rogelio ronald rosa rosario roxana ruben ruth salvador samuel sandra santiago santos sara saul
  sebastian sergio silvia sofia sonia stefany susana tania tatiana teresa tomas valentina valeria vanessa veronica vicente victor victoria vilma wendy
  william wilfredo ximena yanira yesenia yolanda zoila
  aguilar aguirre alas alfaro alvarado alvarenga alvarez amaya andrade aparicio aquino arevalo argueta arias ayala baires barahona barrera barrientos benitez
  bonilla bolanos calderon campos canales carballo cardona carranza carrillo castaneda castellanos castillo castro cerna cerritos chavez chicas cisneros contreras
  cornejo cortez cruz cuellar delgado diaz dominguez duran echeverria escobar escobedo espinoza estrada fernandez figueroa flores fuentes galdamez garay
  garcia gomez gonzalez granados guardado guerra guerrero guevara guillen gutierrez henriquez hernandez herrera iraheta jimenez jovel juarez lara lemus leiva
  linares lopez lovo luna machado magana maldonado marroquin marquez martinez mejia melara melendez melgar membreno mendez mendoza menjivar merino miranda molina monge montano
  monterrosa morales moran moreno munoz nativi navarrete navarro nolasco orellana ortega ortiz osorio pacheco palacios paredes parada pena peralta perdomo pereira
  perez pineda polanco ponce portillo posada quijano quintanilla ramirez ramos renderos reyes rios rivas rivera robles rodas rodriguez rojas romero rosales rubio ruiz saavedra salazar
  salguero salinas sanchez sandoval santamaria santana segovia serrano solis solorzano sorto soto sosa suarez tobar torres turcios urrutia valencia valladares valle vargas
  vasquez vega velasco velasquez ventura vigil villalobos villalta villanueva villatoro zaldivar zamora zavala zelaya zelada zepeda zuniga`);

const TYPED = [
  ' actualmente adeuda adeudan anything back celular cell child cliente clientes contact daughter details don dona expediente expedientes file hija hijo info into kid mobile mr mrs ms nina nino off oye porfa porfavor profile record something son still thing total tuvo urgente vendra yet',
  ' tell', // plain-words: tell is what people type
  ' visit', // plain-words: visit is what people type
  ' visits', // plain-words: visits is what people type
].join('');

export const NO_NAMES = set(`
  a abre acaba actual agenda agendado agendar agendame agendas ahora al algo alguien algun alguna algunos ambos anoche anota anterior antes anula anular aparte apunta aqui asi atendida atendidas
  atendido atendidos atiende aun aunque ausencia ausencias ausente ausentes avisa avisale avisar ayer ayuda ayudame bajo bien bloque bueno buenas buenos busca buscar buscame buscas
  cada calendario cambia cambiar campana campanas cancela cancelada canceladas cancelado cancelados cancelame cancelar caries casi centro cifra cifras cita citar citas claro clinica clinicas cobrado cobrar cobro cobros como completadas con
  confirma confirmada confirmadas confirmado confirmados confirmame confirmar consulta consultas contra control controles conversacion conversaciones correo corona cual cuales cualquier cuando cuanta cuantas cuanto cuantos
  cuenta cuentas cuota cuotas da dale dame datos de debe deben deber debera debido decir deja del dentista dentistas dental desde despues deuda deudas dia diagnostico diario dias dice dile dime dinero direccion disponibilidad disponible disponibles
  doctor doctora doctores doctoras dolor donde doy dr dra dui durante edad ejemplo el ella ellas ellos email en encuentra encuentre encuentro endodoncia enero entonces entrada entre envia enviale enviar envio era es esa esas ese eso esos
  espacio espacios espera esperan esperando esperar esta estaba estado estamos estan estar estas este esto estos estoy exacto extraccion faltan faltaron faltas falto favor febrero fecha fechas figura fin final fue fueron futura futuras gracias
  haber habia habra hace hacer haga hago hasta hay haz hazme hizo hola hora horario horarios horas hoy hueco huecos implante indica informacion informe ingreso ingresos ir jueves julio junio la lado las
  le les libre libres limpieza lista listado llama llamar llegado llegan llegar llegaron llego lo los lunes manana mando manda mandale mandar mandame marca marcar martes marzo mas maximo mayo me media medico medicos mejor menos mensaje mensajes mes meses mi
  miercoles mientras mil minutos mis misma mismo momento monto mora mover mucho mueve muestra muestrame muestre muy nada nadie necesito necesita ningun ninguna ninguno no noche nombre nos nota notas noviembre nuestra nuestro nueva nuevas nuevo nuevos
  numero numeros nunca o ocupacion ocupada ocupado octubre ofrece ortodoncia otra otras otro otros paciente pacientes paga pagado pagar pago pagos para parte pasa pasada pasadas pasado pasados pendiente pendientes pero persona personas plan
  planes plazo poco podemos por porque posible precio precios pregunta presupuesto primer primera primero procedimiento procedimientos programa programada programadas programado programar pronto propon propone proximas proxima proximo proximos puede pueden puedes puedo que
  queda quedan quien quienes quiero quisiera recall recepcion recordatorio recordatorios registra regresar reporte reprograma reprogramar reserva reservada reservame reservar respuesta resumen revisa revision sabado saber saldo saldos salud saludos se sea segun segunda
  seguimiento semana semanas senor senora senorita septiembre ser sera si siempre sido siguiente siguientes sin sobre solo solicita son soy sr sra srta su sus tal tambien tan tarde tardes te telefono telefonos tenemos tener tengo tenia tiempo tiene tienen tienes toca tocan toda
  todas todavia todo todos total tratamiento tratamientos tres trabaja trabajan tu turno turnos tus ultima ultimas ultimo ultimos un una unas uno unos usted vacaciones va van vaya ve vea vencida vencidas vencido vencidos venido venir vencen ver vez vienen viene viernes vino visita visitas
  vista vuelta whatsapp y ya yo
  about after afternoon again all also am an and any anybody anyone appointment appointments april are as ask asks at august available availability balance be because been before between book booked booking bookings but by call can cancel canceled
  cancelled chat chats check clean cleaning clinic collected come comes coming confirm confirmed could daily day days december did dentist do does doctors done due earlier early each empty english evening every faq february find first for free friday from gap gaps
  get give go good has have hello help her here hi him his hour hours how i if in income is it its january july june just last late latest left let like list long lookup make many march may me message messages missed monday money month more morning
  move much my name need new next noon not november now number october of on one open openings or our out outstanding overdue owe owed owes owing paid patient patients pay payment payments pending people phone please plans question questions
  recalls remind reminder report reschedule revenue saturday say schedule scheduled search see send september she should show shows slot slots so some spanish summary sunday text thank thanks that the their them then there these they this those thursday time times to
  today tomorrow tonight tuesday treatment treatments unconfirmed until up upcoming us waiting waitlist want wants was we wednesday week weeks were what when where which who whom whose why will with work works would yes yesterday you your${TYPED}`);
