// A contract of notes, for tests of memory.

/** Returns the contract. `id` is the schema of a note's id. */
export const notesContract = (id = '{ type: integer, readOnly: true }'): string => `
openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    get: { operationId: listNotes, responses: { 200: { description: All } } }
    post:
      operationId: addNote
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses: { 201: { description: Added } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getNote
      responses: { 200: { description: One } }
    put:
      operationId: replaceNote
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses: { 200: { description: Replaced } }
    delete:
      operationId: deleteNote
      responses: { 204: { description: Deleted } }
components:
  schemas:
    Note: { type: object, properties: { id: ${id}, text: { type: string } } }
`
