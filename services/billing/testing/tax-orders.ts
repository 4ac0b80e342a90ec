// An issuer of tax documents, and the contents of an invoice for a consumer and of one for a taxpayer.

/** Has everything that the simulated tax authority requires. */
export const ISSUER = {
  environment: 'test',
  nit: '0614-010190-101-5',
  nrc: '123456-7',
  name: 'CLINICA DE PRUEBA, S.A. DE C.V.',
  tradeName: 'CLINICA DE PRUEBA',
  address: { department: '06', municipality: '23', district: '14', line: 'Calle de Prueba 123' },
  phone: '2222-0000',
  email: 'dte@example.com',
  responsible: { name: 'María Responsable', documentType: '13', documentNumber: '01234567-8' },
  provider: { user: 'usuario', password: 'clave' },
};

export const TAXPAYER = {
  name: 'CONTRIBUYENTE DE PRUEBA',
  documentType: '36',
  documentNumber: '0614-020290-102-4',
  nrc: '765432-1',
  activity: '36000',
  address: { department: '06', municipality: '23', district: '14', line: 'AVENIDA DE PRUEBA 456' },
  phone: '22220001',
  email: 'receptor@example.com',
};

/** An invoice of 113.00, paid in cash. */
export const INVOICE = {
  type: 'invoice',
  items: [{ description: 'Limpieza', quantity: 1, unitPrice: 113 }],
  payment: { methods: [{ code: '01', amount: 113 }] },
};
export const CREDIT = { type: 'credit_fiscal', receiver: TAXPAYER, items: [{ ...INVOICE.items[0], unitPrice: 100 }], payment: INVOICE.payment };
