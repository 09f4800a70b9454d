// A configuration with one collection, whose schema a test chooses.

/** A collection of one schema, with every operation on it. */
export const customers = (
  schema: string,
  gateway = '',
  request = '{ type: object, required: [email], properties: { email: { type: string } } }',
) => ({
  'gateway.yaml': `
contract: ./openapi.yaml
resources:
  customers:
    schema: Customer
${gateway.replace(/^/gm, '    ')}
operations:
  addCustomer: { respond: { create: customers } }
  listCustomers: { respond: { list: customers } }
  getCustomer: { respond: { read: customers } }
  putCustomer: { respond: { replace: customers } }
  patchCustomer: { respond: { update: customers } }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Customers, version: 1.0.0 }
paths:
  /customers:
    get:
      operationId: listCustomers
      responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Customer' } } } } } }
    post:
      operationId: addCustomer
      requestBody: { required: true, content: { application/json: { schema: ${request} } } }
      responses: { '201': { description: Added., content: { application/json: { schema: { $ref: '#/components/schemas/Customer' } } } } }
  /customers/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getCustomer
      responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Customer' } } } } }
    put:
      operationId: putCustomer
      requestBody: { required: true, content: { application/json: { schema: ${request} } } }
      responses: { '200': { description: Changed. } }
    patch:
      operationId: patchCustomer
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object, properties: { email: { type: string } } } } } }
      responses: { '200': { description: Changed. } }
components:
  schemas:
    Customer: ${schema}
`,
})
