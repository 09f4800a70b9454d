// The id of a record.

export type Id = number | bigint | string
