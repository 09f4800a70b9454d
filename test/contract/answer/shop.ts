// A contract with many documented details, and a gateway that serves it without a configuration.

import { inProcess } from '../../support/in-process.ts'

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: /v1 }]
paths:
  /books:
    get:
      operationId: listBooks
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
        - { name: status, in: query, schema: { type: string, enum: [available, lent] } }
      responses:
        "200":
          description: A page
          headers:
            X-Total: { schema: { type: integer, minimum: 7, maximum: 7 } }
            X-Tags: { schema: { type: array, items: { enum: [a, b] }, uniqueItems: true, minItems: 2 } }
            Link: { schema: { type: string } }
          content:
            application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } }
            application/xml: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } }
        default:
          description: Anything else
          content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }
    post:
      operationId: createBook
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
      responses:
        "201":
          description: Made
          headers: { Location: { required: true, schema: { type: string } } }
          content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } }
        "400":
          description: Something is wrong with the book
          content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }
  /books/{bookId}:
    parameters: [{ name: bookId, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getBook
      responses:
        "200":
          description: A book
          content:
            application/json: { schema: { $ref: "#/components/schemas/Book" } }
            application/xml: { schema: { $ref: "#/components/schemas/Book" } }
        "404":
          description: There is no such book
          content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }
        "5XX": { description: It broke, content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } } }
    put:
      operationId: putBook
      security: [{ key: [] }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
      responses:
        "200": { description: A book, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
        "401":
          description: Who are you
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Error" }
              example: { code: who, message: The key is missing, status: 401 }
    delete: { operationId: deleteBook, responses: { "204": { description: Gone } } }
  /cover:
    get:
      operationId: getCover
      responses:
        "200":
          description: One of two
          content:
            application/json:
              schema: { type: object, required: [n], properties: { n: { type: integer } } }
              examples: { one: { value: { n: 1 } }, two: { value: { n: 2 } } }
  /member:
    get:
      operationId: getMember
      responses:
        "200":
          description: A member
          content:
            application/json:
              schema: { type: object, properties: { name: { type: string }, password: { type: string, writeOnly: true } } }
              example: { name: Ann, password: hush }
  /text: { get: { operationId: getText, responses: { "2XX": { description: T, content: { text/plain: { schema: { type: string, const: hello } } } } } } }
  /form:
    get:
      operationId: getForm
      responses:
        default:
          description: F
          content:
            application/x-www-form-urlencoded: { schema: { type: object, required: [a], properties: { a: { const: x y } } } }
  /versions:
    get:
      operationId: getVersions
      responses:
        "200":
          description: Two
          content:
            application/json; version=1: { schema: { const: one } }
            application/json; version=2: { schema: { const: two } }
  /moved: { get: { operationId: getMoved, responses: { "302": { description: Elsewhere, headers: { Location: { schema: { type: string } } } } } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Draft:
      type: object
      required: [title]
      properties: { title: { type: string }, secret: { type: string, writeOnly: true }, pages: { type: integer } }
    Book:
      type: object
      xml: { name: book }
      required: [id, title]
      properties:
        id: { type: integer, xml: { attribute: true } }
        title: { type: string, maxLength: 40 }
        pages: { type: integer, maximum: 9 }
        status: { type: string, enum: [available, lent] }
        secret: { type: string, writeOnly: true }
        tags: { type: array, xml: { wrapped: true }, items: { type: string, xml: { name: tag } } }
    Error:
      type: object
      required: [code, message]
      properties:
        code: { type: string }
        message: { type: string }
        status: { type: integer }
        trace: { type: string }
`

/** @param more a gateway.yaml around the contract; without one the contract is served alone */
export const shop = (more?: string) =>
  inProcess(more === undefined ? { 'shop.yaml': SHOP } : { 'gateway.yaml': more, 'shop.yaml': SHOP })
