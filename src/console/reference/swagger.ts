// Swagger UI, whose code is loaded when the reference is first opened.

export { default } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
