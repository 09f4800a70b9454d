// The types of the expression language, derived from a contract. Expressions are checked against them at load.

/** A type; `dyn` is checked when a request arrives. An object without fields may have any. */
export type ExpressionType =
  | 'string'
  | 'int'
  | 'bool'
  | 'timestamp'
  | 'dyn'
  | { readonly list: ExpressionType }
  | { readonly map: ExpressionType }
  | { readonly fields: Readonly<Record<string, ExpressionType>> }

/** The types of a request's parts. */
export interface RequestTypes {
  readonly params: ExpressionType
  readonly query: ExpressionType
  readonly cookies: ExpressionType
  readonly body: ExpressionType
}

/** The fields of an object type by name; `undefined` for any other type. */
export const fieldsOf = (type: ExpressionType | undefined): Readonly<Record<string, ExpressionType>> | undefined =>
  typeof type === 'object' && 'fields' in type ? type.fields : undefined
