// An issuer of tax documents, and the content of an invoice.

/** Complete for the simulated tax authority. */
export const ISSUER = {
  environment: 'test',
  nit: '0614-010190-101-5',
  nrc: '123456-7',
  name: 'CLINICA DE PRUEBA, S.A. DE C.V.',
  address: { department: '06', municipality: '23', district: '14', line: 'Calle de Prueba 123' },
  phone: '2222-0000',
  email: 'dte@example.com',
  responsible: { name: 'María Responsable', documentType: '13', documentNumber: '01234567-8' },
  provider: { user: 'usuario', password: 'clave' },
};
export const INVOICE = {
  type: 'invoice',
  items: [{ description: 'Limpieza', quantity: 1, unitPrice: 113 }],
  payment: { methods: [{ code: '01', amount: 113 }] },
};
