// A shop whose orders are paid, for tests of webhooks.

/** Its contract, with a webhook, subscriptions, and a callback. */
export const SHOP = `
contract:
  openapi: 3.1.0
  info: { title: Shop, version: "1" }
  webhooks:
    orderPaid:
      post:
        parameters: [{ name: X-Event, in: header, required: true, schema: { const: order.paid } }]
        requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/OrderPaid" } } } }
        responses: { 204: { description: Taken }, 410: { description: Not wanted any more } }
  components:
    schemas:
      Order: { type: object, required: [id, status], properties: { id: { type: integer }, status: { enum: [open, paid, shipped] }, note: { type: string } } }
      OrderPaid: { type: object, required: [type, order], properties: { type: { const: order.paid }, order: { $ref: "#/components/schemas/Order" } } }
      Hook: { type: object, required: [id, url], properties: { id: { type: integer }, url: { type: string }, events: { type: array, items: { type: string } }, secret: { type: string } } }
  paths:
    /orders:
      post:
        operationId: createOrder
        requestBody: { content: { application/json: { schema: { type: object } } } }
        responses: { 201: { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } }
        callbacks:
          shipped:
            "{$request.body#/callbackUrl}":
              post:
                requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }
                responses: { 204: { description: Taken } }
    /orders/{id}:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      patch:
        operationId: changeOrder
        requestBody: { content: { application/merge-patch+json: { schema: { type: object } } } }
        responses: { 200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } }
      delete:
        operationId: deleteOrder
        responses: { 204: { description: Gone } }
    /hooks:
      post:
        operationId: createHook
        requestBody: { content: { application/json: { schema: { type: object } } } }
        responses: { 201: { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Hook" } } } } }
resources:
  orders: { schema: Order, seed: [{ id: 1, status: open }, { id: 2, status: open }] }
  hooks: { schema: Hook }
operations:
  createOrder: { respond: { create: orders } }
  changeOrder: { respond: { update: orders } }
  deleteOrder: { respond: { delete: orders } }
  createHook: { respond: { create: hooks } }
`

/** When an order is paid, at one receiver. */
export const PAID = `
webhooks:
  orderPaid:
    on: { update: orders, when: after.status == "paid" && before.status != "paid" }
    to: http://localhost:9/hook
`
